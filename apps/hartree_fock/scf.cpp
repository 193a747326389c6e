// SPDX-License-Identifier: MIT
#include "apps/hartree_fock/scf.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "apps/hartree_fock/fock_task.hpp"

#include "skua/parts/base/error.hpp"

namespace skua::apps::hartree_fock {
namespace {

using enum linear_algebra::form;

// Shifts and damping as in the original: larger systems are those of more than four atoms.
constexpr std::size_t small_system = 60;
constexpr double far_from_diagonal = 0.3;
constexpr double large_shift = 0.3;
constexpr double usual_shift = 0.1;
constexpr double least_gap = 0.25;  // hartree, between occupied and empty levels; ours
constexpr std::uint32_t damped_iterations = 5;

double inner_product(matrix const& a, matrix const& b) noexcept {
  double sum = 0;
  for (std::size_t e = 0; e < a.elements.size(); ++e) sum += a.elements[e] * b.elements[e];
  return sum;
}

/// The sum of symmetric matrices over threads or ranks is symmetric only up to rounding.
void symmetrise(matrix& a) noexcept {
  for (std::size_t i = 0; i < a.n; ++i) {
    for (std::size_t j = 0; j < i; ++j) a.at(i, j) = a.at(j, i) = (a.at(i, j) + a.at(j, i)) / 2;
  }
}

}  // namespace

scf::scf(screening const& on, scf_options options, empty_start)
    : on_(on), options_(options), algebra_(linear_algebra::find()), core_(core()), orbitals_(orthonormal()),
      density_(on.atoms().functions()) {}

scf::scf(screening const& on, scf_options options) : scf(on, options, empty_start()) { density_ = density_of_atoms(); }

/// Its field starts without electrons.
matrix scf::density_of_an_atom(double threshold) {
  screening const atom({.atoms = 1}, chain::functions_per_atom, threshold);
  scf field(atom, {}, empty_start());
  while (!field.done()) field.advance(two_electron_part(atom, field.density()));
  return field.density();
}

matrix scf::density_of_atoms() const {
  std::size_t const each = chain::functions_per_atom;
  matrix const one = density_of_an_atom(on_.threshold());
  matrix all(on_.atoms().functions());
  for (std::size_t first = 0; first < all.n; first += each) {
    for (std::size_t i = 0; i < each; ++i) {
      for (std::size_t j = 0; j < each; ++j) all.at(first + i, first + j) = one.at(i, j);
    }
  }
  return all;
}

double scf_rules::core(screening const& on, std::uint32_t i, std::uint32_t j) noexcept {
  if (on.bound(i, j) * on.largest() < on.threshold()) return 0;
  return on.atoms().core(std::max(i, j), std::min(i, j));
}

matrix scf::core() const {
  matrix h(on_.atoms().functions());
  for (std::uint32_t i = 0; i < h.n; ++i) {
    for (std::uint32_t j = 0; j <= i; ++j) h.at(i, j) = h.at(j, i) = scf_rules::core(on_, i, j);
  }
  return h;
}

/// S^(-1/2) of the overlaps S (Loewdin 1950): any orthonormal set will do to begin with.
matrix scf::orthonormal() const {
  matrix s(on_.atoms().functions());
  for (std::uint32_t i = 0; i < s.n; ++i) {
    for (std::uint32_t j = 0; j <= i; ++j) {
      s.at(i, j) = s.at(j, i) = overlap(chain::function(i), chain::function(j));
    }
  }
  auto const [values, vectors] = algebra_.solve(std::move(s));
  matrix scaled = vectors;
  for (std::size_t i = 0; i < scaled.n; ++i) {
    for (std::size_t j = 0; j < scaled.n; ++j) scaled.at(i, j) /= std::sqrt(values[j]);
  }
  return algebra_.multiply(scaled, plain, vectors, transposed);
}

matrix scf::density_of_orbitals() const {
  matrix occupied(orbitals_.n);  // the other columns stay zero
  for (std::size_t i = 0; i < orbitals_.n; ++i) {
    for (std::size_t k = 0; k < on_.atoms().occupied(); ++k) occupied.at(i, k) = std::sqrt(2.0) * orbitals_.at(i, k);
  }
  return algebra_.multiply(occupied, plain, occupied, transposed);
}

/// Raising the empty levels keeps them from mixing with the occupied ones too quickly. In long chains the two come close:
/// there the original's shift lets rounding errors grow until the field falls apart.
double scf_rules::shift(std::uint32_t iteration, std::size_t functions, double off_diagonal, double gap) noexcept {
  if (iteration == 0) return 0;
  double const usual = functions > small_system ? usual_shift : 0;
  double const original = off_diagonal > far_from_diagonal ? large_shift : usual;
  return functions <= small_system ? original : std::max(original, least_gap - gap);
}

double scf_rules::damping(std::uint32_t iteration, std::size_t functions) noexcept {
  return iteration > 0 && iteration < damped_iterations && functions > small_system ? 0.5 : 0;
}

double scf::shift_for(matrix const& transformed) const noexcept {
  if (iterations_ == 0) return 0;
  double most = 0;
  for (std::size_t i = 0; i < transformed.n; ++i) {
    for (std::size_t j = 0; j < i; ++j) most = std::max(most, std::abs(transformed.at(i, j)));
  }
  std::size_t const occupied = on_.atoms().occupied();
  return scf_rules::shift(iterations_, transformed.n, most, levels_[occupied] - levels_[occupied - 1]);
}

std::vector<double> scf::state() const {
  std::vector<double> all{static_cast<double>(density_.n), static_cast<double>(iterations_), energy_, change_};
  all.insert(all.end(), density_.elements.begin(), density_.elements.end());
  all.insert(all.end(), orbitals_.elements.begin(), orbitals_.elements.end());
  all.insert(all.end(), levels_.begin(), levels_.end());
  return all;
}

void scf::resume(std::span<double const> state) {
  constexpr std::size_t numbers = 4;
  std::size_t const n = density_.n;
  std::size_t const matrices = numbers + 2 * n * n;
  bool const fits = state.size() >= numbers && state[0] == static_cast<double>(n) && state.size() == matrices + n;
  if (!fits)
    throw usage_error("hartree-fock: the checkpoint is of another number of atoms, or of a job without --recover");
  iterations_ = static_cast<std::uint32_t>(state[1]);
  energy_ = state[2];
  change_ = state[3];
  std::ranges::copy(state.subspan(numbers, n * n), density_.elements.begin());
  std::ranges::copy(state.subspan(numbers + n * n, n * n), orbitals_.elements.begin());
  levels_.assign(state.begin() + static_cast<std::ptrdiff_t>(matrices), state.end());
}

void scf::advance(matrix two_electron) {
  matrix& fock = two_electron;
  symmetrise(fock);
  for (std::size_t e = 0; e < fock.elements.size(); ++e) fock.elements[e] += core_.elements[e];
  energy_ = on_.atoms().repulsion_of_nuclei() + (inner_product(core_, density_) + inner_product(fock, density_)) / 2;

  matrix transformed =
      algebra_.multiply(orbitals_, transposed, algebra_.multiply(fock, plain, orbitals_, plain), plain);
  symmetrise(transformed);
  double const shift = shift_for(transformed);
  for (std::size_t k = on_.atoms().occupied(); k < transformed.n; ++k) transformed.at(k, k) += shift;
  auto [values, vectors] = algebra_.solve(std::move(transformed));
  for (std::size_t k = on_.atoms().occupied(); k < values.size(); ++k) values[k] -= shift;
  levels_ = std::move(values);
  orbitals_ = algebra_.multiply(orbitals_, plain, vectors, plain);

  matrix const next = density_of_orbitals();
  double const keep = scf_rules::damping(iterations_, density_.n);
  change_ = 0;
  for (std::size_t e = 0; e < next.elements.size(); ++e) {
    double& d = density_.elements[e];
    change_ = std::max(change_, std::abs(next.elements[e] - d));
    d = keep * d + (1 - keep) * next.elements[e];
  }
  ++iterations_;
}

matrix two_electron_part(screening const& on, matrix const& density) {
  matrix f(density.n);
  fock_worker worker(on);
  local_blocks blocks{on, density, f};
  for (std::uint64_t const id : on.non_null_ids()) worker.run(on.tiles().quartet_of(id), blocks);
  return f;
}

scf solve_serially(screening const& on, scf_options options) {
  scf field(on, options);
  while (!field.done()) field.advance(two_electron_part(on, field.density()));
  return field;
}

}  // namespace skua::apps::hartree_fock
