// SPDX-License-Identifier: MIT
#include "apps/matmul/problem.hpp"

#include <cmath>

#include "apps/matmul/blas.hpp"
#include "skua/parts/base/dice.hpp"

namespace skua::apps::matmul {
namespace {

constexpr double exact_below = 0x1p24;   ///< integers up to here are floats
constexpr std::uint32_t vector_below = 4096;  ///< n * 2^24 * 2^12 < 2^53: the sums of the vectors are exact doubles
constexpr int witnesses = 3;             ///< a wrong row passes each with probability 1/4096 at most

/// Half of a side, in whole column groups; the whole side if it is not to be cut.
std::size_t cut(std::size_t side, std::size_t most) noexcept {
  if (side <= most) return side;
  return ((side + 1) / 2 + column_group - 1) / column_group * column_group;
}

void draw(padded& matrix, dice& random, int most) {
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (std::size_t j = 0; j < matrix.columns(); ++j) {
      int const entry = static_cast<int>(random.below(static_cast<std::uint32_t>(2 * most + 1))) - most;
      matrix.row(i)[j] = static_cast<float>(entry);
    }
  }
}

std::vector<double> times(padded const& matrix, std::vector<double> const& x) {
  std::vector<double> y(matrix.rows());
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (std::size_t j = 0; j < matrix.columns(); ++j) y[i] += static_cast<double>(matrix.row(i)[j]) * x[j];
  }
  return y;
}

}  // namespace

std::array<block, 2> halves(block const& p, cutoff const& end) noexcept {
  std::size_t const k = cut(p.k, end.side);
  block first = p;
  first.k = k;
  block second = p;
  second.k = p.k - k;
  second.a += k;
  second.b += k * p.b_stride;
  return {first, second};
}

std::array<block, 4> quarters(block const& p, cutoff const& end) noexcept {
  std::size_t const m = cut(p.m, end.side);
  std::size_t const n = cut(p.n, end.side);
  std::array<block, 4> all;
  for (std::size_t i = 0; i < 4; ++i) {
    block& q = all[i];
    q = p;
    bool const lower = i >= 2;
    bool const right = i % 2 == 1;
    q.m = lower ? p.m - m : m;
    q.n = right ? p.n - n : n;
    if (q.empty()) continue;
    q.c += (lower ? m * p.c_stride : 0) + (right ? n : 0);
    q.a += lower ? m * p.a_stride : 0;
    q.b += right ? n : 0;
  }
  return all;
}

problem::problem(sizes const& size, std::uint64_t seed)
    : a_(size.m, size.k), b_(size.k, size.n), c_(size.m, size.n) {
  dice random(seed);
  int const most = static_cast<int>(std::min(127.0, std::sqrt(exact_below / static_cast<double>(size.k))));
  draw(a_, random, most);
  draw(b_, random, most);
  for (int i = 0; i < witnesses; ++i) {
    std::vector<double> x(size.n);
    for (double& entry : x) entry = random.below(vector_below);
    std::vector<double> right = times(a_, times(b_, x));
    witnesses_.push_back({std::move(x), std::move(right)});
  }
  if (whole().flops() <= most_blas_flops) {
    if (auto const blas = open_blas::find()) {
      product_.emplace(size.m, size.n);
      blas->multiply(a_, b_, *product_);
    }
  }
}

block problem::whole() noexcept {
  return {.c = c_.row(0), .a = a_.row(0), .b = b_.row(0),
          .c_stride = c_.stride(), .a_stride = a_.stride(), .b_stride = b_.stride(),
          .m = c_.rows(), .n = c_.columns(), .k = a_.columns()};
}

std::string problem::wrong() const {
  if (product_) {
    for (std::size_t i = 0; i < c_.rows(); ++i) {
      for (std::size_t j = 0; j < c_.columns(); ++j) {
        float const got = c_.row(i)[j];
        float const right = product_->row(i)[j];
        if (!(got == right)) {
          return "matmul: element (" + std::to_string(i) + ", " + std::to_string(j) + ") is " + std::to_string(got) +
                 ", right is " + std::to_string(right);
        }
      }
    }
  }
  return wrong_by_vectors();
}

std::string problem::wrong_by_vectors() const {
  for (witness const& w : witnesses_) {
    std::vector<double> const got = times(c_, w.x);
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (!(got[i] == w.right[i])) {
        return "matmul: row " + std::to_string(i) + " times a random vector is " + std::to_string(got[i]) + ", right is " +
               std::to_string(w.right[i]);
      }
    }
  }
  return {};
}

}  // namespace skua::apps::matmul
