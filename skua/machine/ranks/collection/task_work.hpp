// SPDX-License-Identifier: MIT
// The works that a program gives its tasks, as the loads that balancers take. Works have any unit; loads are integers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace skua { inline namespace v0 { namespace ranks {

/// Finite and more than 0.
[[nodiscard]] inline bool is_work(double work) noexcept {
  return work > 0 && work <= std::numeric_limits<double>::max();
}

/// The largest work of all ranks is 2^32: so the sum of two billion loads fits into 64 bits, and works are distinguished to one part in
/// four billion of the largest. The smallest load is 1.
inline constexpr int load_bits = 32;

[[nodiscard]] inline std::uint64_t load_of(double work, double largest) noexcept {
  return std::max<std::uint64_t>(static_cast<std::uint64_t>(std::ldexp(work / largest, load_bits)), 1);
}

/// The work of a task that came with this load.
[[nodiscard]] inline double work_of(std::uint64_t load, double largest) noexcept {
  return std::max(std::ldexp(static_cast<double>(load), -load_bits) * largest,
                  std::numeric_limits<double>::denorm_min());
}

}}}  // namespace skua::v0::ranks
