// SPDX-License-Identifier: MIT
#include "cli/report/steals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace skua::cli::traced {
namespace {

/// Names n things that stand side by side, as many in a group as a matrix of a readable size needs. Returns how many that is.
std::size_t name_neighbours(std::size_t n, char const* one, char const* several, steal_matrix& into) {
  std::size_t const each = std::max<std::size_t>((n + most_workers_in_matrix - 1) / most_workers_in_matrix, 1);
  into = {.of = each == 1 ? one : several, .names = {}, .counts = {}};
  for (std::size_t i = 0; i < n; i += each)
    into.names.push_back(each == 1 ? std::to_string(i) : fmt::format("{}-{}", i, std::min(i + each, n) - 1));
  return each;
}

/// The finest grouping of workers that gives a matrix of a readable size; the group of each worker.
std::vector<std::size_t> group_workers(run const& of, steal_matrix& into) {
  using key_of_worker = std::int64_t (*)(traced_worker const&);
  constexpr std::array<std::pair<char const*, key_of_worker>, 3> groupings{
      {{"place", [](traced_worker const& w) { return w.place; }},
       {"node", [](traced_worker const& w) { return w.node; }},
       {"rank", [](traced_worker const& w) { return std::int64_t{w.rank}; }}}};
  std::size_t const n = of.workers.size();
  std::vector<std::size_t> group_of(n);
  for (auto const& [what, key_of] : groupings) {
    std::map<std::int64_t, std::size_t> groups;
    for (traced_worker const& w : of.workers) groups.try_emplace(key_of(w), 0);
    if (n <= most_workers_in_matrix || groups.size() < 2 || groups.size() > most_workers_in_matrix) continue;
    into.of = what;
    for (auto& [key, index] : groups) {
      index = into.names.size();
      into.names.push_back(key < 0 ? "unknown" : std::to_string(key));
    }
    std::ranges::transform(of.workers, group_of.begin(), [&](traced_worker const& w) { return groups.at(key_of(w)); });
    return group_of;
  }
  // Few enough, or nothing says how they belong together.
  std::size_t const each = name_neighbours(n, "worker", "worker group", into);
  for (std::size_t w = 0; w < n; ++w) group_of[w] = w / each;
  return group_of;
}

steal_matrix steals_between_ranks(run const& of) {
  std::size_t ranks = of.ranks;
  for (traced_worker const& w : of.workers) ranks = std::max<std::size_t>(ranks, w.rank + 1U);
  steal_matrix all;
  std::size_t const each = name_neighbours(ranks, "rank", "rank group", all);
  all.counts.assign(all.size() * all.size(), 0);
  for (traced_worker const& thief : of.workers) {
    for (event const& e : thief.events) {
      if (e.what != kind::stolen) continue;
      std::size_t const victim = of.is_from_rank(e) ? e.other : of.workers[e.other].rank;
      ++all.counts[thief.rank / each * all.size() + victim / each];
    }
  }
  return all;
}

bool has_steals_between_ranks(run const& of) noexcept {
  return std::ranges::any_of(of.workers, [&](traced_worker const& w) {
    return std::ranges::any_of(w.events, [&](event const& e) { return of.is_from_rank(e); });
  });
}

bool is_state(kind k) noexcept { return k >= kind::working && k <= kind::sleeping; }

}  // namespace

steal_matrix steals_between(run const& of) {
  if (has_steals_between_ranks(of)) return steals_between_ranks(of);
  steal_matrix all;
  std::vector<std::size_t> const group_of = group_workers(of, all);
  all.counts.assign(all.size() * all.size(), 0);
  for (std::size_t thief = 0; thief < of.workers.size(); ++thief) {
    for (event const& e : of.workers[thief].events) {
      if (e.what == kind::stolen) ++all.counts[group_of[thief] * all.size() + group_of[e.other]];
    }
  }
  return all;
}

steal_facts steal_facts_of(run const& of) {
  steal_facts all;
  for (traced_worker const& w : of.workers) {
    // Those before the oldest event belong to time that is not in the report.
    auto const first = std::ranges::find_if(w.events, [](event const& e) { return is_state(e.what); });
    std::uint64_t attempts_before = w.lost > 0 && first != w.events.end() ? first->value : 0;
    for (event const& e : w.events) {
      switch (e.what) {
        case kind::stolen: {
          ++all.steals;
          if (e.count >= all.by_distance.size()) all.by_distance.resize(e.count + 1U);
          ++all.by_distance[e.count];
          if (of.is_from_rank(e)) break;  // it has no node
          traced_worker const& victim = of.workers[e.other];
          bool const placed = w.node >= 0 && victim.node >= 0;
          all.placed += placed ? 1 : 0;
          all.far += placed && w.node != victim.node ? 1 : 0;
          break;
        }
        case kind::lost: ++all.lost_races; break;
        case kind::working:
        case kind::scheduling:
        case kind::idling:
        case kind::sleeping:
          // A worker counts its attempts from its beginning.
          if (e.value >= attempts_before) all.attempts += e.value - attempts_before;
          attempts_before = e.value;
          break;
        case kind::sent: ++all.sent; break;
        case kind::moved: ++all.moved; break;
        case kind::exposed: ++all.exposed; break;
        case kind::parked: ++all.parked; break;
        default: break;
      }
    }
  }
  return all;
}

}  // namespace skua::cli::traced
