// SPDX-License-Identifier: MIT
// Integrals over one electron, by Hermite Gaussians (McMurchie and Davidson 1978). libint's C interface leaves as much to its
// caller as these sums take, and they are a thousandth of the work.
#pragma once

#include "apps/hartree_fock/matrix.hpp"
#include "apps/hartree_fock/molecules/shells.hpp"

namespace skua::apps::hartree_fock::molecules {

struct one_electron {
  matrix overlap;
  matrix core;  ///< kinetic energy and attraction of the nuclei
};

/// Work O(pairs of shells * nuclei).
[[nodiscard]] one_electron one_electron_integrals(shells const& of, molecule const& within);

}  // namespace skua::apps::hartree_fock::molecules
