// SPDX-License-Identifier: MIT
#include "apps/matmul/leaf_body.hpp"

namespace skua::apps::matmul {
template void leaf<simd::avx2>(block const&) noexcept;
}  // namespace skua::apps::matmul
