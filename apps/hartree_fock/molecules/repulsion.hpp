// SPDX-License-Identifier: MIT
// Repulsion integrals (ab|cd) of four shells, by libint 2. Builds take its header alone; the library is loaded when a molecule
// is computed: linked in, it would add 14 ms to the start of every command.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "apps/hartree_fock/molecules/boys_orders.hpp"
#include "apps/hartree_fock/molecules/shells.hpp"

namespace skua::apps::hartree_fock::molecules {

/// One sentence; empty if there are integrals here.
[[nodiscard]] std::string why_no_integrals();

/// The library, loaded.
struct integral_library;
/// Throws usage_error with why_no_integrals().
[[nodiscard]] std::shared_ptr<integral_library const> find_integrals();

/// Computes one quartet at a time; each worker has its own.
class repulsion_integrals {
 public:
  /// `of` must outlive it. Room for 1024 fours of primitives.
  repulsion_integrals(std::shared_ptr<integral_library const> library, shells const& of);
  repulsion_integrals(repulsion_integrals const&) = delete;
  repulsion_integrals& operator=(repulsion_integrals const&) = delete;
  ~repulsion_integrals();

  /// (ab|cd) for all functions of the pairs' shells, the last fastest, until the next call. The sum of l of `ket` must not be
  /// smaller than that of `bra`. Work O(primitives^4 functions^4).
  [[nodiscard]] std::span<double const> operator()(shell_pair const& bra, shell_pair const& ket);

 private:
  struct room;
  std::shared_ptr<integral_library const> library_;
  [[maybe_unused]] shells const& of_;  ///< not where the library is missing
  boys_orders boys_;
  std::unique_ptr<room> room_;
  std::vector<double> block_;
  std::vector<double> scratch_;
};

}  // namespace skua::apps::hartree_fock::molecules
