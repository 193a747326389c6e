// SPDX-License-Identifier: MIT
#include "apps/hartree_fock/integrals_body.hpp"

namespace skua::apps::hartree_fock {
template void integrals<simd::portable>(charge const&, charges const&, std::size_t, double const*, double*) noexcept;
}  // namespace skua::apps::hartree_fock
