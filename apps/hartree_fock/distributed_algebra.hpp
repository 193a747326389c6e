// SPDX-License-Identifier: MIT
// Linear algebra of the self-consistent field with symmetric matrices of which each rank has some rows, and no rank more than a share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/hartree_fock/linear_algebra.hpp"
#include "skua/distributed_matrix.hpp"
#include "skua/ranks.hpp"

namespace skua::apps::hartree_fock {

using shared_matrix = distributed_matrix<double>;

/// The rows of a square matrix, distributed by rows, that this rank has.
struct own_rows {
  std::size_t first = 0;
  std::size_t count = 0;
  std::size_t n = 0;  ///< columns
  double* data = nullptr;

  explicit own_rows(shared_matrix& of);
  [[nodiscard]] std::span<double> row(std::size_t i) const noexcept { return {data + i * n, n}; }  ///< from 0
  [[nodiscard]] std::span<double> all() const noexcept { return {data, count * n}; }
  /// The diagonal element of an own row.
  [[nodiscard]] double& diagonal(std::size_t i) const noexcept { return data[i * n + first + i]; }
};

/// All matrices are square, of one order n, and distributed by rows. Functions that name no rank are collective; each rank gets the same numbers, to the last bit.
class distributed_algebra {
 public:
  /// Throws usage_error if OpenBLAS is missing.
  explicit distributed_algebra(communicator& world) : world_(world), blocks_(linear_algebra::find()) {}

  [[nodiscard]] communicator& world() const noexcept { return world_; }
  [[nodiscard]] linear_algebra const& blocks() const noexcept { return blocks_; }

  /// into = a * b. 2 n^3 / ranks flops. Takes memory for another own part if `into` is a factor.
  void multiply(shared_matrix& into, shared_matrix& a, shared_matrix& b) const { multiply(into, a, b, false); }
  /// The same for factors whose product is symmetric: half the flops.
  void multiply_symmetric(shared_matrix& into, shared_matrix& a, shared_matrix& b) const { multiply(into, a, b, true); }
  /// m v on every rank. 2 n^2 / ranks flops.
  [[nodiscard]] std::vector<double> times(shared_matrix& m, std::span<double const> v) const;
  [[nodiscard]] double trace(shared_matrix& m) const;
  /// The largest |a_ij - a_ji|. `work` is overwritten.
  [[nodiscard]] double asymmetry(shared_matrix& a, shared_matrix& work) const;

  /// s^(-1/2) of a matrix with positive eigenvalues, by Newton and Schulz's coupled iteration (Higham 2008, section 6.7); `s` and both others are overwritten. About
  /// 3 log2(condition) products. Throws resource_error on every rank if that does not converge.
  void to_inverse_square_root(shared_matrix& s, shared_matrix& into, shared_matrix& work) const;

 private:
  void multiply(shared_matrix& into, shared_matrix& a, shared_matrix& b, bool is_symmetric) const;

  communicator& world_;
  linear_algebra blocks_;
};

}  // namespace skua::apps::hartree_fock
