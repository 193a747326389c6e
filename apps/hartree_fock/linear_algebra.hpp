// SPDX-License-Identifier: MIT
// What the self-consistent field needs of linear algebra, by the LAPACK and BLAS in OpenBLAS.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "apps/hartree_fock/matrix.hpp"
#include "skua/machine/ranks/matrix/matrix_product.hpp"

namespace skua::apps::hartree_fock {

class linear_algebra {
 public:
  enum class form : char { plain, transposed };

  /// Throws usage_error if libopenblas.so.0 is missing.
  static linear_algebra find();

  /// a * b; both square and of one order. The forms say whether to transpose them first. 2 n^3 flops.
  [[nodiscard]] matrix multiply(matrix const& a, form of_a, matrix const& b, form of_b) const;

  /// c += a * b, of blocks. 2 rows columns inner flops.
  void multiply_add(block_product<double> const& blocks) const;

  struct eigen {
    std::vector<double> values;  ///< rising
    matrix vectors;              ///< in columns, orthonormal
  };
  /// Of a symmetric matrix, of which only the lower triangle is read. O(n^3). Throws resource_error if LAPACK gives up.
  [[nodiscard]] eigen solve(matrix symmetric) const;

 private:
  struct functions;
  explicit linear_algebra(std::shared_ptr<functions const> all) noexcept : call_(std::move(all)) {}

  std::shared_ptr<functions const> call_;
};

}  // namespace skua::apps::hartree_fock
