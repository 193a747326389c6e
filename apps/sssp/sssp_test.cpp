// SPDX-License-Identifier: MIT
// Tasks in either order find the distances that Dijkstra's algorithm finds, ours and that of Boost.Graph.
#include "apps/sssp/problem.hpp"

#include <gtest/gtest.h>

#include <array>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>

#include "skua/parts/base/error.hpp"
#include "skua/program/serial.hpp"

namespace skua::apps::sssp {
namespace {

template <graph Graph>
std::vector<distance> by_boost(Graph const& g, node source) {
  using lengths = boost::property<boost::edge_weight_t, distance>;
  boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, lengths> copy(g.nodes());
  for (node from = 0; from < g.nodes(); ++from) {
    g.for_each_arc(from, [&](node to, length cost) { boost::add_edge(from, to, lengths(cost), copy); });
  }
  std::vector<distance> distances(g.nodes());
  boost::dijkstra_shortest_paths(copy, source, boost::distance_map(distances.data()).distance_inf(unreachable));
  return distances;
}

template <graph Graph>
result run(Graph const& g, node source, choice how) {
  serial here;
  return program(here, g, source, how);
}

/// What must hold for every graph.
template <graph Graph>
void expect_right(Graph const& g, node source) {
  result const right = dijkstra(g, source);
  EXPECT_EQ(wrong(right.distances, by_boost(g, source)), "");
  result const ordered = run(g, source, choice::by_distance);
  EXPECT_EQ(wrong(ordered.distances, right.distances), "");
  EXPECT_EQ(wrong(run(g, source, choice::lifo).distances, right.distances), "");
  // One worker has Dijkstra's order but for ties, so it visits each node once.
  EXPECT_EQ(ordered.counts.relaxed, right.counts.relaxed);
  EXPECT_EQ(ordered.counts.stale, 0U);
  EXPECT_LE(ordered.counts.run, ordered.counts.spawned);
}

random_shape some_shape(std::uint64_t seed) {
  runtime::dice rolled{seed};
  return {.nodes = 1 + rolled.below(30),
          .density = rolled.below(11) / 10.0,
          .longest = std::array<length, 3>{1, 10, most_length}[seed % 3],
          .directed = seed % 2 == 0,
          .seed = rolled.next()};
}

TEST(sssp, distances_on_random_graphs_are_dijkstras) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random_shape const shape = some_shape(seed);
    auto const source = static_cast<node>(seed % shape.nodes);
    expect_right(dense_graph(shape), source);
    expect_right(random_sparse(shape), source);
  }
}

TEST(sssp, distances_on_larger_graphs_are_dijkstras) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    random_shape const shape{.nodes = 1000, .density = 0.01, .longest = 1000, .directed = seed % 2 == 0, .seed = seed};
    dense_graph const dense(shape);
    EXPECT_EQ(wrong(run(dense, 0, choice::by_distance).distances, by_boost(dense, 0)), "") << "seed " << seed;
    sparse_graph const sparse = random_sparse(shape);
    EXPECT_EQ(wrong(run(sparse, 0, choice::by_distance).distances, by_boost(sparse, 0)), "") << "seed " << seed;
  }
}

TEST(sssp, nodes_without_a_path_are_unreachable) {
  sparse_graph const g(4, std::array{arc{0, 1, 5}, arc{2, 0, 1}, arc{2, 3, 1}});
  EXPECT_EQ(run(g, 0, choice::by_distance).distances, (std::vector<distance>{0, 5, unreachable, unreachable}));
  expect_right(g, 0);
  expect_right(g, 3);
}

TEST(sssp, loops_and_longer_parallel_arcs_change_nothing) {
  sparse_graph const g(3,
                       std::array{arc{0, 0, 0}, arc{0, 1, 9}, arc{0, 1, 4}, arc{0, 1, 7}, arc{1, 1, 3}, arc{1, 2, 0}});
  EXPECT_EQ(run(g, 0, choice::by_distance).distances, (std::vector<distance>{0, 4, 4}));
  expect_right(g, 0);
}

TEST(sssp, one_node_is_at_distance_zero) {
  EXPECT_EQ(run(sparse_graph(1, {}), 0, choice::lifo).distances, (std::vector<distance>{0}));
  expect_right(sparse_graph(1, {}), 0);
  expect_right(dense_graph({.nodes = 1, .density = 1}), 0);
}

TEST(sssp, without_arcs_only_the_source_is_reached) {
  EXPECT_EQ(run(sparse_graph(3, {}), 1, choice::lifo).distances, (std::vector<distance>{unreachable, 0, unreachable}));
  expect_right(sparse_graph(3, {}), 1);
}

TEST(sssp, longest_arcs_do_not_overflow) {
  sparse_graph const g(3, std::array{arc{0, 1, most_length}, arc{1, 2, most_length}});
  EXPECT_EQ(run(g, 0, choice::by_distance).distances.back(), distance{2} * most_length);
}

