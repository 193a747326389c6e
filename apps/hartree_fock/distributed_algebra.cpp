// SPDX-License-Identifier: MIT
#include "apps/hartree_fock/distributed_algebra.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "skua/parts/base/error.hpp"

namespace skua::apps::hartree_fock {

own_rows::own_rows(shared_matrix& of) : n(of.columns()) {
  for (matrix_view<double> const& v : of.local_parts()) {  // one, or none
    first = v.where.row;
    count = v.where.rows;
    data = v.data;
  }
}

void distributed_algebra::multiply(shared_matrix& into, shared_matrix& a, shared_matrix& b, bool is_symmetric) const {
  into.multiply(
      1, a, b, 0,
      {.kernel = [this](block_product<double> const& p) { blocks_.multiply_add(p); }, .is_symmetric = is_symmetric});
}

std::vector<double> distributed_algebra::times(shared_matrix& m, std::span<double const> v) const {
  own_rows const rows(m);
  std::vector<double> all(rows.n);
  for (std::size_t i = 0; i < rows.count; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < rows.n; ++j) sum += rows.row(i)[j] * v[j];
    all[rows.first + i] = sum;
  }
  world_.sum(std::span(all));
  return all;
}

double distributed_algebra::trace(shared_matrix& m) const {
  own_rows const rows(m);
  double sum = 0;
  for (std::size_t i = 0; i < rows.count; ++i) sum += rows.diagonal(i);
  return world_.sum(sum);
}

double distributed_algebra::asymmetry(shared_matrix& a, shared_matrix& work) const {
  work.transpose(a);
  own_rows const one(a);
  own_rows const other(work);
  double most = 0;
  for (std::size_t e = 0; e < one.all().size(); ++e) most = std::max(most, std::abs(one.all()[e] - other.all()[e]));
  return world_.max(most);
}

void distributed_algebra::to_inverse_square_root(shared_matrix& s, shared_matrix& into, shared_matrix& work) const {
  constexpr int most_steps = 100;
  constexpr double nearly_done = 1e-8;  // the error is squared in each step
  double bound = 0;                     // on the eigenvalues
  own_rows const of_s(s);
  for (std::size_t i = 0; i < of_s.count; ++i) {
    double sum = 0;
    for (double const x : of_s.row(i)) sum += std::abs(x);
    bound = std::max(bound, sum);
  }
  bound = world_.max(bound);
  s.scale(1 / bound);
  into.fill(0);
  own_rows const unit(into);
  for (std::size_t i = 0; i < unit.count; ++i) unit.diagonal(i) = 1 / std::sqrt(bound);
  // With s / bound for s they tend to its powers 1/2 and -1/2, and all eigenvalues of their product to 1 from below.
  for (int step = 0; step < most_steps; ++step) {
    multiply(work, into, s);
    double const scale = std::sqrt(bound);
    double const error = static_cast<double>(of_s.n) - scale * trace(work);
    own_rows const t(work);
    for (double& x : t.all()) x *= -scale / 2;
    for (std::size_t i = 0; i < t.count; ++i) t.diagonal(i) += 1.5;
    // Rounding errors would grow with into * work, and if half of these nearly symmetric products were copied.
    multiply(s, s, work);
    multiply(into, work, into);
    if (error < nearly_done) return into.symmetrise();
  }
  throw resource_error("hartree-fock: the overlaps have no inverse square root after " + std::to_string(most_steps) +
                       " steps");
}

}  // namespace skua::apps::hartree_fock
