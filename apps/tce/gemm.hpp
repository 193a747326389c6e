// SPDX-License-Identifier: MIT
// The product of two tiles: by OpenBLAS on one thread where it is installed and the tiles are large enough to be worth the
// call, otherwise by three loops.
#pragma once

#include <cstddef>

#include "apps/openblas.hpp"

namespace skua::apps::tce {

class gemm {
 public:
  /// c (m x n) += a (m x k) * b (k x n), all dense and row by row. 2 m n k flops.
  void multiply_add(std::size_t m, std::size_t n, std::size_t k, double const* a, double const* b,
                    double* c) const noexcept;

 private:
  static constexpr std::size_t worth_a_call = 64 * 64 * 64;

  openblas library_;
  cblas::gemm<double>* call_ = library_.find<cblas::gemm<double>>("cblas_dgemm");  ///< null: OpenBLAS is not installed
};

/// The three loops alone.
void multiply_add_in_loops(std::size_t m, std::size_t n, std::size_t k, double const* a, double const* b,
                           double* c) noexcept;

}  // namespace skua::apps::tce
