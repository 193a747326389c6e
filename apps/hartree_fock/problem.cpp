// SPDX-License-Identifier: MIT
#include "apps/hartree_fock/problem.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

namespace skua::apps::hartree_fock {

answer answer_of(scf const& field) {
  return {.energy = field.energy(),
          .change = field.change(),
          .iterations = field.iterations(),
          .converged = field.converged()};
}

problem::problem(screening on, scf_options options)
    : on_(std::move(on)), options_(options), ids_(on_.non_null_ids()), work_(on_.integrals_per_task()) {
  reset();
}

void problem::reset() {
  field_ = std::make_unique<scf>(on_, options_);
  found_.reset();
}

std::string problem::wrong() {
  constexpr double agreement = 1e-9;
  if (!found_) return "hartree-fock: no run yet";
  if (!right_) right_ = answer_of(solve_serially(on_, options_));
  if (std::abs(found_->energy - right_->energy) <= agreement) return {};
  std::array<char, 120> line{};
  std::snprintf(line.data(), line.size(), "hartree-fock: the energy is %.12f Ha, on one thread %.12f", found_->energy,
                right_->energy);
  return line.data();
}

void collect_row(std::vector<std::unique_ptr<workplace>>& from, std::size_t i, matrix& sum) noexcept {
  for (auto const& one : from) {
    if (one == nullptr) continue;
    for (std::size_t j = 0; j < sum.n; ++j) sum.at(i, j) += std::exchange(one->fock.at(i, j), 0);
  }
}

}  // namespace skua::apps::hartree_fock
