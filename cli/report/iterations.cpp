// SPDX-License-Identifier: MIT
#include "cli/report/iterations.hpp"

#include <algorithm>
#include <map>

#include "cli/report/utilisation.hpp"

namespace skua::cli::traced {
namespace {

/// Calls `body` for every event of workers and outsiders.
template <class Body>
void for_each_event(run const& of, Body&& body) {
  for (traced_worker const& w : of.workers)
    for (event const& e : w.events) body(e);
  for (traced_worker const& w : of.outside)
    for (event const& e : w.events) body(e);
}

void sort_by_time(std::vector<iteration>& all) { std::ranges::stable_sort(all, {}, &iteration::from_ns); }

std::vector<iteration> by_marks(run const& of) {
  std::vector<iteration> all;
  for_each_event(of, [&](event const& e) {
    if (e.what == kind::mark && of.names[e.other] == "iteration")
      all.push_back({static_cast<std::int64_t>(e.value), e.ticks, of.length_ns});
  });
  sort_by_time(all);
  // Every rank marks the same iteration; the first one begins it.
  auto const same = std::ranges::unique(all, {}, &iteration::number);
  all.erase(same.begin(), same.end());
  for (std::size_t i = 0; i + 1 < all.size(); ++i) all[i].to_ns = all[i + 1].from_ns;
  return all;
}

std::vector<iteration> by_collections(run const& of) {
  std::map<std::int64_t, iteration> found;
  for_each_event(of, [&](event const& e) {
    if (e.what != kind::iteration_began && e.what != kind::iteration_ended) return;
    auto const number = static_cast<std::int64_t>(e.value);
    auto const [at, is_new] = found.try_emplace(number, iteration{number, e.ticks, e.ticks});
    at->second.from_ns = std::min(at->second.from_ns, e.ticks);
    at->second.to_ns = std::max(at->second.to_ns, e.ticks);
  });
  std::vector<iteration> all;
  for (auto const& [number, one] : found) all.push_back(one);
  sort_by_time(all);
  return all;
}

std::vector<iteration> by_calls(run const& of) {
  std::map<std::uint32_t, std::vector<iteration>> by_name;
  for (traced_worker const& w : of.workers) {
    event const* open = nullptr;
    for (event const& e : w.events) {
      if (e.what == kind::called) open = &e;
      if (e.what != kind::left || open == nullptr) continue;
      by_name[open->other].push_back({0, open->ticks, e.ticks});
      open = nullptr;
    }
  }
  if (by_name.empty()) return {};
  auto most = std::ranges::max_element(by_name, {}, [](auto const& calls) { return calls.second.size(); })->second;
  sort_by_time(most);
  for (std::size_t i = 0; i < most.size(); ++i) {
    most[i].number = static_cast<std::int64_t>(i) + 1;
    if (i > 0 && most[i].from_ns < most[i - 1].to_ns) return {};  // several threads call at once
  }
  return most.size() >= 2 ? most : std::vector<iteration>{};
}

}  // namespace

iterations_of_run iterations_of(run const& of) {
  if (auto all = by_marks(of); !all.empty()) return {"marks named iteration", std::move(all)};
  if (auto all = by_collections(of); !all.empty()) return {"iterations of a task collection", std::move(all)};
  if (auto all = by_calls(of); !all.empty()) return {"calls of the pool", std::move(all)};
  return {};
}

std::vector<iteration_balance> balance_of(run const& of, history const& h, std::vector<iteration> const& all) {
  std::vector<iteration_balance> balances(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    times const spent = times_between(h, all[i].from_ns, all[i].to_ns);
    std::uint64_t const known = spent.known();
    if (known > 0) balances[i].efficiency = static_cast<double>(spent.of(activity::work)) / static_cast<double>(known);
  }
  for_each_event(of, [&](event const& e) {
    if (e.what != kind::stolen && e.what != kind::sent && e.what != kind::moved) return;
    auto const after = std::ranges::upper_bound(all, e.ticks, {}, &iteration::from_ns);
    if (after == all.begin()) return;
    auto const at = static_cast<std::size_t>(after - all.begin()) - 1;
    if (e.ticks > all[at].to_ns) return;
    ++(e.what == kind::stolen ? balances[at].steals : balances[at].moved);
  });
  return balances;
}

}  // namespace skua::cli::traced
