// SPDX-License-Identifier: MIT
#include "apps/sssp/graph.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>

#include "apps/checks.hpp"

namespace skua::apps::sssp {
namespace {

random_shape const& validated(random_shape const& shape) {
  require_between("sssp: the number of nodes", std::int64_t{shape.nodes}, 1, most_nodes);
  require_between("sssp: the density", shape.density, 0, 1);
  require_between("sssp: the longest arc", std::int64_t{shape.longest}, 1, most_length);
  return shape;
}

}  // namespace

sparse_graph::sparse_graph(node nodes, std::span<arc const> arcs) {
  require_between("sssp: the number of nodes", std::int64_t{nodes}, 1, most_nodes);
  first_.assign(std::size_t{nodes} + 1, 0);
  targets_.resize(arcs.size());
  for (arc const& a : arcs) {
    require_between("sssp: an arc's end", std::int64_t{std::max(a.from, a.to)}, 0, std::int64_t{nodes} - 1);
    require_between("sssp: an arc's length", std::int64_t{a.cost}, 0, most_length);
    ++first_[a.from];
  }
  // Counts, summed up, are the ends of the rows; filled from behind, they become the begins, and rows keep the arcs' order.
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  for (arc const& a : arcs | std::views::reverse) targets_[--first_[a.from]] = {a.to, a.cost};
}

dense_graph::dense_graph(random_shape const& shape)
    : shape_(validated(shape)), start_(runtime::dice{shape.seed}.next()),
      exists_below_(static_cast<std::uint64_t>(std::ceil(shape.density * 0x1p32))) {}

sparse_graph random_sparse(random_shape const& shape) {
  double const possible = static_cast<double>(validated(shape).nodes) * (shape.nodes - 1.0) / (shape.directed ? 1 : 2);
  require_between("sssp: the number of edges", possible * shape.density, 0, 0x1p32);
  auto const edges = static_cast<std::size_t>(std::llround(possible * shape.density));
  runtime::dice rolled{shape.seed};
  std::vector<arc> arcs;
  arcs.reserve(shape.directed ? edges : 2 * edges);
  for (std::size_t i = 0; i < edges; ++i) {
    arc const a{rolled.below(shape.nodes), rolled.below(shape.nodes), 1 + rolled.below(shape.longest)};
    arcs.push_back(a);
    if (!shape.directed) arcs.push_back({a.to, a.from, a.cost});
  }
  return {shape.nodes, arcs};
}

}  // namespace skua::apps::sssp
