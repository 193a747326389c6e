// SPDX-License-Identifier: MIT
#include "apps/simd/x86_64.hpp"
#include "apps/strassen/sums.hpp"

namespace skua::apps::strassen {

simd::variants<sum_function> sums() {
  return simd::usable<sum_function>([](auto arch) { return &sum<decltype(arch)>; });
}

}  // namespace skua::apps::strassen
