// SPDX-License-Identifier: MIT
// The vector widths that a kernel is compiled for. A kernel is a template over one of these tags. CMake compiles its source
// once per tag, with the tag's flags (simd.cmake); SKUA_SIMD_WIDTH is then the tag, for which the source instantiates
// the template. The program asks the processor at run time (x86_64/usable.hpp, other/usable.hpp), so no build needs -march.
// Not [[gnu::target_clones]]: it hides all versions but the one that it chooses from the tests, and GCC 12 has none on AArch64.
//
// A kernel's source must not instantiate anything that another source may also instantiate (no std:: inside a kernel):
// the linker keeps one copy of each inline function, and an older processor could meet the newer one.
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
