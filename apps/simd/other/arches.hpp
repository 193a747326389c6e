// SPDX-License-Identifier: MIT
// The vector widths of a processor other than x86-64: one, which the compiler's baseline provides (NEON on AArch64).
// See ../x86/arches.hpp.
#pragma once

#include <tuple>

namespace skua::apps::simd {

struct portable {
  static constexpr int lanes = 4;  ///< floats in a vector
  static constexpr char const* name = "portable";
  static bool usable() { return true; }
};

using arches = std::tuple<portable>;

}  // namespace skua::apps::simd
