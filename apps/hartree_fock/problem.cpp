// SPDX-License-Identifier: MIT
#include "apps/hartree_fock/problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

namespace skua::apps::hartree_fock {

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
  return on_.atoms().atoms > most_atoms_to_repeat ? wrong_build() : wrong_energy(on_, options_, *found_, right_);
}

std::string wrong_energy(screening const& on, scf_options const& options, answer const& found,
                         std::optional<answer>& right) {
  if (!right) right = answer_of(solve_serially(on, options));
  // A coarse threshold drops repulsion and not attraction: the energy, and with it every rounding, may be many times that of the atoms.
  constexpr double most_of_an_atom = 15;  // hartree; beryllium has 14.6
  double const excess = std::abs(right->energy) / (most_of_an_atom * static_cast<double>(on.atoms().atoms));
  if (std::abs(found.energy - right->energy) <= agreement * std::max(1.0, excess)) return {};
  std::array<char, 120> line{};
  std::snprintf(line.data(), line.size(), "hartree-fock: the energy is %.12f Ha, on one thread %.12f", found.energy,
                right->energy);
  return line.data();
}

std::string in_words_of_wrong_element(std::size_t row, std::size_t column) {
  return "hartree-fock: element (" + std::to_string(row) + ", " + std::to_string(column) +
         ") of the last Fock build differs from that on one thread";
}

std::string problem::wrong_build() const {
  if (last_built_.n == 0) return {};  // a checkpoint had converged: nothing was built
  matrix const right = two_electron_part(on_, last_density_);
  for (std::size_t e = 0; e < right.elements.size(); ++e) {
    if (std::abs(last_built_.elements[e] - right.elements[e]) <= agreement) continue;
    return in_words_of_wrong_element(e / right.n, e % right.n);
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
