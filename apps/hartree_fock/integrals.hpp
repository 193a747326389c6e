// SPDX-License-Identifier: MIT
// Many integrals (ij|kl) at once: one charge against a list of charges, in vectors. This loop is nearly all of a Fock
// build. Per integral it takes a division, two square roots and six terms of the Boys function.
#pragma once

#include <cstddef>

#include "apps/simd/variant.hpp"

namespace skua::apps::hartree_fock {

/// The product of two functions, as a charge. `factor` is that of `product` divided by the exponent.
struct charge {
  double x;
  double y;
  double z;
  double exponent;
  double factor;
};

/// Charges, component by component.
struct charges {
  double const* x;
  double const* y;
  double const* z;
  double const* exponent;
  double const* factor;
};

/// into[m] = (of | with[m]) for m < n. `boys` is the table of boys.hpp.
template <class Arch>
void integrals(charge const& of, charges const& with, std::size_t n, double const* boys, double* into) noexcept;

using integrals_function = void(charge const&, charges const&, std::size_t, double const*, double*) noexcept;

/// The kernels that this processor can run, slowest first.
simd::variants<integrals_function> all_integrals();

}  // namespace skua::apps::hartree_fock
