// SPDX-License-Identifier: MIT
#include "apps/bipartition/graph.hpp"

#include <algorithm>
#include <string>

#include "apps/checks.hpp"
#include "skua/parts/base/dice.hpp"

namespace skua::apps::bipartition {

graph::graph(std::uint32_t vertices, std::span<edge const> edges) : vertices_(vertices) {
  require_between("bipartition: the number of vertices", std::int64_t{vertices}, 1, most_vertices);
  row_length_ = (vertices + 7) / 8 * 8;
  weights_.assign(vertices * row_length_, 0);
  neighbours_.assign(vertices, 0);
  sorted_.assign(vertices * row_length_, {});
  ranks_.assign(vertices * row_length_, 0);
  weight_of_.assign(vertices, 0);
  for (auto const& [u, v, w] : edges) {
    require_between("bipartition: an edge's end", std::int64_t{std::max(u, v)}, 0, std::int64_t{vertices} - 1);
    require_between("bipartition: an edge's weight", std::int64_t{w}, 1, most_weight);
    if (u == v || contains(neighbours_[u], v)) {
      throw usage_error("bipartition: the edge " + std::to_string(u) + " - " + std::to_string(v) +
                        (u == v ? " is a loop" : " occurs twice") + "; allowed: one edge between two vertices");
    }
    for (auto const& [from, to] : {std::pair{u, v}, std::pair{v, u}}) {
      weights_[from * row_length_ + to] = w;
      sorted_[from * row_length_ + size(neighbours_[from])] = {w, to};
      neighbours_[from] |= only(to);
      weight_of_[from] += w;
    }
    total_weight_ += w;
  }
  for (std::uint32_t v = 0; v < vertices; ++v) {
    auto const mine = std::span(sorted_).subspan(v * row_length_, size(neighbours_[v]));
    std::ranges::stable_sort(mine, {}, &neighbour::weight);
    for (std::size_t i = 0; i < mine.size(); ++i) {
      ranks_[v * row_length_ + mine[i].vertex] = static_cast<std::uint8_t>(i);
    }
  }
}

graph random_graph(std::uint32_t vertices, double density, cost heaviest, std::uint64_t seed) {
  require_between("bipartition: the density", density, 0, 1);
  require_between("bipartition: the heaviest weight", std::int64_t{heaviest}, 1, most_weight);
  runtime::dice rolled{seed};
  std::vector<edge> edges;
  for (std::uint32_t v = 1; v < vertices; ++v) {
    for (std::uint32_t u = 0; u < v; ++u) {
      if (rolled.unit() >= density) continue;
      edges.push_back({u, v, 1 + static_cast<cost>(rolled.below(static_cast<std::uint32_t>(heaviest)))});
    }
  }
  return {vertices, edges};
}

}  // namespace skua::apps::bipartition
