// SPDX-License-Identifier: MIT
#include "apps/hull/points.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "skua/parts/base/dice.hpp"

namespace skua::apps::hull {
namespace {

/// A number in (-1, 1), symmetric around 0.
double coordinate(runtime::dice& rolled) noexcept { return 2 * rolled.unit() - (1 - 0x1.0p-53); }

std::int64_t on_grid(double x) noexcept { return std::llround(x * static_cast<double>(radius)); }

std::string text(point const& p) { return "(" + std::to_string(p.x) + ", " + std::to_string(p.y) + ")"; }

bool left_turn(point const& a, point const& b, point const& c) noexcept { return outside({a, b}, c) < 0; }

/// Appends p to a chain that turns left everywhere, and drops the points that p makes concave. Keeps the first `fixed`.
void extend(std::vector<point>& chain, std::size_t fixed, point const& p) {
  while (chain.size() > fixed && !left_turn(chain[chain.size() - 2], chain.back(), p)) chain.pop_back();
  chain.push_back(p);
}

/// True if p is in the convex polygon or on its border. Finds its triangle in the fan around the first vertex.
bool contains(std::span<point const> hull, point const& p) {
  if (hull.size() == 1) return p == hull[0];
  if (hull.size() == 2) return outside({hull[0], hull[1]}, p) == 0 && hull[0] <= p && p <= hull[1];
  if (outside({hull[0], hull[1]}, p) > 0 || outside({hull.back(), hull[0]}, p) > 0) return false;
  auto const beyond = std::partition_point(hull.begin() + 2, hull.end() - 1,
                                           [&](point const& v) { return outside({hull[0], v}, p) <= 0; });
  return outside({*(beyond - 1), *beyond}, p) <= 0;
}

}  // namespace

std::vector<point> make_points(shape where, std::size_t n, std::uint64_t seed) {
  runtime::dice rolled{seed};
  std::vector<point> made;
  made.reserve(n);
  while (made.size() < n) {
    double const x = coordinate(rolled);
    double const y = coordinate(rolled);
    double const square = x * x + y * y;
    if (square >= 1 || square == 0) continue;
    double const scale = where == shape::on ? 1 / std::sqrt(square) : 1;
    made.push_back({on_grid(x * scale), on_grid(y * scale)});
  }
  return made;
}

std::vector<point> monotone_chain(std::span<point const> ascending) {
  std::vector<point> chain{ascending.front()};
  if (ascending.front() == ascending.back()) return chain;
  for (point const& p : ascending.subspan(1)) {
    if (p != chain.back()) extend(chain, 1, p);
  }
  std::size_t const lower = chain.size();
  for (std::size_t i = ascending.size(); i-- > 0;) {
    if (ascending[i] != chain.back()) extend(chain, lower, ascending[i]);
  }
  chain.pop_back();  // it repeats the first point
  return chain;
}

std::string flaw(std::span<point const> hull, std::span<point const> ascending) {
  if (hull.empty()) return "the hull has no vertices";
  for (point const& v : hull) {
    if (!std::ranges::binary_search(ascending, v)) return "the vertex " + text(v) + " is not a point of the input";
  }
  // Once around: from the least vertex up to the greatest, and down again.
  auto const top = std::ranges::is_sorted_until(hull) - 1;
  if (hull[0] != *std::ranges::min_element(hull) || !std::is_sorted(top, hull.end(), std::greater<>{})) {
    return "the hull does not go around once from its least vertex";
  }
  for (std::size_t i = 0; i < hull.size() && hull.size() > 1; ++i) {
    point const& a = hull[i];
    point const& b = hull[(i + 1) % hull.size()];
    point const& c = hull[(i + 2) % hull.size()];
    if (hull.size() == 2 ? a == b : !left_turn(a, b, c)) return "the hull is not strictly convex at " + text(b);
  }
  for (point const& p : ascending) {
    if (!contains(hull, p)) return "the point " + text(p) + " is outside the hull";
  }
  return {};
}

}  // namespace skua::apps::hull
