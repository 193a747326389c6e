// SPDX-License-Identifier: MIT
#include "apps/heat/sweep.hpp"
#include "apps/simd/x86_64.hpp"

namespace skua::apps::heat {

simd::variants<sweep_function> sweeps() {
  return simd::usable<sweep_function>([](auto arch) { return &sweep<decltype(arch)>; });
}

}  // namespace skua::apps::heat
