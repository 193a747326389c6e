// SPDX-License-Identifier: MIT
#include "apps/strips/mesh.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "apps/checks.hpp"
#include "skua/parts/base/dice.hpp"

namespace skua::apps::strips {
namespace {

/// One of the three edges of a triangle; equal ends mean the same edge.
struct side {
  std::uint64_t ends;
  triangle of;
  std::uint32_t number;
};

std::vector<side> sorted_sides(std::span<corners const> triangles) {
  std::vector<side> all;
  all.reserve(3 * triangles.size());
  for (triangle t = 0; t < triangles.size(); ++t) {
    auto const& c = triangles[t];
    if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0]) continue;
    for (std::uint32_t i = 0; i < 3; ++i) {
      auto const [low, high] = std::minmax(c[i], c[(i + 1) % 3]);
      all.push_back({std::uint64_t{low} << 32 | high, t, i});
    }
  }
  std::ranges::sort(all, {}, [](side const& s) { return std::pair(s.ends, s.of); });
  return all;
}

/// A torus of rows x columns vertices, as large as needed.
struct grid {
  std::uint32_t rows;
  std::uint32_t columns;

  /// Rows and columns that wrap.
  [[nodiscard]] vertex at(std::uint32_t row, std::uint32_t column) const noexcept {
    return row % rows * columns + column % columns;
  }
  [[nodiscard]] std::size_t squares() const noexcept { return std::size_t{rows} * columns; }
};

/// Which squares belong to no hole: discs of up to 6 squares across, one per 200 squares, take some 5 % of them.
std::vector<bool> kept_squares(grid const& g, runtime::dice& rolled) {
  std::vector<bool> kept(g.squares(), true);
  for (std::size_t left = g.squares() / 200; left > 0; --left) {
    std::uint32_t const row = rolled.below(g.rows);
    std::uint32_t const column = rolled.below(g.columns);
    std::uint32_t const radius = 1 + rolled.below(3);
    for (std::uint32_t y = 0; y <= 2 * radius; ++y) {
      for (std::uint32_t x = 0; x <= 2 * radius; ++x) {
        auto const across = static_cast<double>(y) - radius;
        auto const along = static_cast<double>(x) - radius;
        if (across * across + along * along < radius * radius) kept[g.at(row + y, column + x)] = false;
      }
    }
  }
  return kept;
}

}  // namespace

mesh::mesh(std::vector<corners> triangles) : corners_(std::move(triangles)) {
  require_between("strips: the number of triangles", static_cast<std::int64_t>(corners_.size()), 1, most_triangles);
  neighbours_.assign(corners_.size(), {nobody, nobody, nobody});
  auto const sides = sorted_sides(corners_);
  for (std::size_t begin = 0; begin < sides.size();) {
    std::size_t end = begin;
    while (end < sides.size() && sides[end].ends == sides[begin].ends) ++end;
    for (std::size_t i = begin; i + 1 < end; i += 2) {
      side const& a = sides[i];
      side const& b = sides[i + 1];
      neighbours_[a.of][a.number] = b.of;
      neighbours_[b.of][b.number] = a.of;
    }
    if (end - begin > 2) ++crowded_edges_;
    begin = end;
  }
}

bool share_edge(corners const& a, corners const& b) noexcept {
  return std::ranges::count_if(a, [&b](vertex v) { return std::ranges::find(b, v) != b.end(); }) >= 2;
}

mesh generated_surface(triangle triangles, std::uint64_t seed) {
  require_between("strips: the number of triangles", std::int64_t{triangles}, 1, most_triangles);
  auto const across = static_cast<std::uint32_t>(std::ceil(std::sqrt(triangles * 0.55))) + 3;  // 10 % to spare
  grid const g{across, across};
  runtime::dice rolled{seed};
  auto const kept = kept_squares(g, rolled);
  std::vector<corners> all;
  all.reserve(triangles);
  for (std::uint32_t row = 0; row < g.rows; ++row) {
    for (std::uint32_t column = 0; column < g.columns; ++column) {
      if (!kept[g.at(row, column)]) continue;
      vertex const a = g.at(row, column);
      vertex const b = g.at(row, column + 1);
      vertex const c = g.at(row + 1, column + 1);
      vertex const d = g.at(row + 1, column);
      bool const falls = rolled.below(2) == 0;
      auto divided =
          falls ? std::array{corners{a, b, c}, corners{a, c, d}} : std::array{corners{a, b, d}, corners{b, c, d}};
      for (corners& one : divided) {
        std::ranges::rotate(one, one.begin() + rolled.below(3));
        if (all.size() < triangles) all.push_back(one);
      }
    }
  }
  return mesh(std::move(all));
}

}  // namespace skua::apps::strips
