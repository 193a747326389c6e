// SPDX-License-Identifier: MIT
// The kernels that an x86-64 processor can run. simd.cmake chooses between this and other/usable.hpp.
#pragma once

#include "apps/simd/arches.hpp"
#include "apps/simd/variant.hpp"

namespace skua::apps::simd {

inline bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
inline bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
}

/// kernel(tag) returns the address of the instantiation for that tag.
template <class Function, class Kernel>
variants<Function> usable(Kernel kernel) {
  variants<Function> found{{"portable", kernel(portable{})}};
  if (has_avx2()) found.push_back({"avx2", kernel(avx2{})});
  if (has_avx512()) found.push_back({"avx512", kernel(avx512{})});
  return found;
}

}  // namespace skua::apps::simd
