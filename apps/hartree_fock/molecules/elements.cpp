// SPDX-License-Identifier: MIT
#include "apps/hartree_fock/molecules/elements.hpp"

#include <algorithm>
#include <array>

namespace skua::apps::hartree_fock::molecules {
namespace {

constexpr std::array<std::string_view, most_protons> symbols{
    "H",  "He", "Li", "Be", "B",  "C",  "N",  "O",  "F",  "Ne", "Na", "Mg", "Al", "Si", "P",  "S",  "Cl",
    "Ar", "K",  "Ca", "Sc", "Ti", "V",  "Cr", "Mn", "Fe", "Co", "Ni", "Cu", "Zn", "Ga", "Ge", "As", "Se",
    "Br", "Kr", "Rb", "Sr", "Y",  "Zr", "Nb", "Mo", "Tc", "Ru", "Rh", "Pd", "Ag", "Cd", "In", "Sn", "Sb",
    "Te", "I",  "Xe", "Cs", "Ba", "La", "Ce", "Pr", "Nd", "Pm", "Sm", "Eu", "Gd", "Tb", "Dy", "Ho", "Er",
    "Tm", "Yb", "Lu", "Hf", "Ta", "W",  "Re", "Os", "Ir", "Pt", "Au", "Hg", "Tl", "Pb", "Bi", "Po", "At",
    "Rn", "Fr", "Ra", "Ac", "Th", "Pa", "U",  "Np", "Pu", "Am", "Cm", "Bk", "Cf", "Es", "Fm", "Md", "No",
    "Lr", "Rf", "Db", "Sg", "Bh", "Hs", "Mt", "Ds", "Rg", "Cn", "Nh", "Fl", "Mc", "Lv", "Ts", "Og"};

/// Of ASCII alone: the locale has no say in what an element is called.
constexpr char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::optional<unsigned> protons_of(std::string_view symbol) noexcept {
  auto const found = std::ranges::find_if(
      symbols, [&](std::string_view known) { return std::ranges::equal(known, symbol, {}, lower, lower); });
  if (found == symbols.end()) return {};
  return static_cast<unsigned>(found - symbols.begin()) + 1;
}

std::string_view symbol_of(unsigned protons) noexcept { return symbols[protons - 1]; }

}  // namespace skua::apps::hartree_fock::molecules
