// SPDX-License-Identifier: MIT
#include "apps/cg/problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

namespace skua::apps::cg {

problem::problem(nas_class const& of, std::size_t rows_per_block) : of_(of), rows_per_block_(rows_per_block) {
  on_.a = make_matrix(of);
  make_vectors(of.rows);
  reset();
}

problem::problem(matrix a, std::vector<double> b, stop_rule const& until, std::size_t rows_per_block)
    : until_(until), b_(std::move(b)), rows_per_block_(rows_per_block) {
  on_.a = std::move(a);
  make_vectors(on_.a.rows());
  reset();
  right_ = solve(*this, [this](auto const& sweep) {
    return tree_sum(all(), [&](std::size_t block) { return sweep.run(rows_of({block, block + 1})); });
  });
  bool const is_zero = std::ranges::all_of(b_, [](double x) { return x == 0; });
  if (right_.residuals.front() == 0 && !is_zero) right_.end = ending::out_of_range;  // its squares are
  reset();
}

void problem::make_vectors(std::size_t rows) {
  for (auto* const v : {&on_.x, &on_.z, &on_.p, &on_.q, &on_.r}) *v = placed_array<double>(rows);
  for (auto& of_one_sweep : partial_) of_one_sweep.resize(all().end);
}

std::vector<owned_array> problem::owned(place_range const& places) {
  auto const by_row = [this, places](auto const& first_element) {
    return [=, this] {
      return shares_of(places, all().end, [&](std::size_t b) { return first_element(rows_of({0, b}).end); });
    };
  };
  auto const row = by_row([](std::size_t r) { return r; });
  auto const element = by_row([this](std::size_t r) { return on_.a.starts[r]; });
  // The last element of starts, the end of the last row, belongs to the last place.
  auto const start = by_row([this](std::size_t r) { return r == rows_of_all() ? r + 1 : r; });
  std::vector<owned_array> arrays{{.memory = &on_.a.values, .shares = element},
                                  {.memory = &on_.a.columns, .shares = element},
                                  {.memory = &on_.a.starts, .shares = start}};
  for (auto* const v : {&on_.x, &on_.z, &on_.p, &on_.q, &on_.r}) arrays.push_back({.memory = v, .shares = row});
  return arrays;
}

void problem::reset() {
  found_.reset();
  // Poison, so that a read before the first write shows.
  for (auto* const v : {&on_.x, &on_.p, &on_.q, &on_.r}) {
    std::ranges::fill(v->elements(), std::numeric_limits<double>::quiet_NaN());
  }
  if (until_)
    std::ranges::copy(b_, on_.z.data());
  else
    std::ranges::fill(on_.z.elements(), 1.0);
}

std::string problem::wrong() const {
  if (!found_) return "cg: no run yet";
  if (until_) return wrong_solution();
  if (std::abs(found_->zeta - of_.zeta) <= tolerance * of_.zeta) return {};
  char said[120];
  std::snprintf(said, sizeof said, "cg: zeta is %.13f; right is %.13f for class %s", found_->zeta, of_.zeta,
                std::string(of_.name).c_str());
  return said;
}

std::string problem::wrong_solution() const {
  if (*found_ != right_) {
    return "cg: the residuals differ from those of the serial run; the last of " +
           std::to_string(found_->iterations()) + " and of " + std::to_string(right_.iterations()) + " iterations";
  }
  char said[160];
  if (found_->end != ending::converged) {
    std::snprintf(said, sizeof said,
                  "cg: after %zu iterations the residual is %.2e of the right-hand side; --tolerance allows %.2e",
                  found_->iterations(), found_->residuals.back(), until_->tolerance);
    return said;
  }
  // The recursion's residual leaves the true one behind by rounding: a few units for each iteration, of what b and a z consist of.
  double norm = 0;
  for (std::size_t r = 0; r < rows_of_all(); ++r) {
    double row = 0;
    for (std::size_t k = on_.a.starts[r]; k < on_.a.starts[r + 1]; ++k) row += std::abs(on_.a.values[k]);
    norm = std::max(norm, row);
  }
  auto const length = [](std::span<double const> v) {
    double sum = 0;
    for (double const x : v) sum += x * x;
    return std::sqrt(sum);
  };
  double const terms = 1 + norm * length(solution()) / std::max(length(b_), std::numeric_limits<double>::min());
  double const rounding =
      4 * std::numeric_limits<double>::epsilon() * static_cast<double>(found_->iterations() + 2) * terms;
  if (found_->residual <= until_->tolerance + rounding) return {};
  std::snprintf(said, sizeof said, "cg: the residual is %.2e of the right-hand side; allowed, with rounding: %.2e",
                found_->residual, until_->tolerance + rounding);
  return said;
}

}  // namespace skua::apps::cg
