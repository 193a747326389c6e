// SPDX-License-Identifier: MIT
#include "apps/matmul/problem.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "apps/matmul/blas.hpp"
#include "apps/matmul/leaf.hpp"
#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/dice.hpp"
#include "usable.hpp"

namespace skua::apps::matmul {
namespace {

constexpr double exact_below = 0x1p24;        ///< integers up to here are floats
constexpr std::uint32_t vector_below = 4096;  ///< n * 2^24 * 2^12 < 2^53: the sums of the vectors are exact doubles
constexpr int witnesses = 3;                  ///< a wrong row passes each with probability 1/4096 at most

/// Fills the upper left rows x columns; the rest stays zero.
void draw(padded& matrix, std::size_t rows, std::size_t columns, runtime::dice& random, int most) {
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
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

int input::most_entry() const noexcept {
  return static_cast<int>(std::min(127.0, std::sqrt(exact_below / (growth * static_cast<double>(size.k)))));
}

problem::problem(input const& given) : side_(given.side) {
  sizes const& size = given.size;
  sizes const room = given.room.value_or(size);
  runtime::expects(side_ > 0 && side_ % column_group == 0, "the side of a block is a multiple of a column group");
  a_ = padded(room.m, room.k, given.gap);
  b_ = padded(room.k, room.n, given.gap);
  c_ = padded(room.m, room.n, given.gap);
  runtime::dice random(given.seed);
  draw(a_, size.m, size.k, random, given.most_entry());
  draw(b_, size.k, size.n, random, given.most_entry());
  for (int i = 0; i < witnesses; ++i) {
    std::vector<double> x(room.n);
    for (double& entry : x) entry = random.below(vector_below);
    std::vector<double> right = times(a_, times(b_, x));
    witnesses_.push_back({std::move(x), std::move(right)});
  }
  if (room.flops() <= most_blas_flops) {
    if (auto const blas = open_blas::find()) {
      product_.emplace(room.m, room.n);
      blas->multiply(a_, b_, *product_);
    }
  }
}

product<rows_view> problem::whole() noexcept {
  return {.c = {c_.row(0), c_.rows(), c_.columns(), c_.stride(), side_},
          .a = rows_view<float const>(std::as_const(a_).row(0), a_.rows(), a_.columns(), a_.stride(), side_),
          .b = rows_view<float const>(std::as_const(b_).row(0), b_.rows(), b_.columns(), b_.stride(), side_)};
}

std::string problem::wrong() const {
  if (product_) {
    for (std::size_t i = 0; i < c_.rows(); ++i) {
      for (std::size_t j = 0; j < c_.columns(); ++j) {
        float const got = c_.row(i)[j];
        float const right = product_->row(i)[j];
        if (!(got == right)) {
          return "element (" + std::to_string(i) + ", " + std::to_string(j) + ") is " + std::to_string(got) +
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
        return "row " + std::to_string(i) + " times a random vector is " + std::to_string(got[i]) + ", right is " +
               std::to_string(w.right[i]);
      }
    }
  }
  return {};
}

z_problem::z_problem(input const& given) : rows_(given) {
  auto const converted = [&](padded const& from) {
    z_matrix<float> to(from.rows(), from.columns(), given.side);
    to_z(to.view(), from.row(0), from.stride());
    return to;
  };
  a_ = converted(rows_.a());
  b_ = converted(rows_.b());
  c_ = converted(rows_.c());
}

void z_problem::reset() noexcept {
  auto const all = c_.view();
  std::fill_n(all.data(), all.stored(), 0.0F);
}

std::string z_problem::wrong() {
  from_z(c_.view(), rows_.c().row(0), rows_.c().stride());
  return rows_.wrong();
}

simd::variants<leaf_function> leaves() {
  return simd::usable<leaf_function>([](auto arch) { return &leaf<decltype(arch)>; });
}

}  // namespace skua::apps::matmul
