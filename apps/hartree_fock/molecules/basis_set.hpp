// SPDX-License-Identifier: MIT
// A basis set: for each element its contracted Gaussians. Read in the forms of Basis Set Exchange that say of d functions
// whether they are spherical: its own JSON (molssi_bse_schema), and NWChem's text.
#pragma once

#include <filesystem>
#include <map>
#include <string_view>
#include <vector>

#include "apps/text_reader.hpp"

namespace skua::apps::hartree_fock::molecules {

/// Sums of primitives x^l exp(-exponent r^2), each normalised to 1, times their coefficients.
struct contraction {
  unsigned l = 0;          ///< 0 for s, 1 for p, 2 for d
  bool spherical = false;  ///< of d: five functions and not six
  std::vector<double> exponents;
  std::vector<double> coefficients;
};

inline constexpr unsigned most_l = 2;
inline constexpr std::size_t most_primitives = 64;

/// By the number of protons.
using basis_set = std::map<unsigned, std::vector<contraction>>;

/// Throw usage_error, which begins with `name:line:` (JSON: `name:`), where the text is not such a basis set, or has effective
/// core potentials, or functions beyond d.
[[nodiscard]] basis_set read_json_basis(std::string_view text, std::string_view name);
[[nodiscard]] basis_set read_nwchem_basis(text_reader& in);
/// Either, plain or gzip: JSON begins with a brace. Throws usage_error also if it cannot be read.
[[nodiscard]] basis_set read_basis_file(std::filesystem::path const& file);

/// Adds the functions of one block of primitives: a row of `coefficients` for each entry of `l`, or several for a single one.
void add_contractions(basis_set& to, unsigned protons, std::vector<unsigned> const& l, bool spherical,
                      std::vector<double> const& exponents, std::vector<std::vector<double>> const& coefficients);

}  // namespace skua::apps::hartree_fock::molecules
