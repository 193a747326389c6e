// SPDX-License-Identifier: MIT
#include "apps/heat/sweep_body.hpp"

namespace skua::apps::heat {
template void sweep<simd::portable>(rectangle const&) noexcept;
}  // namespace skua::apps::heat
