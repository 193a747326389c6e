// SPDX-License-Identifier: MIT
#include "apps/hartree_fock/integrals.hpp"
#include "apps/simd/x86_64.hpp"

namespace skua::apps::hartree_fock {

simd::variants<integrals_function> all_integrals() {
  return simd::usable<integrals_function>([](auto arch) { return &integrals<decltype(arch)>; });
}

}  // namespace skua::apps::hartree_fock
