// SPDX-License-Identifier: MIT
// The form of Basis Set Exchange: {"elements": {"8": {"electron_shells": [{"function_type": "gto_spherical",
// "angular_momentum": [0, 1], "exponents": ["5.03", ...], "coefficients": [["-0.1", ...], ["0.16", ...]]}]}}}.
#include <cmath>
#include <string>

#include "apps/hartree_fock/molecules/basis_set.hpp"
#include "apps/hartree_fock/molecules/elements.hpp"
#include "apps/hartree_fock/molecules/fortran_number.hpp"
#include "apps/json_value.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/printable.hpp"

namespace skua::apps::hartree_fock::molecules {
namespace {

using json = json_value;

class json_reader {
 public:
  explicit json_reader(std::string_view name) : name_(runtime::printable(name)) {}

  basis_set read(std::string_view text) {
    json const document = json::parse(text);
    if (document.is_discarded()) refuse("the text is not JSON");
    json const& elements = member(document, "elements");
    if (!elements.is_object() || elements.empty()) refuse("elements is no object with an element; allowed: one");
    for (auto const& [number, element] : elements.items()) read_element(number, element);
    if (all_.empty()) refuse("there is no basis function");
    return std::move(all_);
  }

 private:
  [[noreturn]] void refuse(std::string const& why) const { throw usage_error(name_ + ": " + where_ + why); }
  json const& member(json const& of, char const* key) const {
    if (!of.is_object() || !of.contains(key)) refuse(std::string("there is no ") + key);
    return of[key];
  }
  void read_element(std::string const& number, json const& element) {
    double protons = 0;
    if (!read_number(number, protons) || protons < 1 || protons > most_protons || protons != std::floor(protons))
      refuse("an element is " + shown(number) + "; allowed: 1 to " + std::to_string(most_protons));
    protons_ = static_cast<unsigned>(protons);
    where_ = "element " + std::to_string(protons_) + ": ";
    if (element.is_object() && element.contains("ecp_potentials"))
      refuse("it has effective core potentials; allowed: basis sets of all electrons");
    json const& shells = member(element, "electron_shells");
    if (!shells.is_array()) refuse("electron_shells is no list");
    for (json const& shell : shells) read_shell(shell);
    where_.clear();
  }
  void read_shell(json const& shell) {
    std::vector<unsigned> l;
    for (json const& one : list(shell, "angular_momentum")) {
      if (!one.is_number_unsigned() || one.get<std::uint64_t>() > most_l)
        refuse("angular_momentum has " + shown(one.dump_repaired()) + "; allowed: 0, 1, 2, which are s, p, d");
      l.push_back(one.get<unsigned>());
    }
    std::vector<double> const exponents = numbers(list(shell, "exponents"), "an exponent");
    if (exponents.size() > most_primitives) refuse("a shell has more than 64 exponents");
    for (double const e : exponents) {
      if (e <= 0) refuse("an exponent is not positive");
    }
    std::vector<std::vector<double>> rows;
    for (json const& row : list(shell, "coefficients")) {
      if (!row.is_array() || row.size() != exponents.size())
        refuse("a row of coefficients has not one for each exponent");
      rows.push_back(numbers(row, "a coefficient"));
    }
    if (l.size() != 1 && l.size() != rows.size()) refuse("coefficients has not one row for each angular momentum");
    add_contractions(all_, protons_, l, is_spherical(shell), exponents, rows);
  }
  bool is_spherical(json const& shell) const {
    json const& kind = member(shell, "function_type");
    if (kind == json("gto") || kind == json("gto_cartesian")) return false;
    if (kind == json("gto_spherical")) return true;
    refuse("function_type is " + shown(kind.dump_repaired()) + "; allowed: gto, gto_cartesian, gto_spherical");
  }
  json const& list(json const& of, char const* key) const {
    json const& found = member(of, key);
    if (!found.is_array() || found.empty()) refuse(std::string(key) + " is no list of values");
    return found;
  }
  /// They are texts, so that no digit gets lost; numbers are taken, too.
  std::vector<double> numbers(json const& from, std::string_view what) const {
    std::vector<double> all;
    for (json const& one : from) {
      std::string const text = one.is_string() ? one.get<std::string>() : one.dump_repaired();
      if (double value = 0; read_number(text, value) && std::abs(value) < 1e12) {
        all.push_back(value);
      } else {
        refuse(std::string(what) + " is " + shown(text) + "; allowed: a number");
      }
    }
    return all;
  }

  std::string name_;  ///< as it is shown
  std::string where_;
  unsigned protons_ = 0;
  basis_set all_;
};

}  // namespace

basis_set read_json_basis(std::string_view text, std::string_view name) { return json_reader(name).read(text); }

}  // namespace skua::apps::hartree_fock::molecules
