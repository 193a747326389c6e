// SPDX-License-Identifier: MIT
#include "apps/hartree_fock/molecules/molecule.hpp"

#include <cmath>
#include <string>

#include "apps/hartree_fock/molecules/elements.hpp"
#include "apps/hartree_fock/molecules/fortran_number.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::apps::hartree_fock::molecules {
namespace {

/// Nearer nuclei are a slip of the pen, and their repulsion leaves no digits to the rest.
constexpr double least_distance = 0.01 / bohr;
constexpr double most_coordinate = 1e6;  // angstrom

nucleus read_nucleus(text_reader& in) {
  std::string_view const symbol = in.word();
  auto const protons = protons_of(symbol);
  if (!protons) in.refuse("an atom begins with " + shown(symbol) + "; allowed: the symbol of an element");
  double const x = next_number(in, "x", most_coordinate);
  double const y = next_number(in, "y", most_coordinate);
  double const z = next_number(in, "z", most_coordinate);
  in.end_of_line();
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

molecule read_xyz(text_reader& in) {
  if (!in.next_line()) in.refuse("it is empty; allowed: an XYZ file");
  std::uint64_t const count = in.whole("the number of atoms", 1, most_nuclei);
  in.end_of_line();
  if (!in.next_line()) in.refuse("the file ends before its line of comment");
  molecule all;
  while (all.nuclei.size() < count) {
    if (!in.next_line()) {
      in.refuse("the file ends after " + std::to_string(all.nuclei.size()) + " atoms; its first line says " +
                std::to_string(count));
    }
    nucleus const one = read_nucleus(in);
    for (nucleus const& other : all.nuclei) {
      if (square_distance(one.at, other.at) < least_distance * least_distance)
        in.refuse("this atom lies within 0.01 angstrom of another one");
    }
    all.nuclei.push_back(one);
  }
  while (in.next_line()) {
    if (!in.is_at_end_of_line()) in.refuse("the file goes on after its " + std::to_string(count) + " atoms");
  }
  return all;
}

molecule read_xyz_file(std::filesystem::path const& file) {
  text_reader in(file);
  return read_xyz(in);
}

}  // namespace skua::apps::hartree_fock::molecules
