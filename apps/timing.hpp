// SPDX-License-Identifier: MIT
// How benchmarks, probes and the command measure: they repeat what they time, in turn with what it is compared with, and
// show the spread.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace skua::apps {

using clock = std::chrono::steady_clock;

[[nodiscard]] inline double ns_between(clock::time_point from, clock::time_point to) noexcept {
  return std::chrono::duration<double, std::nano>(to - from).count();
}
[[nodiscard]] inline double seconds_since(clock::time_point start) noexcept {
  return std::chrono::duration<double>(clock::now() - start).count();
}
/// Nanoseconds that f takes.
template <class F>
[[nodiscard]] double ns_of(F&& f) {
  auto const start = clock::now();
  std::forward<F>(f)();
  return ns_between(start, clock::now());
}

/// Between the two values that are nearest to this share of the way from the least to the largest; not empty.
[[nodiscard]] inline double quantile(std::vector<double> const& sorted, double share) {
  double const at = share * static_cast<double>(sorted.size() - 1);
  auto const below = static_cast<std::size_t>(at);
  std::size_t const above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], at - std::floor(at));
}

/// Of repeated measurements. On a machine that others use, too, `min` and `median` tell the most.
struct spread {
  double min = 0;
  double low = 0;  ///< the 10th percentile
  double median = 0;
  double high = 0;  ///< the 90th percentile
  double max = 0;
  std::size_t samples = 0;
};

/// Precondition: not empty. Cost O(n log n).
[[nodiscard]] inline spread spread_of(std::vector<double> measured) {
  std::ranges::sort(measured);
  return {.min = measured.front(),
          .low = quantile(measured, 0.1),
          .median = quantile(measured, 0.5),
          .high = quantile(measured, 0.9),
          .max = measured.back(),
          .samples = measured.size()};
}

/// The middle value, or the mean of the two in the middle. At least one value.
[[nodiscard]] inline double median(std::vector<double> values) { return spread_of(std::move(values)).median; }

/// `count` numbers from take(), after a first one that does not count.
template <class Take>
[[nodiscard]] std::vector<double> repeated(std::int64_t count, Take&& take) {
  static_cast<void>(take());
  std::vector<double> all;
  for (std::int64_t i = 0; i < count; ++i) all.push_back(take());
  return all;
}

/// f(round, i) for each i below `count` in every round. The order rotates, so that none always follows the same other.
template <class F>
void in_turn(std::int64_t rounds, std::size_t count, F&& f) {
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < count; ++i) f(round, (i + static_cast<std::size_t>(round)) % count);
  }
}

/// In each round above / below.
[[nodiscard]] inline std::vector<double> ratios(std::vector<double> above, std::vector<double> const& below) {
  std::ranges::transform(above, below, above.begin(), [](double a, double b) { return a / b; });
  return above;
}

/// What every report of a measurement says of the machine. Reads a file of /proc.
struct machine_words {
  std::string cpu;  ///< the processor's model, in the kernel's words
  std::string kernel;
  double load_average;  ///< over the last minute; -1: not known. A machine that does other work gives other numbers.
};
[[nodiscard]] machine_words this_machine();

}  // namespace skua::apps
