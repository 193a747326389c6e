// SPDX-License-Identifier: MIT
// hartree-fock of a molecule on one shared memory: the tasks of each Fock build are one group, each worker adds to a Fock matrix
// of its own, and these are added up row by row.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include "apps/hartree_fock/molecules/molecular_field.hpp"
#include "apps/hartree_fock/molecules/quartets.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/program/fork_join.hpp"

namespace skua::apps::hartree_fock::molecules {

struct molecular_options {
  double threshold = 1e-14;  ///< quartets of shells whose bound is smaller, in hartree, are left out
  double tolerance = 1e-9;   ///< the field has converged when no element of the density changes by more
  std::uint32_t most_iterations = 100;
};

/// What a run found, with the digits that its errors leave.
struct molecular_answer {
  double energy = 0;           ///< hartree
  std::vector<double> levels;  ///< of the orbitals, hartree, rising
  double change = 0;           ///< the last one of the density
  std::uint32_t iterations = 0;
  bool converged = false;
};

inline constexpr std::size_t most_functions = 3000;
/// Larger systems are not solved again on one thread to check an answer.
inline constexpr std::size_t most_functions_to_repeat = 120;

class molecular_problem {
 public:
  /// Throws usage_error for a molecule and a basis set that do not fit, and if a library is missing.
  molecular_problem(molecule of, basis_set const& set, std::string_view name_of_set, molecular_options options);

  [[nodiscard]] molecule const& of() const noexcept { return of_; }
  [[nodiscard]] quartets const& on() const noexcept { return on_; }
  void reset();
  [[nodiscard]] molecular_field const& field() const noexcept { return *field_; }
  /// Ends an iteration whose workers' matrices add up to `sum`.
  void advance(matrix const& sum);
  [[nodiscard]] std::optional<molecular_answer> const& found() const noexcept { return found_; }

  /// Up to `most_functions_to_repeat` functions: compares the energy with that of the whole run on one thread. Beyond, compares
  /// the last Fock build with the same on one thread. Returns an empty string or one line.
  [[nodiscard]] std::string wrong();

 private:
  [[nodiscard]] std::string wrong_energy();
  [[nodiscard]] std::string wrong_build() const;
  [[nodiscard]] molecular_answer answer() const;

  molecule of_;
  molecular_options options_;
  quartets on_;
  molecular_start start_;
  std::unique_ptr<molecular_field> field_;
  std::optional<molecular_answer> found_;
  std::optional<double> right_;
  matrix last_density_;
  matrix last_built_;
};

/// The two-electron part of the Fock matrix on the calling thread.
[[nodiscard]] matrix two_electron_part(quartets const& on, matrix const& density);

/// Adds row i of all workers' matrices to that of `sum` and clears it there.
void collect_row(std::vector<std::unique_ptr<quartet_worker>>& from, std::size_t i, matrix& sum) noexcept;

/// The whole run: builds until the field has converged. `hints`: each task gives its fours of primitives as its work.
template <fork_join Here>
void program(Here& here, molecular_problem& p, bool hints) {
  constexpr double flops_per_four = 30;
  quartets const& on = p.on();
  std::vector<std::unique_ptr<quartet_worker>> workers(here.num_workers());
  while (!p.field().done()) {
    auto const body = [&](Here& h, std::uint32_t t) {
      auto& mine = workers[index(h.worker())];
      if (mine == nullptr) mine = std::make_unique<quartet_worker>(on);
      h.leaf(flops{flops_per_four * on.work_of(t)}, [&] { mine->run(t, p.field().density()); });
    };
    auto const tasks = std::views::iota(std::uint32_t{0}, on.tasks());
    if (hints) {
      here.join_each(tasks, [&](std::uint32_t t) { return on.work_of(t); }, body);
    } else {
      here.join_each(tasks, body);
    }
    matrix sum(on.of().functions);
    here.join_each(std::views::iota(std::size_t{0}, sum.n),
                   [&](Here&, std::size_t i) { collect_row(workers, i, sum); });
    p.advance(sum);
  }
}

}  // namespace skua::apps::hartree_fock::molecules
