// SPDX-License-Identifier: MIT
#include "apps/hartree_fock/molecules/shells.hpp"

#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "apps/hartree_fock/molecules/elements.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::apps::hartree_fock::molecules {
namespace {

using std::numbers::pi;

/// (2l - 1)!!
constexpr double odd_product(unsigned l) noexcept { return l < 2 ? 1 : (2 * l - 1) * odd_product(l - 1); }

/// <x^l exp(-p r^2 / 2)| same>, for exponents that add up to p.
double self_overlap(unsigned l, double p) noexcept {
  return odd_product(l) * std::pow(2 * p, -static_cast<double>(l)) * std::pow(pi / p, 1.5);
}

void normalise(shell& s) noexcept {
  for (std::size_t a = 0; a < s.exponents.size(); ++a) {
    s.coefficients[a] /= std::sqrt(self_overlap(s.l, 2 * s.exponents[a]));
  }
  double sum = 0;
  for (std::size_t a = 0; a < s.exponents.size(); ++a) {
    for (std::size_t b = 0; b < s.exponents.size(); ++b)
      sum += s.coefficients[a] * s.coefficients[b] * self_overlap(s.l, s.exponents[a] + s.exponents[b]);
  }
  for (double& c : s.coefficients) c /= std::sqrt(sum);
}

/// Five rows of the six Cartesian functions, for Cartesian functions of which xx has norm 1 (Schlegel and Frisch 1995).
constexpr double root_3 = std::numbers::sqrt3;
constexpr std::array<std::array<double, 6>, 5> spherical_d{{{0, root_3, 0, 0, 0, 0},
                                                            {0, 0, 0, 0, root_3, 0},
                                                            {-0.5, 0, 0, -0.5, 0, 1},
                                                            {0, 0, root_3, 0, 0, 0},
                                                            {root_3 / 2, 0, 0, -root_3 / 2, 0, 0}}};

constexpr std::array<std::array<unsigned, 3>, 10> all_powers{
    {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 0, 0}, {1, 1, 0}, {1, 0, 1}, {0, 2, 0}, {0, 1, 1}, {0, 0, 2}}};

}  // namespace

shells shells_of(molecule const& of, basis_set const& set, std::string_view name_of_set) {
  shells found;
  for (nucleus const& n : of.nuclei) {
    auto const known = set.find(n.protons);
    if (known == set.end()) {
      throw usage_error("hartree-fock: --basis " + std::string(name_of_set) + " has no functions of " +
                        std::string(symbol_of(n.protons)) + "; allowed: a basis set with all elements of the molecule");
    }
    for (contraction const& c : known->second) {
      shell one{.l = c.l,
                .spherical = c.spherical && c.l > 1,
                .at = n.at,
                .exponents = c.exponents,
                .coefficients = c.coefficients,
                .first = found.functions};
      normalise(one);
      found.functions += one.functions();
      found.all.push_back(std::move(one));
    }
  }
  return found;
}

shell_pair pair_of(shells const& of, std::uint32_t i, std::uint32_t j) {
  if (of.all[i].l < of.all[j].l) std::swap(i, j);
  shell const& first = of.all[i];
  shell const& second = of.all[j];
  double const distance = square_distance(first.at, second.at);
  shell_pair found{.i = i, .j = j, .primitives = {}};
  for (std::size_t p = 0; p < first.exponents.size(); ++p) {
    for (std::size_t q = 0; q < second.exponents.size(); ++q) {
      double const a = first.exponents[p];
      double const b = second.exponents[q];
      double const e = a + b;
      found.primitives.push_back(
          {.a = a,
           .b = b,
           .exponent = e,
           .centre = {(a * first.at.x + b * second.at.x) / e, (a * first.at.y + b * second.at.y) / e,
                      (a * first.at.z + b * second.at.z) / e},
           .factor = first.coefficients[p] * second.coefficients[q] * std::exp(-a * b / e * distance)});
    }
  }
  return found;
}

std::span<std::array<unsigned, 3> const> powers_of(unsigned l) noexcept {
  constexpr std::array<std::size_t, most_l + 2> begins{0, 1, 4, 10};
  return std::span(all_powers).subspan(begins[l], begins[l + 1] - begins[l]);
}

void make_spherical(shell const& of, std::size_t position, std::span<std::size_t> sizes, std::vector<double>& block,
                    std::vector<double>& scratch) {
  if (!of.spherical) return;
  std::size_t before = 1;
  std::size_t after = 1;
  for (std::size_t d = 0; d < sizes.size(); ++d) (d < position ? before : after) *= d == position ? 1 : sizes[d];
  scratch.assign(before * spherical_d.size() * after, 0);
  for (std::size_t o = 0; o < before; ++o) {
    for (std::size_t m = 0; m < spherical_d.size(); ++m) {
      double* const into = &scratch[(o * spherical_d.size() + m) * after];
      for (std::size_t c = 0; c < 6; ++c) {
        double const weight = spherical_d[m][c];
        if (weight == 0) continue;
        double const* const from = &block[(o * 6 + c) * after];
        for (std::size_t e = 0; e < after; ++e) into[e] += weight * from[e];
      }
    }
  }
  sizes[position] = spherical_d.size();
  block.swap(scratch);
}

}  // namespace skua::apps::hartree_fock::molecules
