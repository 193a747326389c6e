// SPDX-License-Identifier: MIT
// The ways to run an app. Some of its options count in a few of them only: no peer reads a hint, and nothing but the OpenMP
// twin has a schedule. An app says so (option_table::has_no_effect), and the commands refuse such an option instead of
// ignoring it; tests/cli/app_options_test.py checks that.
#pragma once

#include <cstdint>

namespace skua::apps {

/// A set of ways.
enum class ways : std::uint16_t {
  none = 0,
  pool = 1 << 0,
  simulation = 1 << 1,  ///< of workers: in virtual time, or step by step
  ranks = 1 << 2,
  simulated_ranks = 1 << 3,
  serial = 1 << 4,
  openmp = 1 << 5,          ///< a twin without loop styles, or with the style tasks
  openmp_static = 1 << 6,   ///< a twin with this style (loop_styles.hpp)
  openmp_dynamic = 1 << 7,  ///< the same
  tbb = 1 << 8,
  openmp_twin = openmp | openmp_static | openmp_dynamic,
  twins = openmp_twin | tbb,
  peers = serial | twins,
  all = (1 << 9) - 1,
};

constexpr ways operator|(ways a, ways b) noexcept {
  return static_cast<ways>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr ways operator&(ways a, ways b) noexcept {
  return static_cast<ways>(static_cast<unsigned>(a) & static_cast<unsigned>(b));
}
/// All others.
constexpr ways operator~(ways a) noexcept {
  return static_cast<ways>(static_cast<unsigned>(ways::all) & ~static_cast<unsigned>(a));
}

}  // namespace skua::apps
