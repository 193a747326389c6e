// SPDX-License-Identifier: MIT
// hartree-fock whose matrices lie on all ranks: the field, its answer, and the check of it. See `problem`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/hartree_fock/distributed_blocks.hpp"
#include "apps/hartree_fock/distributed_scf.hpp"
#include "apps/hartree_fock/problem.hpp"

namespace skua::apps::hartree_fock {

class distributed_problem {
 public:
  /// Collective.
  distributed_problem(communicator& world, screening on, scf_options options);

  [[nodiscard]] screening const& on() const noexcept { return on_; }
  [[nodiscard]] distributed_scf& field() noexcept { return field_; }
  [[nodiscard]] std::optional<answer> const& found() const noexcept { return found_; }

  /// Collective.
  void reset();
  /// Collective. Ends an iteration whose two-electron part is complete.
  void advance();
  /// Collective. Goes on from what field().write() wrote.
  void resume(std::span<double const> state, std::string const& prefix);
  /// Collective. Beyond `most_atoms_to_repeat` atoms each rank repeats its own rows of the last Fock build.
  void repeat_last_build();
  /// On rank 0. Up to `most_atoms_to_repeat` atoms: compares the energy with that of the whole run on one thread. Beyond, says what repeat_last_build() found. Returns an
  /// empty string or one line.
  [[nodiscard]] std::string wrong();

 private:
  [[nodiscard]] bool repeats_builds() const noexcept { return on_.atoms().atoms > most_atoms_to_repeat; }
  [[nodiscard]] std::string difference(own_rows const& right);

  screening on_;
  scf_options options_;
  distributed_scf field_;
  bool has_built_ = false;
  std::optional<answer> found_;
  std::optional<answer> right_;
  std::string of_last_build_;
};

}  // namespace skua::apps::hartree_fock
