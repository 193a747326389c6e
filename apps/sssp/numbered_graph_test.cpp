// SPDX-License-Identifier: MIT
// Nodes keep the names that their file gives them, and memory follows the arcs.
#include "apps/sssp/numbered_graph.hpp"

#include <gtest/gtest.h>

#include <string>

#include "apps/sssp/problem.hpp"

namespace skua::apps::sssp { namespace {

/// The text of the distances from a node.
std::string distances_from(std::uint64_t name, numbered_graph const& g) {
  std::string text;
  write_distances(
      dijkstra(g.arcs(), g.number_of(name).value()).distances, [&](node n) { return g.name_of(n); },
      [&](std::string_view piece) { text += piece; });
  return text;
}

TEST(numbered_graph, all_nodes_of_a_declared_graph_exist) {
  numbered_graph const g({.arcs = {{1, 3, 5}}, .declared = 4});
  EXPECT_EQ(g.nodes(), 4U);
  EXPECT_EQ(g.arcs().nodes(), 4U);
  EXPECT_EQ(distances_from(1, g), "1 0\n3 5\n");
  EXPECT_EQ(distances_from(2, g), "2 0\n");
  EXPECT_FALSE(g.number_of(0).has_value());
  EXPECT_FALSE(g.number_of(5).has_value());
}

TEST(numbered_graph, huge_declared_graph_takes_no_more_memory_than_its_arcs) {
  named_graph const read{.arcs = {{2'000'000'000, 7, 5}, {7, 8, 1}}, .declared = most_nodes};
  numbered_graph const g(read);
  EXPECT_EQ(g.nodes(), most_nodes);
  EXPECT_EQ(g.arcs().nodes(), 3U);
  EXPECT_EQ(distances_from(2'000'000'000, g), "7 5\n8 6\n2000000000 0\n");
  EXPECT_FALSE(g.number_of(9).has_value());
  EXPECT_EQ(distances_from(9, numbered_graph(read, 9)), "9 0\n");
  EXPECT_EQ(numbered_graph(read, most_nodes).number_of(most_nodes), node{3});
  EXPECT_FALSE(numbered_graph(read, 0).number_of(0).has_value());
  EXPECT_EQ(distances_from(1, numbered_graph({.arcs = {}, .declared = most_nodes})), "1 0\n");
}

TEST(numbered_graph, names_of_edges_may_be_any_numbers) {
  for (std::uint64_t const step : {std::uint64_t{1}, std::uint64_t{50'000}, std::uint64_t{1} << 61}) {
    numbered_graph const g({.arcs = {{7 * step, 5 * step, 2}, {5 * step, 0, 3}}});
    EXPECT_EQ(g.nodes(), 3U) << step;
    EXPECT_EQ(g.name_of(0), 0U);
    EXPECT_EQ(distances_from(7 * step, g),
              "0 5\n" + std::to_string(5 * step) + " 2\n" + std::to_string(7 * step) + " 0\n");
    EXPECT_FALSE(g.number_of(6 * step).has_value());
  }
}

}}  // namespace skua::apps::sssp
