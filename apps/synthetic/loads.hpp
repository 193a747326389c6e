// SPDX-License-Identifier: MIT
// Durations of made-up tasks.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace skua::apps::synthetic {

enum class shape : std::uint8_t {
  equal,
  uniform,    ///< from 0 to twice the mean
  lognormal,  ///< standard deviation 1.94 times the mean, as the tasks of table3 have it
  /// The tasks of the paper's Table 3: a Fock build of Be256 in tiles of 40, by integrals. A task costs its integrals and
  /// a floor for everything else.
  table3,
};
inline constexpr std::array<std::string_view, 4> shape_names{"equal", "uniform", "lognormal", "table3"};

struct distribution {
  shape of = shape::uniform;
  double mean_ns = 1e6;
  /// Of table3: the cost of each task beside its integrals, as a fraction of the mean cost of integrals. Three models
  /// are useful: 0; 0.25, which has the imbalance that the paper reports; 0.9, which has its limit at 38,400 cores
  /// (5.8% over the average).
  double floor = 0;
};

/// Tasks of a Fock build of Be256 in tiles of 40.
inline constexpr std::uint32_t tasks_of_table3 = 213'144;

/// The durations of n tasks in ns; the same for the same seed on every machine whose library rounds logarithms alike.
/// Equal durations and those of table3 do not depend on the seed, except for their order: table3 takes n evenly spaced
/// quantiles, with n = tasks_of_table3 each task once. Throws usage_error if the mean or the floor is negative, infinite
/// or NaN. Work O(n), and 20 ms for table3.
std::vector<std::uint64_t> loads(distribution const& from, std::uint32_t n, std::uint64_t seed);

}  // namespace skua::apps::synthetic
