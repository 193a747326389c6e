// SPDX-License-Identifier: MIT
// The operations of a tiled QR factorisation, by the LAPACK in OpenBLAS.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace skua::apps::qr {

/// Matrices lie column by column; `ld` is the distance between columns of all of them. A factor T of an orthogonal matrix has
/// `inner` rows at most, which are its distance, too.
class lapack {
 public:
  static constexpr std::size_t inner = 32;

  /// Throws usage_error if the library is missing.
  static lapack find();

  /// a (n x n) becomes R, and below it V; Q = I - V T V^T.
  void factor(std::size_t n, double* a, double* t, std::size_t ld) const;
  /// c (n x m) becomes Q^T c, with the V and T of a `factor`.
  void apply(std::size_t n, std::size_t m, double const* v, double const* t, double* c, std::size_t ld) const;
  /// The upper triangle r (n x n) above b (m x n) becomes R, and b becomes V.
  void factor_below(std::size_t m, std::size_t n, double* r, double* b, double* t, std::size_t ld) const;
  /// top (n x k) above bottom (m x k) becomes Q^T of it, with the V (m x n) and T of a `factor_below`.
  void apply_below(std::size_t m, std::size_t n, std::size_t k, double const* v, double const* t, double* top,
                   double* bottom, std::size_t ld) const;

 private:
  struct functions;
  explicit lapack(std::shared_ptr<functions const> all) noexcept : call_(std::move(all)) {}

  std::shared_ptr<functions const> call_;
};

}  // namespace skua::apps::qr
