// SPDX-License-Identifier: MIT
// Directed graphs whose arcs have lengths. A sparse graph keeps its arcs; a dense one computes each arc anew from a hash,
// because the paper's graph has 112 million. An undirected edge is two arcs. [strategies-2013 5]
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "skua/parts/base/dice.hpp"

namespace skua::apps::sssp {

using node = std::uint32_t;    ///< numbered from 0
using length = std::uint32_t;  ///< of an arc; 0 is allowed
using distance = std::uint64_t;
inline constexpr distance unreachable = std::numeric_limits<distance>::max();
inline constexpr node most_nodes = std::numeric_limits<std::int32_t>::max();
inline constexpr length most_length = std::numeric_limits<std::int32_t>::max();  // no path overflows a distance

/// g.for_each_arc(from, visit) calls visit(to, length) for each arc that leaves `from`.
template <class G>
concept graph = requires(G const& g, node from) {
  { g.nodes() } -> std::same_as<node>;
  g.for_each_arc(from, [](node, length) {});
};

struct arc {
  node from = 0;
  node to = 0;
  length cost = 0;
};

/// Keeps the arcs of each node in a row, in the order in which they were given: 8 bytes per arc. Loops and parallel arcs are allowed.
class sparse_graph {
 public:
  /// 1 to most_nodes nodes. Throws usage_error. Work O(nodes + arcs).
  sparse_graph(node nodes, std::span<arc const> arcs);

  [[nodiscard]] node nodes() const noexcept { return static_cast<node>(first_.size() - 1); }
  [[nodiscard]] std::size_t arcs() const noexcept { return targets_.size(); }
  template <class Visit>
  void for_each_arc(node from, Visit&& visit) const {
    for (std::size_t i = first_[from]; i < first_[from + 1]; ++i) visit(targets_[i].to, targets_[i].cost);
  }

 private:
  struct target {
    node to;
    length cost;
  };
  std::vector<std::size_t> first_;  ///< of each node, in targets_, and the end
  std::vector<target> targets_;
};

struct random_shape {
  node nodes = 1;
  double density = 0;  ///< share of the possible arcs, without loops, that exist
  length longest = 1;  ///< lengths are 1 to longest
  bool directed = false;
  std::uint64_t seed = 1;
};

/// G(n, p): each arc exists with probability `density`. It needs no memory; to visit a node's arcs takes O(nodes).
class dense_graph {
 public:
  /// Throws usage_error.
  explicit dense_graph(random_shape const& shape);

  [[nodiscard]] node nodes() const noexcept { return shape_.nodes; }
  template <class Visit>
  void for_each_arc(node from, Visit&& visit) const {
    for (node to = 0; to < shape_.nodes; ++to) {
      std::uint64_t const number = rolled(from, to);
      if (to == from || (number >> 32) >= exists_below_) continue;
      visit(to, 1 + static_cast<length>((number & 0xffff'ffff) * shape_.longest >> 32));
    }
  }

 private:
  /// The same number in both directions if the graph is undirected.
  [[nodiscard]] std::uint64_t rolled(node from, node to) const noexcept {
    bool const turned = !shape_.directed && to < from;
    std::uint64_t const row = turned ? to : from;
    std::uint64_t const column = turned ? from : to;
    return runtime::dice{start_ + row * shape_.nodes + column}.next();
  }

  random_shape shape_;
  std::uint64_t start_;
  std::uint64_t exists_below_;  ///< of 2^32
};

/// G(n, m): `density` of all possible edges, with random ends; so it has some loops and parallel edges. Throws usage_error.
sparse_graph random_sparse(random_shape const& shape);

static_assert(graph<sparse_graph> && graph<dense_graph>);

}  // namespace skua::apps::sssp
