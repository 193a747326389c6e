// SPDX-License-Identifier: MIT
#include "cli/export/pool_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "cli/export/stays.hpp"
#include "cli/text/short_name.hpp"

namespace skua::cli {

using trace::kind;

namespace {
constexpr std::uint64_t longest_note_ns = 100'000;  // from an entry's leaving to the note of it, unless preempted
}

pool_events::pool_events(timeline& out, trace::trace_data const& from, std::uint32_t pool, std::uint64_t offset_ns)
    : out_(out), from_(from), pool_(pool), offset_ns_(offset_ns), distance_of_ranks_(distance_of_ranks(from)),
      tracks_(from.tracks.size()) {
  first_row_ = static_cast<std::uint32_t>(out_.rows.size());
  out_.rows.push_back({pool, 0, row::kind::pool});
  std::size_t const workers = workers_of(from);
  for (std::uint32_t w = 0; w < from.tracks.size(); ++w) {
    for (auto const what : {row::kind::tasks, row::kind::activity})
      out_.rows.push_back({.pool = pool, .worker = w, .what = what, .is_outside = w >= workers});
  }
}

std::uint32_t pool_events::name(trace::event const& e, std::string_view otherwise) {
  std::string_view const given = from_.name(e.other);
  if (given.empty()) return text(otherwise);
  auto const [at, is_new] = names_.try_emplace(e.other, 0);
  if (is_new) at->second = text(short_name(given));
  return at->second;
}

std::size_t pool_events::add_point(std::uint32_t row, std::uint32_t name, std::optional<std::uint64_t> value) {
  out_.points.push_back(
      {.row = row, .name = name, .at_ns = now_ns_, .value = value.value_or(0), .has_value = value.has_value()});
  return out_.points.size() - 1;
}

std::size_t pool_events::open(std::uint32_t row, std::vector<std::size_t>& in, slice s) {
  s.row = row;
  s.begin_ns = s.end_ns = now_ns_;
  s.depth = static_cast<std::uint32_t>(in.size());
  out_.slices.push_back(s);
  in.push_back(out_.slices.size() - 1);
  return in.back();
}

void pool_events::close(std::size_t i, slice::ending how) noexcept {
  out_.slices[i].end_ns = now_ns_;
  out_.slices[i].how = how;
}

/// Of the slices that end, the outermost ends normally; the ends of those inside it were lost.
void pool_events::close_down_to(std::vector<std::size_t>& open, std::size_t keep, slice::ending last) noexcept {
  for (; open.size() > keep; open.pop_back()) close(open.back(), open.size() == keep + 1 ? last : slice::ending::cut);
}

void pool_events::end_leaf(std::uint32_t track) noexcept {
  if (auto const leaf = std::exchange(tracks_[track].leaf, {})) close(*leaf, slice::ending::ended);
}

void pool_events::task_ended(std::uint32_t track, std::uint64_t id) noexcept {
  std::vector<std::size_t>& tasks = tracks_[track].tasks;
  for (std::size_t at = tasks.size(); at-- > 0;) {
    slice const& s = out_.slices[tasks[at]];
    // Without an item it is the innermost. One that was resumed, and whose beginning was lost, has none either.
    bool const ends = s.what == slice::kind::task && (id == 0 || s.id == id || (at == 0 && s.id == 0));
    if (ends) return close_down_to(tasks, at, slice::ending::ended);
  }
}

void pool_events::member_ended(std::uint32_t track) noexcept {
  std::vector<std::size_t>& tasks = tracks_[track].tasks;
  for (std::size_t at = tasks.size(); at-- > 0;) {
    if (out_.slices[tasks[at]].what == slice::kind::member) return close_down_to(tasks, at, slice::ending::ended);
  }
}

void pool_events::construct_began(std::uint32_t track, trace::event const& e) {
  std::string_view const place = from_.name(e.other);
  open(tasks_row(track), tracks_[track].tasks,
       {.name = text(place.empty() ? trace::name_of(static_cast<trace::construct>(e.detail)) : place),
        .id = e.id,
        .value = e.count,
        .what = slice::kind::member});
}

/// Constructs of one task nest.
void pool_events::construct_ended(std::uint32_t track, trace::event const& e) noexcept {
  std::vector<std::size_t>& tasks = tracks_[track].tasks;
  for (std::size_t at = tasks.size(); at-- > 0;) {
    slice const& s = out_.slices[tasks[at]];
    if (s.what == slice::kind::member && s.id == e.id) return close_down_to(tasks, at, slice::ending::ended);
  }
}

void pool_events::node_began(std::uint32_t track, trace::event const& e) {
  std::size_t const at = open(tasks_row(track), tracks_[track].tasks,
                              {.name = name(e, "node"), .id = e.id, .value = e.count, .what = slice::kind::node});
  nodes_.try_emplace(e.id, node_slices{at, at});
}

/// Of a team's members, the last one to end releases the nodes that wait.
void pool_events::node_ended(std::uint32_t track, trace::event const& e) {
  std::vector<std::size_t>& tasks = tracks_[track].tasks;
  for (std::size_t at = tasks.size(); at-- > 0;) {
    slice const& s = out_.slices[tasks[at]];
    if (s.what != slice::kind::node || s.id != e.id) continue;
    nodes_.try_emplace(e.id, node_slices{tasks[at], tasks[at]}).first->second.last = tasks[at];
    return close_down_to(tasks, at, slice::ending::ended);
  }
}

void pool_events::draw_edges() {
  for (auto const& [from, to] : edges_) {
    auto const a = nodes_.find(from);
    auto const b = nodes_.find(to);
    if (a == nodes_.end() || b == nodes_.end()) continue;  // one of them was overwritten
    out_.arrows.push_back({arrow::kind::edge, {true, a->second.last}, {true, b->second.first}});
  }
}

void pool_events::leave(std::uint32_t track, std::uint64_t frame, slice::ending how) {
  std::vector<std::size_t>& tasks = tracks_[track].tasks;
  parked_[frame] = {tasks};
  for (std::size_t const i : tasks | std::views::reverse) close(i, how);
  tasks.clear();
  count(sample::kind::waiting_tasks, parked_.size());
}

void pool_events::resume(std::uint32_t track, std::uint64_t frame) {
  std::vector<std::size_t>& tasks = tracks_[track].tasks;
  close_down_to(tasks, 0, slice::ending::cut);  // what runs now is another fiber
  auto const found = parked_.find(frame);
  if (found == parked_.end()) {
    arrive(track, frame, open(tasks_row(track), tasks, {.name = text("task")}));
    return;
  }
  for (std::size_t const before : found->second.stays) {
    slice const& s = out_.slices[before];
    std::size_t const now =
        open(tasks_row(track), tasks, {.name = s.name, .id = s.id, .value = s.value, .what = s.what});
    out_.arrows.push_back({arrow::kind::went_on, {true, before}, {true, now}});
  }
  parked_.erase(found);
  if (!tasks.empty()) arrive(track, frame, tasks.back());
  count(sample::kind::waiting_tasks, parked_.size());
}

void pool_events::transferred(std::uint32_t track, trace::event const& e) {
  bool const is_steal = e.what == kind::stolen;
  if (is_steal && e.count == distance_of_ranks_) return stolen_from_rank(track, e);
  if (e.other >= tracks_.size()) return;
  std::uint32_t const giver = is_steal ? e.other : track;
  std::uint32_t const receiver = is_steal ? track : e.other;
  std::uint32_t const said = text(fmt::format("{} worker {}", is_steal ? "stolen by" : "sent to", receiver));
  transfers_.push_back({.what = is_steal ? arrow::kind::stolen : arrow::kind::sent,
                        .point = add_point(tasks_row(giver), said),
                        .receiver = receiver,
                        .other = giver,
                        .at_ns = now_ns_});
  if (!is_steal && began_already(e.id, receiver)) return;
  (is_steal ? stolen_ : sent_)[e.id] = transfers_.size() - 1;
}

/// The trace does not say which tasks it got, nor when each of them runs: the arrow ends where the reply arrived.
void pool_events::stolen_from_rank(std::uint32_t track, trace::event const& e) {
  std::uint32_t const said = text(fmt::format("stole from rank {}", e.other));
  steal_from_rank s{.victim = e.other,
                    .thief = from_.rank,
                    .point = add_point(tasks_row(track), said, e.value),
                    .at_ns = now_ns_,
                    .reply = {}};
  if (!received_messages_.empty() && received_messages_.back().from == e.other) s.reply = received_messages_.size() - 1;
  from_ranks_.push_back(s);
}

/// A sender notes a transfer afterwards, so the receiver may have begun the task by then.
bool pool_events::began_already(std::uint64_t id, std::uint32_t receiver) {
  auto const found = newest_stay_.find(id);
  if (found == newest_stay_.end()) return false;
  slice const& s = out_.slices[found->second];
  if (s.row != tasks_row(receiver) || s.begin_ns + longest_note_ns < now_ns_) return false;
  transfer& t = transfers_.back();
  out_.points[t.point].at_ns = s.begin_ns;
  out_.arrows.push_back({t.what, {false, t.point}, {true, found->second}});
  t.arrived = true;
  newest_stay_.erase(found);
  return true;
}

/// A stolen or sent task begins, perhaps on a third worker that stole it again.
void pool_events::arrive(std::uint32_t track, std::uint64_t id, std::size_t at_slice) {
  for (auto* const waiting : {&stolen_, &sent_}) {
    auto const found = waiting->find(id);
    if (found == waiting->end()) continue;
    transfer& t = transfers_[found->second];
    if (waiting == &stolen_ && t.receiver != track) continue;
    out_.arrows.push_back({t.what, {false, t.point}, {true, at_slice}});
    t.arrived = true;
    waiting->erase(found);
    if (waiting == &sent_) return;
  }
  newest_stay_[id] = at_slice;
}

void pool_events::change_activity(std::uint32_t track, trace::event const& e) {
  open_track& t = tracks_[track];
  std::string_view const said = e.what == kind::idling     ? "idle"
                                : e.what == kind::sleeping ? "asleep"
                                                           : std::string_view(trace::name_of(e.what));
  std::uint32_t const name = text(said);
  bool const works = e.what == kind::working;
  if (works != std::exchange(t.works, works)) count(sample::kind::working_workers, works ? ++working_ : --working_);
  if (t.activity && out_.slices[*t.activity].name == name) return;
  if (t.activity) close(*t.activity, slice::ending::ended);
  std::vector<std::size_t> alone;
  t.activity = open(tasks_row(track) + 1, alone, {.name = name, .what = slice::kind::activity});
}

void pool_events::message(std::uint32_t track, trace::event const& e) {
  bool const goes = e.what == kind::message_sent;
  std::uint32_t const said = text(fmt::format("message {} rank {}", goes ? "to" : "from", e.other));
  std::size_t const at = add_point(tasks_row(track), said, e.value);
  (goes ? sent_messages_ : received_messages_)
      .push_back({goes ? from_.rank : e.other, goes ? e.other : from_.rank, e.detail, e.id, at});
}

void pool_events::count(sample::kind what, std::uint64_t value) {
  out_.samples.push_back({pool_, what, now_ns_, value});
}

void pool_events::take_for_pool(trace::event const& e) {
  switch (e.what) {
    case kind::region_opened:
      add_point(first_row_, text(fmt::format("region {}: {}", e.count, from_.name(e.other))), e.value);
      break;
    case kind::region_closed: add_point(first_row_, text(fmt::format("region {} closed", e.count))); break;
    case kind::flow_began: add_point(first_row_, text(fmt::format("flow {}: {} nodes", e.id >> 32, e.value))); break;
    case kind::flow_ended: add_point(first_row_, text(fmt::format("flow {} ended", e.id >> 32))); break;
    case kind::mark: add_point(first_row_, text(from_.name(e.other)), e.value); break;
    case kind::scheduler_changed:
      add_point(first_row_, text(fmt::format("scheduler: {}{}", from_.name(e.other), e.detail == 1 ? " (trial)" : "")));
      break;
    case kind::call_choice: add_point(first_row_, text(from_.name(e.other))); break;
    case kind::iteration_began:
      open(first_row_, iterations_,
           {.name = text(fmt::format("iteration {}", e.value)), .value = e.value, .what = slice::kind::iteration});
      break;
    case kind::iteration_ended:
      for (std::size_t at = iterations_.size(); at-- > 0;) {
        if (out_.slices[iterations_[at]].value == e.value) return close_down_to(iterations_, at, slice::ending::ended);
      }
      break;
    default: break;  // lost, exposed: too many to be seen
  }
}

void pool_events::take(std::uint32_t track, trace::event const& e) {
  now_ns_ = e.ticks + offset_ns_;
  end_leaf(track);
  trace::for_each_successor(e, [&](std::uint64_t to) { edges_.push_back({e.id, to}); });
  std::vector<std::size_t>& tasks = tracks_[track].tasks;
  switch (e.what) {
    case kind::working:
    case kind::scheduling:
    case kind::idling:
    case kind::sleeping: return change_activity(track, e);
    case kind::task_began:
      return arrive(track, e.id, open(tasks_row(track), tasks, {.name = name(e, "task"), .id = e.id}));
    case kind::task_ended: return task_ended(track, e.id);
    case kind::called: open(tasks_row(track), tasks, {.name = name(e, "call from outside")}); return;
    case kind::left: return close_down_to(tasks, 0, slice::ending::ended);
    case kind::leaf: {
      auto inside = tasks;
      tracks_[track].leaf =
          open(tasks_row(track), inside,
               {.name = text("leaf"), .id = e.id, .value = e.value + e.other, .what = slice::kind::leaf});
      return;
    }
    case kind::member_began:
      open(tasks_row(track), tasks,
           {.name = name(e, "team"), .id = e.id, .value = e.count, .what = slice::kind::member});
      return;
    case kind::member_ended: return member_ended(track);
    case kind::construct_began: return construct_began(track, e);
    case kind::construct_ended: return construct_ended(track, e);
    case kind::node_began: return node_began(track, e);
    case kind::node_ended: return node_ended(track, e);
    case kind::parked: return leave(track, e.id, slice::ending::parked);
    case kind::moved: return leave(track, e.id, slice::ending::moved);
    case kind::resumed: return resume(track, e.id);
    case kind::stolen:
    case kind::sent: return transferred(track, e);
    case kind::message_sent:
    case kind::message_received: return message(track, e);
    default: return take_for_pool(e);
  }
}

void pool_events::finish() {
  now_ns_ = std::max(now_ns_, from_.ended_ns + offset_ns_);
  for (open_track& t : tracks_) {
    if (t.leaf) close(*t.leaf, slice::ending::cut);
    if (t.activity) close(*t.activity, slice::ending::cut);
    close_down_to(t.tasks, 0, slice::ending::cut);
  }
  close_down_to(iterations_, 0, slice::ending::cut);
  draw_edges();
  out_.ended_ns = std::max(out_.ended_ns, now_ns_);
  // What arrived without a task that the trace shows, such as a continuation that is a plain call.
  for (transfer const& t : transfers_) {
    if (t.arrived) continue;
    now_ns_ = t.at_ns;
    std::uint32_t const said =
        text(fmt::format("{} worker {}", t.what == arrow::kind::stolen ? "stole from" : "got from", t.other));
    out_.arrows.push_back({t.what, {false, t.point}, {false, add_point(tasks_row(t.receiver), said)}});
  }
}

}  // namespace skua::cli
