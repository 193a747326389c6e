// SPDX-License-Identifier: MIT
#include "cli/measure/breakdown.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace skua::cli {
namespace {

double seconds_between(std::uint64_t from_ns, std::uint64_t to_ns) {
  return static_cast<double>(static_cast<std::int64_t>(to_ns - from_ns)) * 1e-9;
}

template <class Of>
spent_times medians(std::span<breakdown const> runs, Of&& of) {
  auto const one = [&](double spent_times::* part) {
    std::vector<double> values;
    for (breakdown const& run : runs) values.push_back(of(run).*part);
    return median(std::move(values));
  };
  return {.work_s = one(&spent_times::work_s),
          .scheduling_s = one(&spent_times::scheduling_s),
          .idle_s = one(&spent_times::idle_s)};
}

}  // namespace

spent_times breakdown::all() const noexcept {
  spent_times sum;
  for (spent_times const& w : workers) sum += w;
  return sum;
}

double breakdown::unaccounted() const noexcept {
  double const whole = elapsed_s * static_cast<double>(workers.size());
  return whole > 0 ? std::abs(all().sum_s() - whole) / whole : 0;
}

breakdown between(std::span<worker_counters const> before, std::span<worker_counters const> after, double elapsed_s) {
  breakdown all{.elapsed_s = elapsed_s, .workers = {}};
  for (std::size_t w = 0; w < after.size(); ++w) {
    all.workers.push_back({.work_s = seconds_between(before[w].work_ns, after[w].work_ns),
                           .scheduling_s = seconds_between(before[w].scheduling_ns, after[w].scheduling_ns),
                           .idle_s = seconds_between(before[w].idle_ns, after[w].idle_ns)});
  }
  return all;
}

usual_breakdown usual(std::span<breakdown const> runs) {
  usual_breakdown it{.workers = {}, .all = medians(runs, [](breakdown const& run) { return run.all(); })};
  for (std::size_t w = 0; w < runs.front().workers.size(); ++w) {
    it.workers.push_back(medians(runs, [w](breakdown const& run) { return run.workers[w]; }));
  }
  for (breakdown const& run : runs) it.unaccounted = std::max(it.unaccounted, run.unaccounted());
  return it;
}

}  // namespace skua::cli
