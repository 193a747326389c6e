// SPDX-License-Identifier: MIT
// The operations of a tiled Cholesky factorisation, by OpenBLAS.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace skua::apps::cholesky {

/// A tile, column by column; `ld` is the distance between columns.
class lapack {
 public:
  /// Throws usage_error if the library is missing.
  static lapack find();

  /// The lower triangle of a (n x n) becomes L. Returns 0, or what LAPACK says of a matrix that is not positive definite.
  [[nodiscard]] int factor(std::size_t n, double* a, std::size_t ld) const;
  /// b (m x n) becomes b * L^-T.
  void solve(std::size_t m, std::size_t n, double const* l, double* b, std::size_t ld) const;
  /// The lower triangle of c (n x n) -= a * a^T, a is n x k.
  void square(std::size_t n, std::size_t k, double const* a, double* c, std::size_t ld) const;
  /// c (m x n) -= a * b^T, with sums of k terms.
  void multiply(std::size_t m, std::size_t n, std::size_t k, double const* a, double const* b, double* c,
                std::size_t ld) const;

 private:
  struct functions;
  explicit lapack(std::shared_ptr<functions const> all) noexcept : call_(std::move(all)) {}

  std::shared_ptr<functions const> call_;
};

}  // namespace skua::apps::cholesky
