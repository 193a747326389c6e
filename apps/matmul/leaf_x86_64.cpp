// SPDX-License-Identifier: MIT
#include "apps/matmul/leaf.hpp"
#include "apps/simd/x86_64.hpp"

namespace skua::apps::matmul {

simd::variants<leaf_function> leaves() {
  return simd::usable<leaf_function>([](auto arch) { return &leaf<decltype(arch)>; });
}

}  // namespace skua::apps::matmul
