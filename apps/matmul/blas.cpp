// SPDX-License-Identifier: MIT
#include "apps/matmul/blas.hpp"

namespace skua::apps::matmul {

std::optional<open_blas> open_blas::find() {
  open_blas const found;
  return found.call_ == nullptr ? std::nullopt : std::optional(found);
}

void open_blas::multiply(padded const& a, padded const& b, padded& c) const {
  auto const size = [](std::size_t n) { return static_cast<int>(n); };
  call_(cblas::row_major, cblas::plain, cblas::plain, size(c.rows()), size(c.columns()), size(a.columns()), 1.0F,
        a.row(0), size(a.stride()), b.row(0), size(b.stride()), 0.0F, c.row(0), size(c.stride()));
}

}  // namespace skua::apps::matmul
