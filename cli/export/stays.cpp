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
  json const said = json::parse(t.description, nullptr, false);
  std::string what = said.is_object() ? text_at(said, "program") : "";
  if (what.empty()) what = "program";
  if (std::string const policy = said.is_object() ? text_at(said, "policy") : ""; !policy.empty())
    what += ", " + policy;
  if (t.is_virtual) what += ", simulated";
  if (pool > 1) what += fmt::format(", pool {}", pool);
  return t.ranks > 1 ? fmt::format("rank {}: {}", t.rank, what) : what;
}

std::size_t workers_of(trace::trace_data const& t) {
  json const said = json::parse(t.description, nullptr, false);
  auto const listed = said.is_object() ? said.find("workers") : said.end();
  return listed != said.end() && listed->is_array() ? std::min(listed->size(), t.tracks.size()) : t.tracks.size();
}

timeline timeline_of(std::span<trace::trace_data const> traces) {
  timeline all;
  std::vector<std::uint64_t> const offsets = offsets_of(traces);
  std::vector<std::uint32_t> const numbers = pool_numbers(traces);
  std::multimap<message_key, std::size_t> sent;
  std::vector<half_message> received;
  for (std::uint32_t p = 0; p < traces.size(); ++p) {
    trace::trace_data const& t = traces[p];
    traced_pool pool{.name = pool_name(t, numbers[p]), .rank = t.rank, .is_complete = t.is_complete};
    for (trace::track_events const& track : t.tracks) pool.lost += track.lost;
    all.pools.push_back(std::move(pool));
    pool_events events(all, t, p, offsets[p]);
    in_order(t, [&](std::uint32_t track, trace::event const& e) { events.take(track, e); });
    events.finish();
    for (half_message const& m : events.sent()) sent.emplace(key_of(m), m.point);
    received.insert(received.end(), events.received().begin(), events.received().end());
  }
  for (half_message const& m : received) {
    auto const found = sent.find(key_of(m));
    if (found == sent.end()) continue;
    all.arrows.push_back({arrow::kind::message, {false, found->second}, {false, m.point}});
    sent.erase(found);
  }
  return all;
}

}  // namespace skua::cli
