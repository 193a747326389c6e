// SPDX-License-Identifier: MIT
// What a processor of another family can run: the compiler's baseline. Included by KERNEL_other.cpp.
#pragma once

#include "apps/simd/arches.hpp"
#include "apps/simd/variant.hpp"

namespace skua::apps::simd {

/// As in x86_64.hpp.
template <class Function, class Kernel>
variants<Function> usable(Kernel kernel) {
  return {{"portable", kernel(portable{})}};
}

}  // namespace skua::apps::simd
