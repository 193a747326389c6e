// SPDX-License-Identifier: MIT
#include "cli/top/rates.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace skua::cli::top {
namespace {

using runtime::activity;
using runtime::worker_snapshot;

/// A caller from outside has been in the worker's place all the time.
bool one_call_lasts(worker_snapshot const& before, worker_snapshot const& after) noexcept {
  return after.calls % 2 == 1 && before.calls == after.calls;
}

/// Counters only grow; but each is read at a moment of its own, and a count that moves from one to another may be seen in
/// neither.
double grown(std::uint64_t before, std::uint64_t after) noexcept {
  return after > before ? static_cast<double>(after - before) : 0;
}

std::uint64_t steals_of(worker_counters const& c) noexcept {
  return std::accumulate(c.steals.begin(), c.steals.end(), std::uint64_t{0});
}

state state_of(worker_snapshot const& w) noexcept {
  switch (w.now) {
    case activity::working: return state::working;
    case activity::scheduling: return state::searching;
    case activity::idling: break;
  }
  // Calls are timed only while somebody has attached: this one began before.
  return w.calls % 2 == 1 ? state::working : state::asleep;
}

worker_rates rates_of(worker_snapshot const& before, worker_snapshot const& after, double seconds) {
  worker_counters const& a = before.counters;
  worker_counters const& b = after.counters;
  worker_rates r{.now = state_of(after), .lanes = after.lanes};
  std::array<double, 3> times{grown(a.work_ns, b.work_ns), grown(a.scheduling_ns, b.scheduling_ns),
                              grown(a.idle_ns, b.idle_ns)};
  // Calls are timed from the first snapshot on. Until it first waits or steals, one that began before counts as idle.
  if (one_call_lasts(before, after) && after.now == activity::idling) std::swap(times[0], times[2]);
  if (double const all = times[0] + times[1] + times[2]; all > 0) {
    r.working = times[0] / all;
    r.scheduling = times[1] / all;
    r.idle = times[2] / all;
  }
  auto const per_second = [seconds](double n) { return seconds > 0 ? n / seconds : 0; };
  double const steals = grown(steals_of(a), steals_of(b));
  r.tasks = per_second(grown(a.tasks, b.tasks));
  if (b.forks) r.forks = per_second(grown(a.forks.value_or(0), *b.forks));
  r.steals = per_second(steals);
  r.failed_steals = per_second(std::max(0.0, grown(a.attempts, b.attempts) - steals));
  return r;
}

}  // namespace

std::string_view name_of(state s) noexcept {
  switch (s) {
    case state::working: return "working";
    case state::searching: return "searching";
    case state::asleep: break;
  }
  return "asleep";
}

std::vector<worker_rates> rates_between(runtime::pool_snapshot const& before, runtime::pool_snapshot const& after) {
  double const seconds = grown(before.at_ns, after.at_ns) / 1e9;
  std::vector<worker_rates> all;
  for (std::size_t w = 0; w < std::min(before.workers.size(), after.workers.size()); ++w)
    all.push_back(rates_of(before.workers[w], after.workers[w], seconds));
  return all;
}

runtime::pool_snapshot since_opened(runtime::pool_snapshot const& pool) {
  runtime::pool_snapshot first{
      .at_ns = pool.opened_ns, .opened_ns = pool.opened_ns, .has_lanes = false, .regions = {}, .workers = {}};
  first.workers.resize(pool.workers.size());
  return first;
}

worker_rates sum_of(std::vector<worker_rates> const& workers) {
  worker_rates sum;
  if (workers.empty()) return sum;
  sum.idle = 0;
  auto const n = static_cast<double>(workers.size());
  for (worker_rates const& w : workers) {
    sum.now = std::min(sum.now, w.now);
    sum.working += w.working / n;
    sum.scheduling += w.scheduling / n;
    sum.idle += w.idle / n;
    sum.tasks += w.tasks;
    if (w.forks) sum.forks = sum.forks.value_or(0) + *w.forks;
    sum.steals += w.steals;
    sum.failed_steals += w.failed_steals;
    sum.lanes += w.lanes;
  }
  return sum;
}

}  // namespace skua::cli::top
