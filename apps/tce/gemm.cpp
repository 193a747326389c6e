// SPDX-License-Identifier: MIT
#include "apps/tce/gemm.hpp"

namespace skua::apps::tce {

void gemm::multiply_add(std::size_t m, std::size_t n, std::size_t k, double const* a, double const* b,
                        double* c) const noexcept {
  if (call_ == nullptr || m * n * k < worth_a_call) return multiply_add_in_loops(m, n, k, a, b, c);
  auto const size = [](std::size_t count) { return static_cast<int>(count); };
  call_(cblas::row_major, cblas::plain, cblas::plain, size(m), size(n), size(k), 1, a, size(k), b, size(n), 1, c,
        size(n));
}

void multiply_add_in_loops(std::size_t m, std::size_t n, std::size_t k, double const* __restrict a,
                           double const* __restrict b, double* __restrict c) noexcept {
  for (std::size_t row = 0; row < m; ++row) {
    for (std::size_t middle = 0; middle < k; ++middle) {
      double const factor = a[row * k + middle];
      for (std::size_t column = 0; column < n; ++column) c[row * n + column] += factor * b[middle * n + column];
    }
  }
}

}  // namespace skua::apps::tce
