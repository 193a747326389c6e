// SPDX-License-Identifier: MIT
#include "apps/hartree_fock/molecules/molecular_problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "skua/parts/base/error.hpp"

namespace skua::apps::hartree_fock::molecules {
namespace {

/// In hartree: between any orders of summation.
constexpr double agreement_of_orders = 1e-9;

/// The value with as many decimals as its error leaves, the last of them uncertain, 12 at most.
double with_digits(double value, double error) noexcept {
  double const decimals = std::clamp(std::ceil(-std::log10(std::max(error, 1e-300))), 0.0, 12.0);
  double const unit = std::pow(10.0, decimals);
  return std::round(value * unit) / unit;
}

molecule with_pairs(molecule of) {
  of.require_pairs();
  return of;
}

shells few_shells_of(molecule const& of, basis_set const& set, std::string_view name_of_set) {
  shells found = shells_of(of, set, name_of_set);
  if (found.functions > most_functions) {
    throw usage_error("hartree-fock: --basis gives this molecule " + std::to_string(found.functions) +
                      " functions; allowed: up to " + std::to_string(most_functions));
  }
  return found;
}

}  // namespace

molecular_problem::molecular_problem(molecule of, basis_set const& set, std::string_view name_of_set,
                                     molecular_options options)
    : of_(with_pairs(std::move(of))), options_(options), on_(few_shells_of(of_, set, name_of_set), options.threshold),
      start_(on_.of(), of_) {
  reset();
}

void molecular_problem::reset() {
  field_ = std::make_unique<molecular_field>(start_, options_.tolerance, options_.most_iterations);
  found_.reset();
}

void molecular_problem::advance(matrix const& sum) {
  matrix built = symmetric(sum);
  if (on_.of().functions > most_functions_to_repeat) {
    last_density_ = field_->density();
    last_built_ = built;
  }
  field_->advance(std::move(built));
  if (field_->done()) found_ = answer();
}

molecular_answer molecular_problem::answer() const {
  // Rounding leaves some 14 digits of the electrons' energy, which is the largest term of the sums.
  double const rounding = std::max(1e-12, 1e-14 * std::abs(field_->energy() - start_.repulsion_of_nuclei));
  double const change = field_->change();
  double const of_energy = std::max({rounding, on_.error(), change * change});
  double const of_level = std::max({rounding, on_.error(), change});
  molecular_answer found{.energy = with_digits(field_->energy(), of_energy),
                         .levels = field_->levels(),
                         .change = change,
                         .iterations = field_->iterations(),
                         .converged = field_->converged()};
  for (double& level : found.levels) level = with_digits(level, of_level);
  return found;
}

std::string molecular_problem::wrong() {
  if (!found_) return "hartree-fock: no run yet";
  return on_.of().functions > most_functions_to_repeat ? wrong_build() : wrong_energy();
}

std::string molecular_problem::wrong_energy() {
  if (!right_) {
    molecular_field alone(start_, options_.tolerance, options_.most_iterations);
    while (!alone.done()) alone.advance(two_electron_part(on_, alone.density()));
    right_ = alone.energy();
  }
  if (std::abs(field_->energy() - *right_) <= agreement_of_orders) return {};
  std::array<char, 120> line{};
  std::snprintf(line.data(), line.size(), "hartree-fock: the energy is %.12f Ha, on one thread %.12f", field_->energy(),
                *right_);
  return line.data();
}

std::string molecular_problem::wrong_build() const {
  matrix const right = two_electron_part(on_, last_density_);
  for (std::size_t e = 0; e < right.elements.size(); ++e) {
    if (std::abs(last_built_.elements[e] - right.elements[e]) <= agreement_of_orders) continue;
    return "hartree-fock: element (" + std::to_string(e / right.n) + ", " + std::to_string(e % right.n) +
           ") of the last Fock build differs from that on one thread";
  }
  return {};
}

matrix two_electron_part(quartets const& on, matrix const& density) {
  quartet_worker worker(on);
  for (std::uint32_t t = 0; t < on.tasks(); ++t) worker.run(t, density);
  return symmetric(worker.fock);
}

void collect_row(std::vector<std::unique_ptr<quartet_worker>>& from, std::size_t i, matrix& sum) noexcept {
  for (auto const& one : from) {
    if (one == nullptr) continue;
    for (std::size_t j = 0; j < sum.n; ++j) sum.at(i, j) += std::exchange(one->fock.at(i, j), 0);
  }
}

}  // namespace skua::apps::hartree_fock::molecules
