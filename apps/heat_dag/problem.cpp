// SPDX-License-Identifier: MIT
#include "apps/heat_dag/problem.hpp"

#include <algorithm>
#include <utility>

namespace skua::apps::heat_dag {

problem::problem(shape const& s)
    : shape_(s), sweep_(heat::sweeps().back().function), initial_(heat::landscape(s.n, s.n, s.seed)), right_(s.n, s.n),
      now_(s.n, s.n), next_(s.n, s.n) {
  heat::field other(s.n, s.n);
  heat::copy(initial_, right_);
  heat::copy(initial_, other);
  for (std::size_t i = 0; i < s.iterations; ++i) {
    heat::plain_step(right_, other);
    std::swap(right_, other);
  }
  reset();
}

std::size_t problem::rows_of(std::size_t i) const noexcept {
  return std::min(shape_.block, shape_.n - i * shape_.block);
}

void problem::compute(std::size_t i, std::size_t j, std::size_t begin, std::size_t end) noexcept {
  std::size_t const stride = now_.stride();
  sweep_({.from = now(i, j) + begin * stride,
          .to = next(i, j) + begin * stride,
          .stride = stride,
          .rows = end - begin,
          .columns = rows_of(j)});
}

void problem::copy(std::size_t i, std::size_t j, std::size_t begin, std::size_t end) noexcept {
  for (std::size_t row = begin; row < end; ++row)
    std::copy_n(next(i, j) + row * next_.stride(), rows_of(j), now(i, j) + row * now_.stride());
}

void problem::reset() {
  heat::copy(initial_, now_);
  // Poison, so that a copy before its computation shows.
  for (std::size_t i = 0; i < shape_.n; ++i) std::fill_n(next_.row(static_cast<std::ptrdiff_t>(i)), shape_.n, 0.0F);
}

std::string problem::wrong() const {
  std::string const found = heat::difference(now_, right_);
  return found.empty() ? found : "heat-dag: " + found;
}

void run_alone(problem& p) {
  for (std::size_t t = 0; t < p.iterations(); ++t) {
    for (std::size_t i = 0; i < p.blocks(); ++i) {
      for (std::size_t j = 0; j < p.blocks(); ++j) p.compute(i, j, 0, p.rows_of(i));
    }
    for (std::size_t i = 0; i < p.blocks(); ++i) {
      for (std::size_t j = 0; j < p.blocks(); ++j) p.copy(i, j, 0, p.rows_of(i));
    }
  }
}

}  // namespace skua::apps::heat_dag
