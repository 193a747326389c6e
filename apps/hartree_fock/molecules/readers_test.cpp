// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <tuple>

#include "apps/hartree_fock/molecules/basis_set.hpp"
#include "apps/hartree_fock/molecules/elements.hpp"
#include "apps/hartree_fock/molecules/molecule.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::apps::hartree_fock::molecules { namespace {

/// What a reader says of a wrong text; "accepted" if it finds nothing wrong.
template <class Read>
std::string refusal_of(Read read, std::string const& text) {
  text_reader in(text, "x");
  try {
    std::ignore = read(in);
  } catch (usage_error const& refused) {
    return refused.what();
  }
  return "accepted";
}

TEST(elements, have_their_symbols_in_any_case) {
  EXPECT_EQ(protons_of("H"), 1U);
  EXPECT_EQ(protons_of("cL"), 17U);
  EXPECT_EQ(protons_of("Og"), most_protons);
  EXPECT_FALSE(protons_of(""));
  EXPECT_FALSE(protons_of("Xx"));
  for (unsigned z = 1; z <= most_protons; ++z) EXPECT_EQ(protons_of(symbol_of(z)), z);
}

TEST(xyz_file, atoms_are_read_in_angstrom) {
  text_reader in(" 2 \r\nany text \xff\r\nHe 0 0 1\n\tH\t0.529177210903 -1.0D+00 1e-1\n\n", "x.xyz");
  molecule const of = read_xyz(in);
  ASSERT_EQ(of.nuclei.size(), 2U);
  EXPECT_EQ(of.nuclei[0].protons, 2U);
  EXPECT_DOUBLE_EQ(of.nuclei[0].at.z, 1 / bohr);
  EXPECT_DOUBLE_EQ(of.nuclei[1].at.x, 1);
  EXPECT_DOUBLE_EQ(of.nuclei[1].at.y, -1 / bohr);
  EXPECT_EQ(of.electrons(), 3);
}

TEST(xyz_file, wrong_lines_are_named_by_their_number) {
  for (auto const& [text, said] : std::initializer_list<std::pair<char const*, char const*>>{
           {"", "x: it is empty; allowed: an XYZ file"},
           {"\n", "x:1: the number of atoms is ''; allowed: 1 to 10000"},
           {"0\n\n", "x:1: the number of atoms is '0'; allowed: 1 to 10000"},
           {"1 2\n", "x:1: '2' is too much in its line"},
           {"1\n", "x:1: the file ends before its line of comment"},
           {"2\n\nH 0 0 0\n", "x:3: the file ends after 1 atoms; its first line says 2"},
           {"1\n\nQ\xff 0 0 0\n", "x:3: an atom begins with 'Q\\xff'; allowed: the symbol of an element"},
           {"1\n\nH 0 0\n", "x:3: z is ''; allowed: numbers up to 1e+06"},
           {"1\n\nH 0 nan 0\n", "x:3: y is 'nan'; allowed: numbers up to 1e+06"},
           {"1\n\nH 0 +-1 0\n", "x:3: y is '+-1'; allowed: numbers up to 1e+06"},
           {"1\n\nH 0 0 1e7\n", "x:3: z is '1e7'; allowed: numbers up to 1e+06"},
           {"1\n\nH 0 0 0 5\n", "x:3: '5' is too much in its line"},
           {"2\n\nH 0 0 0\nH 0 0 0.001\n", "x:4: this atom lies within 0.01 angstrom of another one"},
           {"1\n\nH 0 0 0\n\nH 0 0 1\n", "x:5: the file goes on after its 1 atoms"}}) {
    EXPECT_EQ(refusal_of(read_xyz, text), said) << text;
  }
}

TEST(molecule, needs_electrons_in_pairs) {
  molecule of{.nuclei = {{.protons = 3, .at = {}}}};
  EXPECT_THROW(of.require_pairs(), usage_error);
  of.charge = 1;
  EXPECT_NO_THROW(of.require_pairs());
  of.charge = 3;
  EXPECT_THROW(of.require_pairs(), usage_error);
}

constexpr char const* nwchem = R"(# of a test
BASIS "ao basis" SPHERICAL PRINT
O    SP
      0.5D+01   -0.1   0.2
      1.2        0.3   0.4
o    D
      0.8        1.0
H    S
      3.0   0.5   0.0
      2.0   0.6   1.0
END
)";
constexpr char const* in_json = R"({"name": "t", "elements": {
  "8": {"electron_shells": [
    {"function_type": "gto", "angular_momentum": [0, 1], "exponents": ["0.5D+01", "1.2"], "coefficients": [["-0.1", "0.3"], ["0.2", "0.4"]]},
    {"function_type": "gto_spherical", "angular_momentum": [2], "exponents": ["0.8"], "coefficients": [["1.0"]]}]},
  "1": {"electron_shells": [
    {"function_type": "gto", "angular_momentum": [0], "exponents": ["3.0", 2.0], "coefficients": [["0.5", "0.6"], ["0.0", "1.0"]]}]}}})";

