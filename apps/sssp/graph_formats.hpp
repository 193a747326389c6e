// SPDX-License-Identifier: MIT
// The three text formats in which graphs are handed around. Each reader keeps the arcs with the file's own names of nodes;
// numbered_graph.hpp numbers them.
//   DIMACS   .gr of the 9th implementation challenge (2006): `c comment`, once `p sp NODES ARCS`, `a FROM TO LENGTH`; nodes from 1
//   METIS    .graph: `%` comments, `NODES EDGES [FORMAT [WEIGHTS]]`, then a line per node with its neighbours; nodes from 1
//   edges    SNAP: `#` or `%` comments, `FROM TO [LENGTH]` per line; nodes have any numbers below 2^64
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "apps/sssp/graph.hpp"
#include "apps/text_reader.hpp"

namespace skua::apps::sssp {

enum class graph_format : std::uint8_t { dimacs, metis, edges };
inline constexpr std::array<std::string_view, 3> format_names{"dimacs", "metis", "edges"};

struct named_arc {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  length cost = 0;
};

struct named_graph {
  std::vector<named_arc> arcs;
  std::uint64_t declared = 0;  ///< nodes 1 to this exist; 0: those that arcs name
};

/// What the text looks like, by its first lines; a text of numbers is METIS if its name ends in .graph or .metis, or if it has
/// as many lines and numbers as its first line says. Rewinds. Throws usage_error.
[[nodiscard]] graph_format format_of(text_reader& in);

// Each throws usage_error, which begins with `name:line:`, where the text is not such a graph. Work O(bytes).
[[nodiscard]] named_graph read_dimacs(text_reader& in);
/// An edge without a weight has length 1; weights of nodes are skipped.
[[nodiscard]] named_graph read_metis(text_reader& in);
/// An edge without a third word has length 1. Each line is an arc; two, there and back, if `undirected`, or if a comment begins
/// with "Undirected graph", as SNAP's do.
[[nodiscard]] named_graph read_edges(text_reader& in, bool undirected);

}  // namespace skua::apps::sssp
