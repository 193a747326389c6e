// SPDX-License-Identifier: MIT
// The vector widths that a kernel is compiled for. A kernel is a template over one of these tags, instantiated in one
// file per tag, KERNEL_<tag>.cpp, which CMake compiles with the tag's flags (simd.cmake). The program asks the
// processor at run time (x86_64.hpp, other.hpp), so no build needs -march.
//
// Files compiled with a tag's flags must not instantiate anything that another file may also instantiate (no std::
// inside a kernel): the linker keeps one copy of each inline function, and an older processor could meet the newer one.
#pragma once

namespace skua::apps::simd {

/// The baseline of every processor of the family: SSE2 on x86-64, NEON on AArch64.
struct portable {
  static constexpr int lanes = 4;  ///< floats in a vector
};
struct avx2 {
  static constexpr int lanes = 8;
};
struct avx512 {
  static constexpr int lanes = 16;
};

}  // namespace skua::apps::simd
