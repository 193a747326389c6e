// SPDX-License-Identifier: MIT
#include "apps/hartree_fock/molecules/molecule.hpp"

#include <cmath>
#include <fstream>
#include <string>

#include "apps/hartree_fock/molecules/elements.hpp"
#include "apps/hartree_fock/molecules/text_lines.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::apps::hartree_fock::molecules {
namespace {

/// Nearer nuclei are a slip of the pen, and their repulsion leaves no digits to the rest.
constexpr double least_distance = 0.01 / bohr;
constexpr double most_coordinate = 1e6;  // angstrom

nucleus read_nucleus(text_lines& lines) {
  std::string_view const symbol = lines.word();
  auto const protons = protons_of(symbol);
  if (!protons) lines.refuse("an atom begins with " + in_quotes(symbol) + "; allowed: the symbol of an element");
  double const x = lines.number("x", most_coordinate);
  double const y = lines.number("y", most_coordinate);
  double const z = lines.number("z", most_coordinate);
  lines.require_end_of_line();
  return {.protons = *protons, .at = {x / bohr, y / bohr, z / bohr}};
}

}  // namespace

std::int64_t molecule::electrons() const noexcept {
  std::int64_t all = -charge;
  for (nucleus const& n : nuclei) all += n.protons;
  return all;
}

double molecule::repulsion_of_nuclei() const noexcept {
  double sum = 0;
  for (std::size_t a = 0; a < nuclei.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      sum += static_cast<double>(nuclei[a].protons) * static_cast<double>(nuclei[b].protons) /
             std::sqrt(square_distance(nuclei[a].at, nuclei[b].at));
    }
  }
  return sum;
}

void molecule::require_pairs() const {
  if (std::int64_t const n = electrons(); n <= 0 || n % 2 != 0) {
    throw usage_error("hartree-fock: --charge is " + std::to_string(charge) + ", which leaves " + std::to_string(n) +
                      " electrons; allowed: an even number of them, two or more, because all shells are closed");
  }
}

molecule read_xyz(std::istream& in, std::string_view name) {
  text_lines lines(in, name);
  lines.next();
  std::uint64_t const count = lines.natural("the number of atoms", 1, most_nuclei);
  lines.require_end_of_line();
  if (!lines.next()) lines.refuse("the file ends before its line of comment");
  molecule all;
  while (all.nuclei.size() < count) {
    if (!lines.next()) {
      lines.refuse("the file ends after " + std::to_string(all.nuclei.size()) + " atoms; its first line says " +
                   std::to_string(count));
    }
    nucleus const one = read_nucleus(lines);
    for (nucleus const& other : all.nuclei) {
      if (square_distance(one.at, other.at) < least_distance * least_distance)
        lines.refuse("this atom lies within 0.01 angstrom of another one");
    }
    all.nuclei.push_back(one);
  }
  while (lines.next()) {
    if (!lines.at_end_of_line()) lines.refuse("the file goes on after its " + std::to_string(count) + " atoms");
  }
  return all;
}

molecule read_xyz_file(std::filesystem::path const& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file))
    throw usage_error(file.string() + ": cannot be opened; allowed: a readable XYZ file");
  return read_xyz(in, file.string());
}

}  // namespace skua::apps::hartree_fock::molecules
