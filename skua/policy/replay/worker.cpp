// SPDX-License-Identifier: MIT
#include "skua/policy/replay/worker.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "skua/policy/greedy.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace replay {
namespace {

constexpr std::uint64_t most_children = record::largest_value - 1;

constexpr search_step own[] = {{lane::local}, {lane::spawned}, {lane::migrated}, {lane::inbox}};
constexpr search_step theirs[] = {{lane::local, after_lost::next_victim},
                                  {lane::forks, after_lost::next_victim},
                                  {lane::spawned, after_lost::next_victim},
                                  {lane::migrated, after_lost::next_victim}};
constexpr search_order order{.own = own, .theirs = theirs, .injected_first_after_rest = true};

replay_options with_detail(replay_options chosen, std::uint32_t workers) noexcept {
  if (chosen.detail == 0) chosen.detail = std::min<std::uint32_t>(20, 5U + std::bit_width(workers - 1));
  return chosen;
}

}  // namespace

common::common(std::uint32_t n, replay_options const& chosen)
    : workers(n), options(with_detail(chosen, n)), records(options), follows(records.known()),
      measures(n, options, follows), iteration(options, records, follows, measures) {}

worker_state::worker_state(common& shared, layout const& where, worker_id self, std::uint64_t seed)
    : common_(shared), self_(self), roll_(dice_of(seed, self)), victims_(uniform_victims(self, where.workers())),
      round_(self, order) {
  if (shared.options.near_first) victims_ = ring_victims(self, where, 1);
}

/// While steals are noted: until there are enough branches. In strict iterations: where the record has steals.
bool worker_state::exposes(tag_fields const& running) const noexcept {
  if (common_.workers == 1 || !running.is_tracked()) return false;
  if (running.kind == kind::group || running.is_root) return true;
  if (common_.iteration.is_strict() && !common_.iteration.is_watching())
    return common_.follows.leads_to_pieces(running.path, common_.iteration.is_in(phase::pruning));
  return running.breadth <= common_.options.detail;
}

// ---- the tree of an iteration ----------------------------------------------------------------------------------------

std::uint16_t worker_state::ordinal_of(tag_fields const& task) const noexcept {
  return last_left_.path == task.path ? last_left_.next : task.ordinal;
}

task_tag worker_state::meet(task_tag& task, double, std::uint64_t n) noexcept {
  tag_fields c = tag_fields::read(task);
  if (c.kind == kind::group) c.kind = kind::untracked;  // its parent's group was not exposed
  if (c.kind != kind::task || c.is_open || n == 0) return c.written();
  std::uint16_t const ordinal = ordinal_of(c);
  if (c.is_root && ordinal == 0) common_.iteration.begin();
  tag_fields g{.kind = kind::group,
               .is_open = n > most_children,
               .ordinal = ordinal,
               .owner = static_cast<std::uint16_t>(index(self_)),
               .path = mixed(mixed(c.path, ordinal), n) | 1,  // it is a first word as well: not 0
               .enclosing = n};
  g.breadth = common_.records.breadth_of(c, g.path, n);
  if (!common_.iteration.is_strict()) {
    common_.records.has_met(c, g);
  } else {
    if (common_.follows.is_new(g.path)) g.is_open = true;
    if (g.is_open) common_.follows.opens_work();
  }
  common_.follows.divide(g, index(self_));
  if (common_.iteration.is_in(phase::measuring)) common_.measures.has_met(c, g, n, index(self_));
  return g.written();
}

task_tag worker_state::mark(task_tag& parent, hint const&) noexcept {
  tag_fields p = tag_fields::read(parent);
  switch (p.kind) {
    case kind::unknown:
      if (common_.iteration.is_before_relaxed()) common_.records.was_stolen_unseen(p);
      return {};
    case kind::untracked: return parent;
    case kind::task: break;  // stolen where forks were not exposed
    case kind::group: {
      if (p.is_open) break;
      task_tag const child = common_.follows.next_child(p, index(self_)).written();
      parent = p.written();
      return child;
    }
  }
  return tag_fields{.kind = kind::untracked, .is_open = p.is_open}.written();
}

void worker_state::leave(task_tag const& task, task_tag const& group) noexcept {
  tag_fields const c = tag_fields::read(task);
  tag_fields const g = tag_fields::read(group);
  sees_ = exposes(c);
  if (c.kind != kind::task || g.kind != kind::group) return;
  std::uint32_t next = std::min<std::uint32_t>(g.ordinal + 1U, std::numeric_limits<std::uint16_t>::max());
  if (c.is_root && common_.options.groups != 0) next %= common_.options.groups;
  last_left_ = {.path = c.path, .next = static_cast<std::uint16_t>(next)};
  bool const is_pruning = common_.iteration.is_in(phase::pruning);
  if (is_pruning || !common_.iteration.is_strict()) common_.records.has_left(c, g, is_pruning);
}