TEST(basis_set, is_the_same_in_both_forms) {
  text_reader text(nwchem, "x");
  for (basis_set const& set : {read_nwchem_basis(text), read_json_basis(in_json, "x")}) {
    ASSERT_EQ(set.size(), 2U);
    auto const& of_oxygen = set.at(8);
    ASSERT_EQ(of_oxygen.size(), 3U);
    EXPECT_EQ(of_oxygen[1].l, 1U);
    EXPECT_EQ(of_oxygen[1].exponents, (std::vector{5., 1.2}));
    EXPECT_EQ(of_oxygen[1].coefficients, (std::vector{0.2, 0.4}));
    EXPECT_EQ(of_oxygen[2].l, 2U);
    EXPECT_TRUE(of_oxygen[2].spherical);
    auto const& of_hydrogen = set.at(1);
    ASSERT_EQ(of_hydrogen.size(), 2U);
    EXPECT_EQ(of_hydrogen[1].exponents, (std::vector{2.})) << "a coefficient of zero is no primitive";
  }
}

TEST(basis_set, functions_of_nwchem_are_cartesian_unless_it_says_otherwise) {
  text_reader in("basis\nO D\n 0.8 1\nend\n", "x");
  EXPECT_FALSE(read_nwchem_basis(in).at(8).front().spherical);
}

TEST(basis_set, wrong_lines_are_named_by_their_number) {
  for (auto const& [text, said] : std::initializer_list<std::pair<char const*, char const*>>{
           {"", "x: the file ends without a basis function"},
           {"1.0 2.0\n", "x:1: a number before the first line of an element and its shell"},
           {"\nQ\x01 S\n", "x:2: a line begins with 'Q\\x01'; allowed: the symbol of an element, or a number"},
           {"H F\n", "x:1: a shell is 'F'; allowed: S, P, D, SP"},
           {"H S\n-1 1\n", "x:2: an exponent is '-1'; allowed: more than 0 and up to 1e12"},
           {"H S\n1 x\n", "x:2: a coefficient is 'x'; allowed: numbers up to 1e+06"},
           {"H S\n1\n", "x:2: an exponent has 0 coefficients; allowed: one for each function"},
           {"H SP\n1 1\n", "x:2: an exponent has 1 coefficients; allowed: one for each function"},
           {"H S\n1 1\n2 1 1\n", "x:3: an exponent has 2 coefficients; allowed: one for each function"},
           {"H S\nEND\n", "x:2: a shell before this line has no exponents"},
           {"ECP\n", "x:1: effective core potentials begin here; allowed: basis sets of all electrons"}}) {
    EXPECT_EQ(refusal_of(read_nwchem_basis, text), said) << text;
  }
}

TEST(basis_set, wrong_json_is_refused_with_what_is_wrong) {
  for (
      auto const& [text, said] : std::initializer_list<std::pair<char const*, char const*>>{
          {"{", "x: the text is not JSON"},
          {"{}", "x: there is no elements"},
          {R"({"elements": {}})", "x: elements is no object with an element; allowed: one"},
          {R"({"elements": {"0": {}}})", "x: an element is '0'; allowed: 1 to 118"},
          {R"({"elements": {"1": {"ecp_potentials": []}}})",
           "x: element 1: it has effective core potentials; allowed: basis sets of all electrons"},
          {R"({"elements": {"1": {"electron_shells": [{"angular_momentum": [3]}]}}})",
           "x: element 1: angular_momentum has '3'; allowed: 0, 1, 2, which are s, p, d"},
          {R"({"elements": {"1": {"electron_shells": [{"angular_momentum": [0], "exponents": ["1x"]}]}}})",
           "x: element 1: an exponent is '1x'; allowed: a number"},
          {R"({"elements": {"1": {"electron_shells": [{"angular_momentum": [0], "exponents": [1], "coefficients": [[]]}]}}})",
           "x: element 1: a row of coefficients has not one for each exponent"}}) {
    EXPECT_EQ(refusal_of([text](text_reader&) { return read_json_basis(text, "x"); }, text), said) << text;
  }
}

TEST(basis_set, files_that_cannot_be_read_or_never_end_are_refused) {
  for (char const* const name : {"/no/such/file", "/", "/dev/zero"}) {
    EXPECT_THROW(std::ignore = read_basis_file(name), usage_error) << name;
    EXPECT_THROW(std::ignore = read_xyz_file(name), usage_error) << name;
  }
}

TEST(basis_set, a_brace_after_blank_lines_is_the_begin_of_json) {
  auto const file = std::filesystem::temp_directory_path() / ("basis_set_test_" + std::to_string(::getpid()));
  for (std::string const& text : {std::string("\xef\xbb\xbf\n\r\n  ") + in_json, std::string("\n") + nwchem}) {
    std::ofstream(file, std::ios::binary) << text;
    EXPECT_EQ(read_basis_file(file).size(), 2U) << text;
  }
  std::filesystem::remove(file);
}

}}  // namespace skua::apps::hartree_fock::molecules
