// SPDX-License-Identifier: MIT
// The matrices of a product, and the means to check the answer.
//
// The entries are integers so small that every sum of products is an integer below 2^24: each order of summation, fused
// or not, gives the same floats. So the forward error bound of the check is zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/matmul/product.hpp"
#include "apps/matmul/rows.hpp"
#include "apps/padded.hpp"
#include "skua/parts/memory/z_matrix.hpp"

namespace skua::apps::matmul {

/// C is m x n, and the sums have k terms.
struct sizes {
  std::size_t m = 0;
  std::size_t n = 0;
  std::size_t k = 0;

  [[nodiscard]] double flops() const noexcept {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
};

struct input {
  sizes size;
  std::optional<sizes> room = {};  ///< the matrices have this size, and are zero beyond `size`
  std::size_t side = 128;          ///< of a block, a multiple of column_group
  std::uint64_t seed = 1;
  double growth = 1;  ///< |entry of A| * |entry of B| * k * growth bounds every intermediate number
  row_gap gap = row_gap::against_conflicts;

  /// The largest entry for which all intermediate numbers are exact floats; 0 if there is none.
  [[nodiscard]] int most_entry() const noexcept;
};

/// The matrices row by row.
class problem {
 public:
  problem() = default;
  /// Draws A and B. Computes the right C with OpenBLAS on one thread if that library is there and the product takes at
  /// most `most_blas_flops`. Always prepares the check by random vectors. Throws resource_error if there is no memory.
  explicit problem(input const& given);

  static constexpr double most_blas_flops = 0x1p36;

  /// The whole product, C += A * B.
  [[nodiscard]] product<rows_view> whole() noexcept;
  /// Forgets the answer: C = 0.
  void reset() noexcept { c_.fill(0.0F); }
  /// Empty if C is the product, else one line. A wrong C passes with probability below
  /// 2^-36, or never if OpenBLAS was there.
  [[nodiscard]] std::string wrong() const;
  /// The check by random vectors alone.
  [[nodiscard]] std::string wrong_by_vectors() const;
  [[nodiscard]] bool knows_product() const noexcept { return product_.has_value(); }

  /// A, B and C, as they lie in memory.
  [[nodiscard]] std::vector<std::span<std::byte const>> memory() noexcept {
    return {a_.memory().bytes(), b_.memory().bytes(), c_.memory().bytes()};
  }
  [[nodiscard]] padded const& a() const noexcept { return a_; }
  [[nodiscard]] padded const& b() const noexcept { return b_; }
  [[nodiscard]] padded& c() noexcept { return c_; }

 private:
  /// A * (B * x) for a random x costs O(n^2), and C * x must be the same. (Freivalds 1977)
  struct witness {
    std::vector<double> x;
    std::vector<double> right;
  };

  std::size_t side_ = 1;
  padded a_;
  padded b_;
  padded c_;
  std::optional<padded> product_;
  std::vector<witness> witnesses_;
};

/// The same matrices in blocks on a Z curve. The conversion is not part of a run, as in the paper.
class z_problem {
 public:
  z_problem() = default;
  explicit z_problem(input const& given);

  [[nodiscard]] product<z_view> whole() noexcept { return {c_.view(), a_.view(), b_.view()}; }
  void reset() noexcept;
  [[nodiscard]] std::vector<std::span<std::byte const>> memory() noexcept {
    auto const of = [](z_view<float> const& v) { return std::as_bytes(std::span(v.data(), v.stored())); };
    return {of(a_.view()), of(b_.view()), of(c_.view())};
  }
  [[nodiscard]] std::string wrong();
  [[nodiscard]] bool knows_product() const noexcept { return rows_.knows_product(); }

 private:
  problem rows_;
  z_matrix<float> a_;
  z_matrix<float> b_;
  z_matrix<float> c_;
};

}  // namespace skua::apps::matmul