TEST(sssp, work_is_linear_by_distance_and_exponential_newest_first) {
  // From each even node a long arc, the newest, leads to the next even one, and a detour of length 0 leads there too. So
  // newest first tries all sums of long arcs, from the longest down.
  constexpr node rungs = 10;
  std::vector<arc> arcs;
  for (node i = 0; i < rungs; ++i) {
    arcs.push_back({2 * i, 2 * i + 1, 0});
    arcs.push_back({2 * i, 2 * i + 2, 1U << (rungs - 1 - i)});
    arcs.push_back({2 * i + 1, 2 * i + 2, 0});
  }
  sparse_graph const g(2 * rungs + 1, arcs);
  result const ordered = run(g, 0, choice::by_distance);
  result const newest_first = run(g, 0, choice::lifo);
  EXPECT_EQ(ordered.distances, newest_first.distances);
  EXPECT_EQ(ordered.counts.run, 2 * rungs + 1);
  EXPECT_GE(newest_first.counts.run, 1U << rungs);
}

TEST(sssp, stale_tasks_are_counted_newest_first) {
  // Node 1 is spawned twice by node 0, and the newest task has the shorter way.
  result const got = run(sparse_graph(2, std::array{arc{0, 1, 9}, arc{0, 1, 4}}), 0, choice::lifo);
  EXPECT_EQ(got.counts.spawned, 3U);
  EXPECT_EQ(got.counts.run, 3U);
  EXPECT_EQ(got.counts.stale, 1U);
  EXPECT_EQ(got.counts.relaxed, 2U);
}

TEST(sssp, dense_graph_is_symmetric_unless_directed) {
  for (bool const directed : {false, true}) {
    constexpr node n = 60;
    dense_graph const g({.nodes = n, .density = 0.5, .longest = 1000, .directed = directed, .seed = 5});
    std::vector<length> lengths(std::size_t{n} * n);
    std::size_t arcs = 0;
    for (node v = 0; v < n; ++v) {
      g.for_each_arc(v, [&](node to, length cost) {
        ++arcs;
        ASSERT_TRUE(to != v && cost >= 1 && cost <= 1000);
        lengths[v * n + to] = cost;
      });
    }
    EXPECT_NEAR(static_cast<double>(arcs), n * (n - 1) / 2.0, 300);  // 7 standard deviations
    bool symmetric = true;
    for (node v = 0; v < n; ++v) {
      for (node to = 0; to < n; ++to) symmetric = symmetric && lengths[v * n + to] == lengths[to * n + v];
    }
    EXPECT_EQ(symmetric, !directed);
  }
}

TEST(sssp, impossible_graphs_and_sources_are_refused) {
  EXPECT_THROW(dense_graph({.nodes = 0}), usage_error);
  EXPECT_THROW(dense_graph({.nodes = 3, .density = 1.1}), usage_error);
  EXPECT_THROW(dense_graph({.nodes = 3, .density = 0.5, .longest = 0}), usage_error);
  EXPECT_THROW(random_sparse({.nodes = most_nodes, .density = 1}), usage_error);
  EXPECT_THROW(sparse_graph(3, std::array{arc{0, 3, 1}}), usage_error);
  EXPECT_THROW(sparse_graph(3, std::array{arc{0, 1, most_length + 1}}), usage_error);
  EXPECT_THROW(dijkstra(sparse_graph(3, {}), 3), usage_error);
  EXPECT_THROW(run(sparse_graph(3, {}), 3, choice::lifo), usage_error);
}

TEST(sssp, wrong_distances_are_named) {
  EXPECT_EQ(wrong(std::vector<distance>{0, 4}, std::vector<distance>{0, unreachable}),
            "sssp: node 1 is 4; right is unreachable");
  EXPECT_EQ(wrong(std::vector<distance>{0}, std::vector<distance>{0, 1}), "sssp: 1 distances; right are 2");
}

TEST(by_distance, owners_take_the_nearest_and_thieves_any) {
  std::atomic<distance> const known = 10;
  int earlier = 0;
  for (node n = 0; n < 1000; ++n) {
    by_distance const near(known, n, 5);
    by_distance const far(known, n + 1, 7);
    ASSERT_LT(near.key({.steals = false}), far.key({.steals = false}));
    earlier += near.key({.steals = true}) < far.key({.steals = true}) ? 1 : 0;
  }
  EXPECT_NEAR(earlier, 500, 120);  // 7 standard deviations
}

TEST(by_distance, task_is_dead_once_a_shorter_path_is_known) {
  std::atomic<distance> known = 10;
  by_distance const task(known, 0, 10);
  EXPECT_FALSE(task.is_dead());
  known = 9;
  EXPECT_TRUE(task.is_dead());
}

}  // namespace
}  // namespace skua::apps::sssp
