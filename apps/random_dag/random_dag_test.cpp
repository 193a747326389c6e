// SPDX-License-Identifier: MIT
// The values of a random graph do not depend on the order, and every wrong visit shows.
#include <gtest/gtest.h>

#include "apps/random_dag/problem.hpp"
#include "skua/program/serial.hpp"

namespace skua::apps::random_dag { namespace {

shape some_shape(std::uint64_t seed, bool growing) {
  return {.layers = 1 + static_cast<std::uint32_t>(seed % 9),
          .width = 1 + static_cast<std::uint32_t>(seed * 5 % 17),
          .edges = 1 + static_cast<std::uint32_t>(seed % 4),
          .rounds = 3,
          .growing = growing,
          .seed = seed};
}

TEST(random_dag, flow_computes_what_the_nodes_in_order_do) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    for (bool const growing : {false, true}) {
      problem p(some_shape(seed, growing));
      EXPECT_NE(p.wrong(), "");
      serial here;
      program(here, p);
      EXPECT_EQ(p.wrong(), "") << "seed " << seed;
      p.reset();
      run_alone(p);
      EXPECT_EQ(p.wrong(), "") << "seed " << seed;
    }
  }
}

TEST(random_dag, missing_repeated_and_early_visits_are_noticed) {
  problem p({.layers = 3, .width = 2, .edges = 2, .rounds = 2, .growing = true, .seed = 2});
  run_alone(p);
  ASSERT_EQ(p.wrong(), "");
  p.visit(3);
  EXPECT_NE(p.wrong(), "");
  p.reset();
  for (std::uint32_t const i : {2U, 0U, 1U, 3U, 4U, 5U}) p.visit(i);  // node 2 too early, and no node has grown
  EXPECT_NE(p.wrong(), "");
}

TEST(random_dag, growing_nodes_precede_where_their_chains_lead) {
  problem const p({.layers = 20, .width = 10, .edges = 3, .rounds = 1, .growing = true, .seed = 5});
  std::uint32_t added = 0;
  for (std::uint32_t i = 0; i < p.nodes(); ++i) {
    added += p.added_by(i);
    EXPECT_TRUE(p.added_by(i) == 0 || !p.after(i).empty());
    for (std::uint32_t const b : p.before(i)) EXPECT_EQ(b / 10 + 1, i / 10);
  }
  EXPECT_GT(added, 100U);
}

}}  // namespace skua::apps::random_dag
