// SPDX-License-Identifier: MIT
// The x86-64 vector widths a kernel is compiled for. A kernel is a template over one of these tags, instantiated once per
// tag in a file that CMake compiles with the tag's flags (skua_simd in CMakeLists.txt); the processor is asked at run time.
//
// Files compiled with a tag's flags must not instantiate anything that another file may also instantiate (no std:: inside a
// kernel): the linker keeps one copy of each inline function, and an older processor could meet the newer one.
#pragma once

#include <tuple>

namespace skua::apps::simd {

/// What every x86-64 processor has (SSE2).
struct portable {
  static constexpr int lanes = 4;  ///< floats in a vector
  static constexpr char const* name = "portable";
  static bool usable() { return true; }
};

struct avx2 {
  static constexpr int lanes = 8;
  static constexpr char const* name = "avx2";
  static bool usable() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
};

struct avx512 {
  static constexpr int lanes = 16;
  static constexpr char const* name = "avx512";
  static bool usable() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && avx2::usable();
  }
};

/// Narrowest first.
using arches = std::tuple<portable, avx2, avx512>;

}  // namespace skua::apps::simd
