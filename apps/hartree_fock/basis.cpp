// SPDX-License-Identifier: MIT
#include "apps/hartree_fock/basis.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "apps/hartree_fock/boys.hpp"

namespace skua::apps::hartree_fock {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double displacement = 1.6;
constexpr std::array<double, 9> exponents_on_atom{1741, 262.1, 60.33, 17.62, 5.933, 2.185, .859, .1806, .05835};
constexpr double exponent_beside = .3;
constexpr std::array<point, 6> directions{{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}}};

double reduced(gaussian const& a, gaussian const& b) noexcept {
  return a.exponent * b.exponent / (a.exponent + b.exponent);
}

}  // namespace

product product_of(gaussian const& a, gaussian const& b) noexcept {
  double const p = a.exponent + b.exponent;
  auto const between = [&](double at_a, double at_b) { return (a.exponent * at_a + b.exponent * at_b) / p; };
  return {.centre = {between(a.centre.x, b.centre.x), between(a.centre.y, b.centre.y), between(a.centre.z, b.centre.z)},
          .exponent = p,
          .factor = a.norm * b.norm * std::exp(-reduced(a, b) * square_distance(a.centre, b.centre))};
}

gaussian chain::function(std::uint32_t i) noexcept {
  std::uint32_t const kind = i % functions_per_atom;
  point at = atom(i / functions_per_atom);
  double exponent = exponent_beside;
  if (kind < exponents_on_atom.size()) {
    exponent = exponents_on_atom[kind];
  } else {
    point const& way = directions[kind - exponents_on_atom.size()];
    at = {at.x + displacement * way.x, displacement * way.y, displacement * way.z};
  }
  return {.centre = at, .exponent = exponent, .norm = std::pow(2 * exponent / pi, 0.75)};
}

double chain::repulsion_of_nuclei() const noexcept {
  double sum = 0;
  for (std::uint32_t distance = 1; distance < atoms; ++distance) {
    sum += (atoms - distance) * charge * charge / (spacing * distance);
  }
  return sum;
}

double chain::core(std::uint32_t i, std::uint32_t j) const noexcept {
  gaussian const a = function(i);
  gaussian const b = function(j);
  double sum = kinetic(a, b);
  for (std::uint32_t c = 0; c < atoms; ++c) sum -= charge * attraction(a, b, atom(c));
  return sum;
}

double overlap(gaussian const& a, gaussian const& b) noexcept {
  product const ab = product_of(a, b);
  return ab.factor * std::pow(pi / ab.exponent, 1.5);
}

double kinetic(gaussian const& a, gaussian const& b) noexcept {
  double const mu = reduced(a, b);
  return mu * (3 - 2 * mu * square_distance(a.centre, b.centre)) * overlap(a, b);
}

double attraction(gaussian const& a, gaussian const& b, point const& c) noexcept {
  product const ab = product_of(a, b);
  return 2 * pi / ab.exponent * ab.factor * boys(ab.exponent * square_distance(ab.centre, c));
}

double repulsion(product const& ab, product const& cd) noexcept {
  double const p = ab.exponent;
  double const q = cd.exponent;
  static double const two_pi_to_five_halves = 2 * std::pow(pi, 2.5);
  return two_pi_to_five_halves / (p * q * std::sqrt(p + q)) * ab.factor * cd.factor *
         boys(p * q / (p + q) * square_distance(ab.centre, cd.centre));
}

}  // namespace skua::apps::hartree_fock
