// SPDX-License-Identifier: MIT
// Small undirected graphs whose sets of vertices are the bits of one word, and random ones. [strategies-2013 4]
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace skua::apps::bipartition {

/// A weight, or a sum of weights: the heaviest graph just fits.
using cost = std::int32_t;
inline constexpr std::uint32_t most_vertices = 64;
inline constexpr cost most_weight = 1'000'000;

/// Bit v stands for the vertex v.
using vertex_set = std::uint64_t;

constexpr std::uint32_t size(vertex_set s) noexcept { return static_cast<std::uint32_t>(std::popcount(s)); }
constexpr bool contains(vertex_set s, std::uint32_t v) noexcept { return (s >> v & 1) != 0; }
constexpr vertex_set only(std::uint32_t v) noexcept { return vertex_set{1} << v; }

/// Calls visit(v) for the vertices of s, ascending.
template <class Visit>
constexpr void for_each_in(vertex_set s, Visit&& visit) {
  for (; s != 0; s &= s - 1) visit(static_cast<std::uint32_t>(std::countr_zero(s)));
}

struct edge {
  std::uint32_t u = 0;
  std::uint32_t v = 0;
  cost weight = 1;
};

/// Its vertices are to be divided: vertices() / 2 into side A, the rest into side B.
class graph {
 public:
  struct neighbour {
    cost weight = 0;
    std::uint32_t vertex = 0;
  };

  graph() = default;
  /// 1 to most_vertices vertices, weights from 1 to most_weight. No loops, and at most one edge between two vertices.
  /// Throws usage_error.
  graph(std::uint32_t vertices, std::span<edge const> edges);

  [[nodiscard]] std::uint32_t vertices() const noexcept { return vertices_; }
  [[nodiscard]] std::uint32_t size_of_a() const noexcept { return vertices_ / 2; }
  [[nodiscard]] std::uint32_t size_of_b() const noexcept { return vertices_ - size_of_a(); }
  [[nodiscard]] vertex_set all() const noexcept { return ~vertex_set{0} >> (most_vertices - vertices_); }

  /// 0: no edge.
  [[nodiscard]] cost weight(std::uint32_t u, std::uint32_t v) const noexcept { return row(u)[v]; }
  /// The weights of v's edges to all vertices, and zeros up to a multiple of 8.
  [[nodiscard]] std::span<cost const> row(std::uint32_t v) const noexcept {
    return std::span(weights_).subspan(v * row_length_, row_length_);
  }
  [[nodiscard]] vertex_set neighbours(std::uint32_t v) const noexcept { return neighbours_[v]; }
  /// v's neighbours, the lightest edge first.
  [[nodiscard]] std::span<neighbour const> lightest_first(std::uint32_t v) const noexcept {
    return std::span(sorted_).subspan(v * row_length_, size(neighbours(v)));
  }
  /// lightest_first(v)[i].weight
  [[nodiscard]] cost lightest(std::uint32_t v, std::uint32_t i) const noexcept {
    return sorted_[v * row_length_ + i].weight;
  }
  /// The position of u, a neighbour of v, in lightest_first(v).
  [[nodiscard]] std::uint32_t rank(std::uint32_t v, std::uint32_t u) const noexcept {
    return ranks_[v * row_length_ + u];
  }
  /// The weight of all edges of v.
  [[nodiscard]] cost weight_of(std::uint32_t v) const noexcept { return weight_of_[v]; }
  [[nodiscard]] cost total_weight() const noexcept { return total_weight_; }

  /// The weight of v's edges to the vertices of s.
  [[nodiscard]] cost weight_between(std::uint32_t v, vertex_set s) const noexcept {
    cost sum = 0;
    for_each_in(s & neighbours(v), [&](std::uint32_t u) { sum += weight(v, u); });
    return sum;
  }
  /// The weight of the edges between s and the rest. Work O(edges).
  [[nodiscard]] cost cut(vertex_set s) const noexcept {
    cost sum = 0;
    for_each_in(s, [&](std::uint32_t v) { sum += weight_between(v, all() & ~s); });
    return sum;
  }

 private:
  std::uint32_t vertices_ = 1;
  std::size_t row_length_ = 8;
  std::vector<cost> weights_ = std::vector<cost>(8);
  std::vector<vertex_set> neighbours_ = std::vector<vertex_set>(1);
  std::vector<neighbour> sorted_ = std::vector<neighbour>(8);
  std::vector<std::uint8_t> ranks_ = std::vector<std::uint8_t>(8);
  std::vector<cost> weight_of_ = std::vector<cost>(1);
  cost total_weight_ = 0;
};

/// G(n, p): each edge exists with probability `density`, with a random weight in 1 .. heaviest (1: unweighted). The same
/// on every machine. Throws usage_error.
graph random_graph(std::uint32_t vertices, double density, cost heaviest, std::uint64_t seed);

}  // namespace skua::apps::bipartition
