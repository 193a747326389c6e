// SPDX-License-Identifier: MIT
// C = A * B by divide and conquer: every matrix in four quarters, two groups of four products. [adws-sc19 4.1.2, 5.2]
//
// The entries are integers, so small that every sum of products is an integer below 2^24: each order of summation, fused
// or not, gives the same floats. The forward error bound of the check is therefore zero.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/matmul/leaf.hpp"
#include "apps/padded.hpp"
#include "apps/tbb_workers.hpp"
#include "skua/program/fork_join.hpp"

namespace skua::apps::matmul {

/// C is m x n, the sums have k terms.
struct sizes {
  std::size_t m = 0;
  std::size_t n = 0;
  std::size_t k = 0;
};

/// Where the recursion ends: blocks with no side longer than `side`, computed by `leaf`.
struct cutoff {
  std::size_t side = 128;
  leaf_function* leaf = nullptr;

  [[nodiscard]] bool reached(block const& p) const noexcept { return p.m <= side && p.n <= side && p.k <= side; }
};

/// The shortest side that is still divided is one longer than this: cuts are multiples of a column group.
inline constexpr std::size_t least_side = column_group;

/// The sums cut in two. Both halves add to the same C, so they follow each other; the second may be empty.
std::array<block, 2> halves(block const& p, cutoff const& end) noexcept;

/// C cut in four, across the sides that are longer than the cut-off; what does not exist is empty.
std::array<block, 4> quarters(block const& p, cutoff const& end) noexcept;

/// C += A * B. Work O(m n k), span O(k / side * side^3).
template <fork_join Here>
void program(Here& here, block const& p, cutoff const& end) {
  if (p.empty()) return;
  if (end.reached(p)) {
    here.leaf(reads{p.a, p.m * p.a_stride * sizeof(float)}, reads{p.b, p.k * p.b_stride * sizeof(float)},
              writes{p.c, p.m * p.c_stride * sizeof(float)}, flops{p.flops()}, [&] { end.leaf(p); });
    return;
  }
  for (block const& half : halves(p, end)) {
    if (half.empty()) continue;
    std::array<block, 4> const q = quarters(half, end);
    here.join(work{q[0].flops()}, [&](Here& h) { program(h, q[0], end); },
              work{q[1].flops()}, [&](Here& h) { program(h, q[1], end); },
              work{q[2].flops()}, [&](Here& h) { program(h, q[2], end); },
              work{q[3].flops()}, [&](Here& h) { program(h, q[3], end); });
  }
}

void with_openmp(unsigned workers, block const& p, cutoff const& end);
void with_tbb(tbb_workers& workers, unsigned count, block const& p, cutoff const& end);

/// The matrices, and what is known of the right answer.
class problem {
 public:
  problem() = default;
  /// Draws A and B, and computes the right C with OpenBLAS on one thread if that library is there and the product takes at
  /// most `most_blas_flops`. The check by random vectors is always prepared. Throws resource_error without memory.
  problem(sizes const& size, std::uint64_t seed);

  static constexpr double most_blas_flops = 0x1p36;

  /// The whole product.
  [[nodiscard]] block whole() noexcept;
  /// Forget the answer: C = 0.
  void reset() noexcept { c_.fill(0.0F); }
  /// Is C the product? Empty, or one line. A wrong C passes with probability below 2^-36, or never if OpenBLAS was there.
  [[nodiscard]] std::string wrong() const;
  /// The check by random vectors alone.
  [[nodiscard]] std::string wrong_by_vectors() const;
  [[nodiscard]] bool knows_product() const noexcept { return product_.has_value(); }

  [[nodiscard]] padded const& a() const noexcept { return a_; }
  [[nodiscard]] padded const& b() const noexcept { return b_; }
  [[nodiscard]] padded& c() noexcept { return c_; }

 private:
  /// A * (B * x) for a random x: costs O(n^2), and C * x must be the same. (Freivalds 1977)
  struct witness {
    std::vector<double> x;
    std::vector<double> right;
  };

  padded a_;
  padded b_;
  padded c_;
  std::optional<padded> product_;
  std::vector<witness> witnesses_;
};

}  // namespace skua::apps::matmul
