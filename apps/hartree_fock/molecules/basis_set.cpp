// SPDX-License-Identifier: MIT
#include "apps/hartree_fock/molecules/basis_set.hpp"

#include <fstream>
#include <string>

#include "skua/parts/base/error.hpp"

namespace skua::apps::hartree_fock::molecules {

void add_contractions(basis_set& to, unsigned protons, std::vector<unsigned> const& l, bool spherical,
                      std::vector<double> const& exponents, std::vector<std::vector<double>> const& coefficients) {
  for (std::size_t row = 0; row < coefficients.size(); ++row) {
    contraction one{
        .l = l.size() == 1 ? l.front() : l[row], .spherical = spherical, .exponents = {}, .coefficients = {}};
    for (std::size_t p = 0; p < exponents.size(); ++p) {
      if (coefficients[row][p] == 0) continue;  // of a general contraction
      one.exponents.push_back(exponents[p]);
      one.coefficients.push_back(coefficients[row][p]);
    }
    if (!one.exponents.empty()) to[protons].push_back(std::move(one));
  }
}

basis_set read_basis_file(std::filesystem::path const& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file)) {
    throw usage_error(file.string() +
                      ": cannot be opened; allowed: a readable basis set, Basis Set Exchange's JSON or NWChem's text");
  }
  in >> std::ws;
  bool const is_json = in.peek() == '{';
  in.clear();
  in.seekg(0);  // lines are counted from the beginning
  return is_json ? read_json_basis(in, file.string()) : read_nwchem_basis(in, file.string());
}

}  // namespace skua::apps::hartree_fock::molecules
