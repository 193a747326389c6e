// SPDX-License-Identifier: MIT
#include "apps/hartree_fock/molecules/basis_set.hpp"

#include <string>

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
  constexpr std::size_t most_bytes = std::size_t{1} << 26;  // JSON is parsed whole
  text_reader in(file);
  while (in.next_line() && in.is_at_end_of_line()) {}
  bool const is_json = in.word().starts_with('{');
  in.rewind();
  if (!is_json) return read_nwchem_basis(in);
  std::string text;
  while (in.next_line()) {
    if (text.size() + in.rest().size() > most_bytes) in.refuse_all("it is longer than 64 MiB");
    text.append(in.rest()) += '\n';
  }
  return read_json_basis(text, file.string());
}

}  // namespace skua::apps::hartree_fock::molecules
