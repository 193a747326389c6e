// SPDX-License-Identifier: MIT
#include "apps/synthetic/problem.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>

#include "skua/parts/base/clock.hpp"

namespace skua::apps::synthetic {

void pass(std::uint64_t ns, pastime how) noexcept {
  if (how == pastime::sleep) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(ns));
    return;
  }
  std::uint64_t const begin = runtime::clock_ns();
  while (runtime::clock_ns() - begin < ns) {}
}

std::uint64_t problem::sum_ns() const noexcept {
  return std::accumulate(durations_.begin(), durations_.end(), std::uint64_t{0});
}

std::uint64_t problem::longest_ns() const noexcept { return durations_.empty() ? 0 : std::ranges::max(durations_); }

std::string problem::wrong() const {
  for (std::size_t k = 0; k < runs_.size(); ++k) {
    std::uint32_t const count = runs_[k].load(std::memory_order_relaxed);
    if (count != 1) return "synthetic-loads: task " + std::to_string(k) + " ran " + std::to_string(count) + " times";
  }
  return {};
}

}  // namespace skua::apps::synthetic