// ---- where a task runs
// -----------------------------------------------------------------------------------------------

placement worker_state::place(task_tag& task, cause why) noexcept {
  tag_fields c = tag_fields::read(task);
  placement const own_inbox{.worker = self_, .lane = lane::inbox};
  switch (why) {
    case cause::forked:
      if (c.is_tracked() && c.is_sent) return {.worker = worker_id{c.home}, .lane = lane::migrated};
      sees_ = exposes(c);  // it is called at once
      return {.worker = self_, .lane = lane::local};
    case cause::stolen:
      if (!common_.iteration.is_strict()) common_.records.was_stolen(c, index(self_));
      (c.kind == kind::group ? c.owner : c.home) = static_cast<std::uint16_t>(index(self_));
      task = c.written();
      return own_inbox;
    case cause::injected: return place_from_outside(task, true);
    case cause::called: return place_from_outside(task, index(self_) == 0);
    case cause::resumed: return place_resumed(c, task);
    case cause::released:
    case cause::unblocked:
    case cause::seeded:
    case cause::bypassed:
    case cause::preempted: return {.worker = self_, .lane = lane::spawned};
    case cause::chosen:
    case cause::next:
    case cause::refused: break;
  }
  return own_inbox;
}

/// The root runs on worker 0, where no worker can steal it; any other task runs where it arrived.
placement worker_state::place_from_outside(task_tag& task, bool may_be_root) noexcept {
  tag_fields const c = common_.outside.comes(may_be_root);
  task = c.written();
  return {.worker = c.is_root ? worker_id{0} : self_, .lane = lane::inbox};
}

/// The root always continues on worker 0. In a strict iteration, a task that opens more groups continues on its home,
/// so that its groups are met there; any other task continues where it is ready, and no worker has to fetch it.
placement worker_state::place_resumed(tag_fields& c, task_tag& task) noexcept {
  placement const own_inbox{.worker = self_, .lane = lane::inbox};
  if (c.kind != kind::task || c.is_open) return own_inbox;
  bool const goes_home = c.is_root || (common_.iteration.is_strict() && opens_more_groups(c));
  c.ordinal = ordinal_of(c);
  if (!goes_home) c.home = static_cast<std::uint16_t>(index(self_));
  task = c.written();
  if (c.home == index(self_)) return own_inbox;
  return {.worker = worker_id{c.home}, .lane = c.is_root ? lane::inbox : lane::migrated};
}

/// After the group that it waited for, which may not have been left yet.
bool worker_state::opens_more_groups(tag_fields const& task) const noexcept {
  std::uint32_t const next = last_left_.path == task.path ? last_left_.next : task.ordinal + 1U;
  return common_.follows.opens_more_than(next, task.path);
}

// ---- the search for tasks --------------------------------------------------------------------------------------------------------

bool worker_state::admits(std::uint64_t first_word) const noexcept {
  return first_word == 0 || !common_.iteration.is_strict();
}

bool worker_state::may_steal() const noexcept {
  return !common_.iteration.is_strict() || common_.follows.has_open_work() || common_.outside.has_free();
}

probe worker_state::next_probe() noexcept { return round_.chosen(); }  // chosen in `learn`

std::optional<victim> worker_state::choose_victim(victim_request why) noexcept {
  if (!may_steal()) return {};
  return std::visit([&](auto& choice) { return next_victim(choice, why, roll_); }, victims_);
}

void worker_state::learn(event const& seen) noexcept {
  if (auto const* p = std::get_if<probed>(&seen)) {
    round_.choose_next(*p, [this](victim_request why) { return choose_victim(why); });
  } else if (auto const* b = std::get_if<begun>(&seen)) {
    sees_ = exposes(tag_fields::read(b->task));
    last_left_ = {};  // its ordinal is on its tag
  } else if (std::holds_alternative<found_beside>(seen)) {
    round_.restart();
  } else if (std::holds_alternative<returned>(seen)) {
    sees_ = true;  // its siblings were exposed, and so is the rest of them
  } else if (auto const* e = std::get_if<ended>(&seen)) {
    tag_fields const c = tag_fields::read(e->task);
    if (common_.iteration.is_in(phase::measuring)) common_.measures.has_ended(c, e->duration_ns);
    common_.outside.has_ended(c);
  }
}

}}}}  // namespace skua::v0::policies::replay
