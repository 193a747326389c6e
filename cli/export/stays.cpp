// SPDX-License-Identifier: MIT
#include "cli/export/stays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>

#include "cli/export/pool_events.hpp"
#include "cli/text/report.hpp"

namespace skua::cli {
namespace {

using trace::kind;

/// Of two events at the same time, what leaves a worker comes before what arrives at another one.
bool arrives(kind k) noexcept { return k == kind::task_began || k == kind::resumed; }

/// Calls take(track, event) for all events in the order of time.
template <class Take>
void in_order(trace::trace_data const& t, Take&& take) {
  using next = std::tuple<std::uint64_t, bool, std::uint32_t, std::size_t>;  // time, arrives, track, position
  std::priority_queue<next, std::vector<next>, std::greater<>> heads;
  auto const push = [&](std::uint32_t track, std::size_t at) {
    if (at >= t.tracks[track].events.size()) return;
    trace::event const& e = t.tracks[track].events[at];
    heads.push({e.ticks, arrives(e.what), track, at});
  };
  for (std::uint32_t w = 0; w < t.tracks.size(); ++w) push(w, 0);
  while (!heads.empty()) {
    auto const [ticks, late, track, at] = heads.top();
    heads.pop();
    take(track, t.tracks[track].events[at]);
    push(track, at + 1);
  }
}

using message_key = std::tuple<std::uint32_t, std::uint32_t, std::uint8_t, std::uint64_t>;
message_key key_of(half_message const& m) { return {m.from, m.to, m.what, m.number}; }

/// The row for events of a whole rank: the track of the thread that uses its communicator. None if its trace is
/// missing.
/// is not here.
std::optional<std::uint32_t> row_of_rank(timeline const& all, std::span<trace::trace_data const> traces,
                                         std::uint32_t rank) {
  for (std::uint32_t r = 0; r < all.rows.size(); ++r) {
    trace::trace_data const& t = traces[all.rows[r].pool];
    if (t.rank == rank && all.rows[r].what == row::kind::tasks && distance_of_ranks(t)) return r;
  }
  return std::nullopt;
}

/// Joins what ranks sent to what ranks received, and the tasks that ranks took to the replies that brought them.
class rank_arrows {
 public:
  rank_arrows(timeline& out, std::span<trace::trace_data const> traces) : out_(out), traces_(traces) {}

  void take(pool_events const& events) {
    for (half_message const& m : events.sent()) sent_.emplace(key_of(m), m.point);
    for (steal_from_rank s : events.steals_from_ranks()) {
      if (s.reply) *s.reply += received_.size();
      steals_.push_back(s);
    }
    received_.insert(received_.end(), events.received().begin(), events.received().end());
  }
  void draw() {
    std::vector<std::optional<std::size_t>> senders(received_.size());
    for (std::size_t i = 0; i < received_.size(); ++i) {
      auto const found = sent_.find(key_of(received_[i]));
      if (found == sent_.end()) continue;
      senders[i] = found->second;
      out_.arrows.push_back({arrow::kind::message, {false, found->second}, {false, received_[i].point}});
      sent_.erase(found);
    }
    for (steal_from_rank const& s : steals_) draw(s, s.reply ? senders[*s.reply] : std::nullopt);
  }

 private:
  /// Starts when the victim gave the tasks away; if that is unknown, when the thief got them.
  void draw(steal_from_rank const& s, std::optional<std::size_t> const& sender) {
    auto const [found, is_new] = rows_.try_emplace(s.victim);
    if (is_new) found->second = row_of_rank(out_, traces_, s.victim);
    if (!found->second) return;
    point const& at_thief = out_.points[s.point];
    out_.points.push_back({.row = *found->second,
                           .name = out_.texts.number(fmt::format("stolen by rank {}", s.thief)),
                           .at_ns = sender ? out_.points[*sender].at_ns : s.at_ns,
                           .value = at_thief.value,
                           .has_value = true});
    out_.arrows.push_back({arrow::kind::stolen, {false, out_.points.size() - 1}, {false, s.point}});
  }

  timeline& out_;
  std::span<trace::trace_data const> traces_;
  std::multimap<message_key, std::size_t> sent_;
  std::vector<half_message> received_;
  std::vector<steal_from_rank> steals_;
  std::map<std::uint32_t, std::optional<std::uint32_t>> rows_;  ///< of victims
};

std::string text_at(json const& description, char const* key) {
  auto const found = description.find(key);
  return found != description.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

std::vector<std::uint64_t> offsets_of(std::span<trace::trace_data const> traces) {
  std::vector<std::uint64_t> all;
  if (traces.empty()) return all;
  std::uint64_t const first = std::ranges::min(traces, {}, &trace::trace_data::began_ns).began_ns;
  for (trace::trace_data const& t : traces) all.push_back(t.began_ns - first);
  return all;
}

std::vector<std::uint32_t> pool_numbers(std::span<trace::trace_data const> traces) {
  std::map<std::uint32_t, std::uint32_t> of_rank;
  std::vector<std::uint32_t> all;
  for (trace::trace_data const& t : traces) all.push_back(++of_rank[t.rank]);
  return all;
}

std::string pool_name(trace::trace_data const& t, std::uint32_t pool) {
  json const said = json::parse(t.description);
  std::string what = said.is_object() ? text_at(said, "program") : "";
  if (what.empty()) what = "program";
  if (std::string const policy = said.is_object() ? text_at(said, "policy") : ""; !policy.empty())
    what += ", " + policy;
  if (t.is_virtual) what += ", simulated";
  if (pool > 1) what += fmt::format(", pool {}", pool);
  return t.ranks > 1 ? fmt::format("rank {}: {}", t.rank, what) : what;
}

std::size_t workers_of(trace::trace_data const& t) {
  json const said = json::parse(t.description);
  auto const listed = said.is_object() ? said.find("workers") : said.end();
  return listed != said.end() && listed->is_array() ? std::min(listed->size(), t.tracks.size()) : t.tracks.size();
}

std::optional<std::uint16_t> distance_of_ranks(trace::trace_data const& t) {
  json const said = json::parse(t.description);
  auto const found = said.is_object() ? said.find("distance_of_ranks") : said.end();
  if (found == said.end() || !found->is_number_unsigned()) return std::nullopt;
  return found->get<std::uint16_t>();
}

timeline timeline_of(std::span<trace::trace_data const> traces) {
  timeline all;
  std::vector<std::uint64_t> const offsets = offsets_of(traces);
  std::vector<std::uint32_t> const numbers = pool_numbers(traces);
  rank_arrows between_ranks(all, traces);
  for (std::uint32_t p = 0; p < traces.size(); ++p) {
    trace::trace_data const& t = traces[p];
    traced_pool pool{.name = pool_name(t, numbers[p]), .rank = t.rank, .is_complete = t.is_complete};
    for (trace::track_events const& track : t.tracks) pool.lost += track.lost;
    all.pools.push_back(std::move(pool));
    pool_events events(all, t, p, offsets[p]);
    in_order(t, [&](std::uint32_t track, trace::event const& e) { events.take(track, e); });
    events.finish();
    between_ranks.take(events);
  }
  between_ranks.draw();
  return all;
}

}  // namespace skua::cli
