// SPDX-License-Identifier: MIT
// hartree-fock on one shared memory: the tasks of each Fock build are one group, each worker adds to a Fock matrix of its
// own, and these are added up row by row.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <vector>

#include "apps/hartree_fock/fock_task.hpp"
#include "apps/hartree_fock/scf.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/program/fork_join.hpp"

namespace skua::apps::hartree_fock {

/// The result of a run's field.
struct answer {
  double energy = 0;
  double change = 0;
  std::uint32_t iterations = 0;
  bool converged = false;
};
template <class Field>
answer answer_of(Field const& field) {
  return {.energy = field.energy(),
          .change = field.change(),
          .iterations = field.iterations(),
          .converged = field.converged()};
}

/// Longer chains are not solved again on one thread to check an answer.
inline constexpr std::uint32_t most_atoms_to_repeat = 16;
/// In hartree: between any orders of summation.
inline constexpr double agreement = 1e-9;
/// Compares the energy with that of the whole run on one thread, which it keeps in `right`. Returns an empty string or one line.
[[nodiscard]] std::string wrong_energy(screening const& on, scf_options const& options, answer const& found,
                                       std::optional<answer>& right);
/// The line for a wrong element of a Fock build.
[[nodiscard]] std::string in_words_of_wrong_element(std::size_t row, std::size_t column);

class problem {
 public:
  problem(screening on, scf_options options);

  [[nodiscard]] screening const& on() const noexcept { return on_; }
  /// Tasks that are not null.
  [[nodiscard]] std::uint32_t tasks() const noexcept { return static_cast<std::uint32_t>(ids_.size()); }
  [[nodiscard]] quartet task(std::uint32_t t) const noexcept { return on_.tiles().quartet_of(ids_[t]); }
  /// Integrals of a task.
  [[nodiscard]] double work_of(std::uint32_t t) const noexcept { return static_cast<double>(work_[t]); }

  void reset();
  [[nodiscard]] scf const& field() const noexcept { return *field_; }
  /// Goes on from scf::state(). Throws usage_error.
  void resume(std::span<double const> state);
  /// Ends an iteration whose two-electron part was `built`.
  void advance(matrix built);
  [[nodiscard]] std::optional<answer> const& found() const noexcept { return found_; }

  /// Up to `most_atoms_to_repeat` atoms: compares the energy with that of the whole run on one thread. Beyond, compares
  /// the last Fock build with the same on one thread. Returns an empty string or one line.
  [[nodiscard]] std::string wrong();

 private:
  [[nodiscard]] std::string wrong_build() const;

  screening on_;
  scf_options options_;
  std::vector<std::uint64_t> ids_;
  std::vector<std::uint64_t> work_;
  std::unique_ptr<scf> field_;
  std::optional<answer> found_;
  std::optional<answer> right_;
  matrix last_density_;
  matrix last_built_;
};

/// The private data of one worker.
struct workplace {
  workplace(screening const& on) : tasks(on), fock(on.atoms().functions()) {}
  fock_worker tasks;
  matrix fock;
};

/// Adds row i of all Fock matrices to that of `sum` and clears it there.
void collect_row(std::vector<std::unique_ptr<workplace>>& from, std::size_t i, matrix& sum) noexcept;

/// One Fock build. `hints`: each task gives its integrals as its work.
template <fork_join Here>
matrix build(Here& here, problem const& p, std::vector<std::unique_ptr<workplace>>& workplaces, matrix const& density,
             bool hints) {
  constexpr double flops_per_integral = 40;
  auto const body = [&](Here& h, std::uint32_t t) {
    auto& mine = workplaces[index(h.worker())];
    if (mine == nullptr) mine = std::make_unique<workplace>(p.on());
    local_blocks blocks{p.on(), density, mine->fock};
    h.leaf(flops{flops_per_integral * p.work_of(t)}, [&] { mine->tasks.run(p.task(t), blocks); });
  };
  auto const tasks = std::views::iota(std::uint32_t{0}, p.tasks());
  if (hints) {
    here.join_each(tasks, [&](std::uint32_t t) { return p.work_of(t); }, body);
  } else {
    here.join_each(tasks, body);
  }
  matrix sum(density.n);
  here.join_each(std::views::iota(std::size_t{0}, density.n),
                 [&](Here&, std::size_t i) { collect_row(workplaces, i, sum); });
  return sum;
}

/// The whole run: builds until the field has converged.
template <fork_join Here>
void program(Here& here, problem& p, bool hints) {
  std::vector<std::unique_ptr<workplace>> workplaces(here.num_workers());
  while (!p.field().done()) p.advance(build(here, p, workplaces, p.field().density(), hints));
}

}  // namespace skua::apps::hartree_fock
