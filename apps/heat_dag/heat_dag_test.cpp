// SPDX-License-Identifier: MIT
// The plate has the same bits as after plain steps, for every division into blocks, graphs and parts.
#include <gtest/gtest.h>

#include "apps/heat_dag/problem.hpp"
#include "skua/program/serial.hpp"

namespace skua::apps::heat_dag {
namespace {

TEST(heat_dag, bits_are_those_of_plain_steps) {
  for (std::size_t seed = 0; seed < 12; ++seed) {
    problem p({.n = 1 + seed * 13 % 70, .block = 1 + seed * 7 % 20, .iterations = 6, .seed = seed});
    for (std::size_t const overlapping : {1U, 2U, 6U}) {
      p.reset();
      serial here;
      program(here, p, overlapping);
      EXPECT_EQ(p.wrong(), "") << "seed " << seed << ", overlap " << overlapping;
    }
    p.reset();
    run_alone(p);
    EXPECT_EQ(p.wrong(), "");
  }
}

TEST(heat_dag, a_copy_before_a_neighbour_has_read_is_noticed) {
  problem p({.n = 32, .block = 16, .iterations = 1, .seed = 3});
  EXPECT_NE(p.wrong(), "");
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      p.compute(i, j, 0, 16);
      p.copy(i, j, 0, 16);
    }
  }
  EXPECT_NE(p.wrong(), "");
}

TEST(heat_dag, parts_of_a_task_make_the_task) {
  problem p({.n = 20, .block = 20, .iterations = 1, .seed = 3});
  p.compute(0, 0, 7, 20);
  p.compute(0, 0, 0, 7);
  p.copy(0, 0, 0, 13);
  p.copy(0, 0, 13, 20);
  EXPECT_EQ(p.wrong(), "");
}

TEST(heat_dag, graph_joins_each_block_with_its_neighbours) {
  problem p({.n = 48, .block = 16, .iterations = 1, .seed = 3});
  serial here;
  flow graph(here);
  add_iteration(graph, p);
  EXPECT_EQ(graph.nodes(), 18U);
  EXPECT_EQ(graph.edges(), 9U + 24U);  // a copy waits for its own computation, and for those of its neighbours
}

}  // namespace
}  // namespace skua::apps::heat_dag
