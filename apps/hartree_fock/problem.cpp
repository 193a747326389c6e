// SPDX-License-Identifier: MIT
#include "apps/hartree_fock/problem.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

namespace skua::apps::hartree_fock {
namespace {

constexpr double agreement = 1e-9;  ///< hartree: between any orders of summation

}  // namespace

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

void problem::advance(matrix built) {
  if (on_.atoms().atoms > most_atoms_to_repeat) {
    last_density_ = field_->density();
    last_built_ = built;
  }
  field_->advance(std::move(built));
  found_ = answer_of(*field_);
}

void problem::resume(std::span<double const> state) {
  field_->resume(state);
  found_ = answer_of(*field_);
}

std::string problem::wrong() {
  if (!found_) return "hartree-fock: no run yet";
  return on_.atoms().atoms > most_atoms_to_repeat ? wrong_build() : wrong_energy();
}

std::string problem::wrong_energy() {
  if (!right_) right_ = answer_of(solve_serially(on_, options_));
  if (std::abs(found_->energy - right_->energy) <= agreement) return {};
  std::array<char, 120> line{};
  std::snprintf(line.data(), line.size(), "hartree-fock: the energy is %.12f Ha, on one thread %.12f", found_->energy,
                right_->energy);
  return line.data();
}

std::string problem::wrong_build() const {
  if (last_built_.n == 0) return {};  // a checkpoint had converged: nothing was built
  matrix const right = two_electron_part(on_, last_density_);
  for (std::size_t e = 0; e < right.elements.size(); ++e) {
    if (std::abs(last_built_.elements[e] - right.elements[e]) <= agreement) continue;
    return "hartree-fock: element (" + std::to_string(e / right.n) + ", " + std::to_string(e % right.n) +
           ") of the last Fock build differs from that on one thread";
  }
  return {};
}

void collect_row(std::vector<std::unique_ptr<workplace>>& from, std::size_t i, matrix& sum) noexcept {
  for (auto const& one : from) {
    if (one == nullptr) continue;
    for (std::size_t j = 0; j < sum.n; ++j) sum.at(i, j) += std::exchange(one->fock.at(i, j), 0);
  }
}

}  // namespace skua::apps::hartree_fock
