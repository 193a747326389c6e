// SPDX-License-Identifier: MIT
#include "apps/strassen/sums_body.hpp"

namespace skua::apps::strassen {
template void sum<simd::portable>(pass, std::size_t, float const* const*, float* const*) noexcept;
}  // namespace skua::apps::strassen
