// SPDX-License-Identifier: MIT
#include "apps/hartree_fock/purification.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "apps/hartree_fock/edge_level.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::apps::hartree_fock {
namespace {

constexpr std::uint32_t most_products = 150;
constexpr double drift = 0.2;              // hartree, of a level from where it is expected
constexpr double separated = 0.9;          // from here on traces decide
constexpr double near_projector = 1e-3;    // trace of X - X^2: only levels near the gap are left in it
constexpr double nearly_projector = 1e-7;  // the next step of each kind squares it

/// x = a x + b square + c.
void combine(double a, shared_matrix& x, double b, shared_matrix& square, double c) {
  own_rows const to(x);
  own_rows const from(square);
  for (std::size_t e = 0; e < to.all().size(); ++e) to.all()[e] = a * to.all()[e] + b * from.all()[e];
  for (std::size_t i = 0; c != 0 && i < to.count; ++i) to.diagonal(i) += c;
}

}  // namespace

/// Gershgorin's discs contain all eigenvalues.
purification::interval purification::bounds(shared_matrix& f) const {
  own_rows const rows(f);
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (std::size_t i = 0; i < rows.count; ++i) {
    double radius = -std::abs(rows.diagonal(i));
    for (double const x : rows.row(i)) radius += std::abs(x);
    low = std::min(low, rows.diagonal(i) - radius);
    high = std::max(high, rows.diagonal(i) + radius);
  }
  std::array<double, 2> both{-low, high};
  algebra_.world().max(std::span(both));
  return {-both[0], both[1] > -both[0] ? both[1] : 1 - both[0]};
}

/// x = (high - f) / (high - low): eigenvalues from 0 to 1, the occupied ones above the others.
void purification::begin(shared_matrix& f, interval const& in, shared_matrix& x) const {
  own_rows const from(f);
  own_rows const to(x);
  double const scale = 1 / (in.high - in.low);
  for (std::size_t e = 0; e < to.all().size(); ++e) to.all()[e] = -scale * from.all()[e];
  for (std::size_t i = 0; i < to.count; ++i) to.diagonal(i) += scale * in.high;
}

void purification::square(shared_matrix& x, workspace const& work) {
  ++products_;
  algebra_.multiply_symmetric(work.square, x, x);
}

/// Scaled steps, chosen by two numbers in the gap alone, which they follow: the empty levels are below both, the occupied ones above.
void purification::approach(double empty, double occupied, shared_matrix& x, workspace const& work) {
  while (occupied - empty < separated && products_ < most_products) {
    square(x, work);
    if (empty > 1 - occupied) {  // x^2, after a shift by which [0, empty] lies around 0
      double const s = 2 / (2 - empty);
      combine(2 * s * (1 - s), x, s * s, work.square, (1 - s) * (1 - s));
      empty = (s * empty + 1 - s) * (s * empty + 1 - s);
      occupied = (s * occupied + 1 - s) * (s * occupied + 1 - s);
    } else {  // the same from the other end
      double const s = 2 / (1 + occupied);
      combine(2 * s, x, -s * s, work.square, 0);
      empty = 1 - (1 - s * empty) * (1 - s * empty);
      occupied = 1 - (1 - s * occupied) * (1 - s * occupied);
    }
  }
}

/// Of x^2 and 2 x - x^2 the one that brings the trace nearer to the number of occupied levels, until x is a projector.
void purification::finish(std::uint32_t occupied, shared_matrix& x, workspace const& work) {
  int left = -1;  // steps; not known yet
  bool squares = false;
  bool has_difference = false;
  while (left != 0) {
    if (products_ >= most_products) {
      throw resource_error("hartree-fock: no density after " + std::to_string(most_products) +
                           " products: there is no gap above level " + std::to_string(occupied));
    }
    square(x, work);
    std::array<double, 2> traces{0, 0};
    own_rows const rows(x);
    own_rows const of_square(work.square);
    for (std::size_t i = 0; i < rows.count; ++i) {
      traces[0] += rows.diagonal(i);
      traces[1] += of_square.diagonal(i);
    }
    algebra_.world().sum(std::span(traces));
    double const error = traces[0] - traces[1];
    if (!has_difference && error < near_projector) {
      own_rows const to(work.difference);
      for (std::size_t e = 0; e < to.all().size(); ++e) to.all()[e] = rows.all()[e] - of_square.all()[e];
      has_difference = true;
    }
    if (left < 0 && error < nearly_projector) left = 2;
    squares = left == 1 ? !squares : std::abs(traces[1] - occupied) < std::abs(2 * traces[0] - traces[1] - occupied);
    if (squares) {
      std::swap(x, work.square);
    } else {
      combine(2, x, -1, work.square, 0);
    }
    if (left > 0) --left;
  }
}

frontier_levels purification::frontier(shared_matrix& f, std::uint32_t occupied, shared_matrix& projector,
                                       shared_matrix& difference) const {
  auto const n = static_cast<std::uint32_t>(f.rows());
  auto const within = [&](bool is_occupied) {
    return [&, is_occupied](std::vector<double> v) {
      std::vector<double> inside = algebra_.times(projector, v);
      for (std::size_t i = 0; !is_occupied && i < v.size(); ++i) inside[i] = v[i] - inside[i];
      return inside;
    };
  };
  return {.highest_occupied = edge_level(algebra_, f, difference, within(true), occupied),
          .lowest_empty = edge_level(algebra_, f, difference, within(false), n - occupied)};
}

frontier_levels purification::project(shared_matrix& f, std::uint32_t occupied, std::optional<frontier_levels> expected,
                                      shared_matrix& projector, workspace const& work) {
  products_ = 0;
  interval const in = bounds(f);
  begin(f, in, projector);
  auto const place_of = [&](double level) { return std::clamp((in.high - level) / (in.high - in.low), 0.0, 1.0); };
  // Levels beyond these two may change their order.
  double const empty = expected ? expected->lowest_empty + drift : 0;
  double const full = expected ? expected->highest_occupied - drift : 0;
  if (full < empty) approach(place_of(empty), place_of(full), projector, work);
  finish(occupied, projector, work);
  frontier_levels const found = frontier(f, occupied, projector, work.difference);
  bool const is_sure = !expected || (found.lowest_empty <= empty && found.highest_occupied >= full);
  return is_sure ? found : project(f, occupied, {}, projector, work);
}

}  // namespace skua::apps::hartree_fock
