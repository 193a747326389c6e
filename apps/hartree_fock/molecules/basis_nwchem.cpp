// SPDX-License-Identifier: MIT
// The form of NWChem's input: `BASIS "ao basis" SPHERICAL`, blocks of a line `ELEMENT SHELL` and lines of an exponent and its
// coefficients, `END`. NWChem's functions are Cartesian unless the first line says SPHERICAL.
#include <algorithm>
#include <cctype>
#include <optional>
#include <string>

#include "apps/hartree_fock/molecules/basis_set.hpp"
#include "apps/hartree_fock/molecules/elements.hpp"
#include "apps/hartree_fock/molecules/fortran_number.hpp"

namespace skua::apps::hartree_fock::molecules {
namespace {

constexpr double most_exponent = 1e12;
constexpr double most_coefficient = 1e6;

std::string capitals(std::string_view text) {
  std::string all(text);
  std::ranges::transform(all, all.begin(), [](unsigned char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : static_cast<char>(c);
  });
  return all;
}

/// What follows a line `ELEMENT SHELL`.
struct block {
  unsigned protons;
  std::vector<unsigned> l;
  std::vector<double> exponents;
  std::vector<std::vector<double>> coefficients;
};

class nwchem_reader {
 public:
  explicit nwchem_reader(text_reader& in) : in_(in) {}

  basis_set read() {
    while (in_.next_line()) read_line();
    finish_block();
    if (all_.empty()) in_.refuse("the file ends without a basis function");
    return std::move(all_);
  }

 private:
  void read_line() {
    std::string_view const first = in_.word();
    if (first.empty() || first.front() == '#') return;
    std::string const word = capitals(first);
    if (word == "BASIS") return read_header();
    if (word == "END") return finish_block();
    if (word == "ECP") in_.refuse("effective core potentials begin here; allowed: basis sets of all electrons");
    double exponent = 0;
    if (read_number(first, exponent)) return read_primitive(first, exponent);
    read_shell(first);
  }
  void read_header() {
    while (!in_.is_at_end_of_line()) {
      std::string const word = capitals(in_.word());
      if (word == "SPHERICAL") is_spherical_ = true;
      if (word == "CARTESIAN") is_spherical_ = false;
    }
  }
  void read_shell(std::string_view symbol) {
    finish_block();
    auto const protons = protons_of(symbol);
    if (!protons)
      in_.refuse("a line begins with " + shown(symbol) + "; allowed: the symbol of an element, or a number");
    std::string const kind = capitals(in_.word());
    block_ = block{.protons = *protons, .l = {}, .exponents = {}, .coefficients = {}};
    if (kind == "SP") {
      block_->l = {0, 1};
    } else if (kind == "S" || kind == "P" || kind == "D") {
      block_->l = {kind == "S" ? 0U : kind == "P" ? 1U : 2U};
    } else {
      in_.refuse("a shell is " + shown(kind) + "; allowed: S, P, D, SP");
    }
    in_.end_of_line();
  }
  void read_primitive(std::string_view word, double exponent) {
    if (!block_) in_.refuse("a number before the first line of an element and its shell");
    if (exponent <= 0 || exponent > most_exponent)
      in_.refuse("an exponent is " + shown(word) + "; allowed: more than 0 and up to 1e12");
    if (block_->exponents.size() == most_primitives)
      in_.refuse("a shell has more than " + std::to_string(most_primitives) + " exponents");
    std::vector<double> row;
    while (!in_.is_at_end_of_line()) row.push_back(next_number(in_, "a coefficient", most_coefficient));
    std::size_t const known = block_->coefficients.size();
    bool const fits = block_->l.size() == 2 ? row.size() == 2 : !row.empty() && (known == 0 || row.size() == known);
    if (!fits)
      in_.refuse("an exponent has " + std::to_string(row.size()) + " coefficients; allowed: one for each function");
    block_->coefficients.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) block_->coefficients[i].push_back(row[i]);
    block_->exponents.push_back(exponent);
  }
  void finish_block() {
    if (!block_) return;
    if (block_->exponents.empty()) in_.refuse("a shell before this line has no exponents");
    add_contractions(all_, block_->protons, block_->l, is_spherical_, block_->exponents, block_->coefficients);
    block_.reset();
  }

  text_reader& in_;
  basis_set all_;
  bool is_spherical_ = false;
  std::optional<block> block_;
};

}  // namespace

basis_set read_nwchem_basis(text_reader& in) { return nwchem_reader(in).read(); }

}  // namespace skua::apps::hartree_fock::molecules
