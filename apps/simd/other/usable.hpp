// SPDX-License-Identifier: MIT
// The kernels that a processor of another family can run: the compiler's baseline.
#pragma once

#include "apps/simd/arches.hpp"
#include "apps/simd/variant.hpp"

namespace skua::apps::simd {

/// As in x86_64/usable.hpp.
template <class Function, class Kernel>
variants<Function> usable(Kernel kernel) {
  return {{"portable", kernel(portable{})}};
}

}  // namespace skua::apps::simd
