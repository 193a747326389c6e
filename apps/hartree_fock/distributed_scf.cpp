// SPDX-License-Identifier: MIT
#include "apps/hartree_fock/distributed_scf.hpp"

#include <algorithm>
#include <cmath>

#include "skua/parts/base/error.hpp"

namespace skua::apps::hartree_fock {

distributed_scf::distributed_scf(communicator& world, screening const& on, scf_options options, bool keeps_builds)
    : on_(on), options_(options), algebra_(world), purification_(algebra_), core_(zeros("core")),
      orthonormal_(zeros("S^(-1/2)")), density_(zeros("density")), two_electron_(zeros("two-electron part")),
      projector_(zeros("projector")), fock_(zeros("Fock")), work_(zeros("work")), more_work_(zeros("more work")) {
  if (keeps_builds) last_density_ = std::make_unique<shared_matrix>(zeros("last density"));
  make_core();
  make_orthonormal();
  restart();
}

shared_matrix distributed_scf::zeros(char const* name) const {
  std::uint64_t const n = on_.atoms().functions();
  return {algebra_.world(), n, n, matrix_distribution::by_rows(), {.name = name}};
}

void distributed_scf::make_core() {
  own_rows const rows(core_);
  for (std::size_t i = 0; i < rows.count; ++i) {
    for (std::size_t j = 0; j < rows.n; ++j) {
      rows.row(i)[j] = scf_rules::core(on_, static_cast<std::uint32_t>(rows.first + i), static_cast<std::uint32_t>(j));
    }
  }
}

void distributed_scf::make_orthonormal() {
  own_rows const rows(work_);
  for (std::size_t i = 0; i < rows.count; ++i) {
    for (std::size_t j = 0; j < rows.n; ++j) {
      std::size_t const other = rows.first + i;
      rows.row(i)[j] = overlap(chain::function(static_cast<std::uint32_t>(std::max(other, j))),
                               chain::function(static_cast<std::uint32_t>(std::min(other, j))));
    }
  }
  algebra_.to_inverse_square_root(work_, orthonormal_, more_work_);
}

void distributed_scf::restart() {
  constexpr std::size_t each = chain::functions_per_atom;
  matrix const one = scf::density_of_an_atom(on_.threshold());
  density_.fill(0);
  own_rows const rows(density_);
  for (std::size_t i = 0; i < rows.count; ++i) {
    std::size_t const row = rows.first + i;
    for (std::size_t j = 0; j < each; ++j) rows.row(i)[row / each * each + j] = one.at(row % each, j);
  }
  density_.sync();
  frontier_.reset();
  energy_ = 0;
  change_ = 0;
  iterations_ = 0;
}

double distributed_scf::energy_of_density() {
  own_rows const d(density_);
  own_rows const h(core_);
  own_rows const g(two_electron_);
  double sum = 0;
  for (std::size_t e = 0; e < d.all().size(); ++e) sum += (h.all()[e] + g.all()[e] / 2) * d.all()[e];
  return on_.atoms().repulsion_of_nuclei() + algebra_.world().sum(sum);
}

void distributed_scf::transform_fock() {
  own_rows const f(work_);
  own_rows const h(core_);
  own_rows const g(two_electron_);
  for (std::size_t e = 0; e < f.all().size(); ++e) f.all()[e] = h.all()[e] + g.all()[e];
  algebra_.multiply(more_work_, work_, orthonormal_);
  algebra_.multiply_symmetric(fock_, orthonormal_, more_work_);
}

/// `scf` has the largest element between two of its orbitals in place of that of the commutator with the last density, which knows only occupied ones and
/// empty ones. Both are far below the limit when the first density is that of atoms.
double distributed_scf::raise_empty_levels() {
  if (iterations_ == 0) return 0;
  algebra_.multiply(work_, fock_, projector_);
  double const off_diagonal = algebra_.asymmetry(work_, more_work_);
  double const shift = scf_rules::shift(iterations_, on_.atoms().functions(), off_diagonal,
                                        frontier_->lowest_empty - frontier_->highest_occupied);
  own_rows const f(fock_);
  own_rows const p(projector_);
  for (std::size_t e = 0; e < f.all().size(); ++e) f.all()[e] -= shift * p.all()[e];
  for (std::size_t i = 0; i < f.count; ++i) f.diagonal(i) += shift;
  return shift;
}

void distributed_scf::take_next_density() {
  algebra_.multiply(work_, projector_, orthonormal_);
  algebra_.multiply_symmetric(more_work_, orthonormal_, work_);
  if (last_density_ != nullptr) last_density_->copy(density_);
  double const keep = scf_rules::damping(iterations_, on_.atoms().functions());
  own_rows const half(more_work_);
  own_rows const rows(density_);
  change_ = 0;
  for (std::size_t e = 0; e < rows.all().size(); ++e) {
    double const next = 2 * half.all()[e];
    double& d = rows.all()[e];
    change_ = std::max(change_, std::abs(next - d));
    d = keep * d + (1 - keep) * next;
  }
  density_.sync();
  change_ = algebra_.world().max(change_);
}

void distributed_scf::advance() {
  two_electron_.symmetrise();
  energy_ = energy_of_density();
  transform_fock();
  double const shift = raise_empty_levels();
  std::optional<frontier_levels> expected = frontier_;
  if (expected) expected->lowest_empty += shift;
  frontier_ = purification_.project(fock_, on_.atoms().occupied(), expected, projector_, {work_, more_work_});
  frontier_->lowest_empty -= shift;
  take_next_density();
  ++iterations_;
}

// The levels of a field that has not begun are not numbers.
std::vector<double> distributed_scf::write(std::string const& prefix) {
  density_.write(prefix + ".density");
  projector_.write(prefix + ".projector");
  return {static_cast<double>(density_.rows()), static_cast<double>(iterations_), energy_, change_,
          frontier_->highest_occupied,          frontier_->lowest_empty};
}

void distributed_scf::read(std::span<double const> state, std::string const& prefix) {
  constexpr std::size_t numbers = 6;
  bool const fits = state.size() == numbers && state[0] == static_cast<double>(density_.rows());
  if (!fits) {
    throw usage_error("hartree-fock: the checkpoint is of another number of atoms, or of a job with --recover");
  }
  density_.read(prefix + ".density");
  projector_.read(prefix + ".projector");
  iterations_ = static_cast<std::uint32_t>(state[1]);
  energy_ = state[2];
  change_ = state[3];
  frontier_ = {state[4], state[5]};
}

}  // namespace skua::apps::hartree_fock
