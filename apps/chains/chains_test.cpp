// SPDX-License-Identifier: MIT
// The closed form is what the steps compute, in any division into parts, and every wrong step shows.
#include <gtest/gtest.h>

#include "apps/chains/problem.hpp"
#include "skua/program/serial.hpp"

namespace skua::apps::chains { namespace {

shape some_shape(std::uint64_t seed, kernel runs) {
  return {.parallelism = 1 + static_cast<std::uint32_t>(seed % 3),
          .tasks = 1 + seed * 7 % 41,
          .runs = runs,
          .size = 1 + seed * 5 % 37,
          .seed = seed};
}

TEST(chains, flow_computes_the_closed_form) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (kernel const runs : {kernel::matmul, kernel::triad, kernel::mixed}) {
      problem p(some_shape(seed, runs));
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

TEST(chains, parts_of_a_step_make_the_step) {
  for (kernel const runs : {kernel::matmul, kernel::triad}) {
    problem p({.tasks = 25, .runs = runs, .size = 40});
    chain& c = p.chains().front();
    for (std::uint64_t step = 0; step < c.steps(); ++step) {
      c.run_rows(step, 23, 40);
      c.run_rows(step, 0, 7);
      c.run_rows(step, 7, 23);
      c.end_step(step);
    }
    EXPECT_EQ(p.wrong(), "");
  }
}

TEST(chains, part_of_a_step_touches_its_own_rows_and_all_of_the_right_factor) {
  auto const offset = [](void const* part, void const* whole) {
    return static_cast<char const*>(part) - static_cast<char const*>(whole);
  };
  for (kernel const runs : {kernel::matmul, kernel::triad}) {
    problem p({.tasks = 3, .runs = runs, .size = 40});
    chain const& c = p.chains().front();
    for (std::uint64_t step = 0; step < c.steps(); ++step) {
      auto const whole = c.read(step, 0, 40);
      auto const part = c.read(step, 7, 23);
      writes const to = c.written(step, 7, 23);
      auto const first_rows = static_cast<std::ptrdiff_t>(7 * part[0].stride);
      EXPECT_EQ(part[0].rows, 16U);
      EXPECT_EQ(offset(part[0].data, whole[0].data), first_rows);
      EXPECT_EQ(part[1].rows, runs == kernel::matmul ? 40U : 16U);
      EXPECT_EQ(offset(part[1].data, whole[1].data), runs == kernel::matmul ? 0 : first_rows);
      EXPECT_EQ(to.rows, 16U);
      EXPECT_EQ(offset(to.data, c.written(step, 0, 40).data), first_rows);
    }
  }
}

TEST(chains, missing_repeated_and_exchanged_steps_are_noticed) {
  for (kernel const runs : {kernel::matmul, kernel::triad, kernel::mixed}) {
    problem p({.tasks = 12, .runs = runs, .size = 8});
    chain& c = p.chains().front();
    for (std::uint64_t step = 0; step < 11; ++step) c.run(step);
    EXPECT_EQ(p.wrong(), "chains: chain 0: tasks: got 11, right is 12");
    c.end_step(11);  // as if its rows had been forgotten
    EXPECT_NE(p.wrong(), "");
    p.reset();
    for (std::uint64_t const step : {0, 1, 2, 3, 5, 4, 6, 7, 8, 9, 10, 11}) c.run(step);
    EXPECT_NE(p.wrong(), "");
  }
}

TEST(chains, partitions_are_counted_by_leader_and_width) {
  problem p({.parallelism = 2, .tasks = 40, .size = 8});
  serial here;
  program(here, p);
  EXPECT_EQ(p.partitions(), (partition_counts{{{0, 1}, 40}}));
  json_value facts = json_value::object();
  add_partitions(facts, {{{0, 1}, 3}, {{0, 2}, 5}, {{2, 2}, 7}});
  EXPECT_EQ(facts.dump(), R"({"partitions":{"[0, 1]":3,"[0, 2]":5,"[2, 2]":7},"widths":{"1":3,"2":12}})");
}

TEST(chains, tasks_are_dealt_out_evenly_and_types_alternate) {
  problem p({.parallelism = 3, .tasks = 11, .runs = kernel::mixed, .size = 2});
  EXPECT_EQ(p.chains()[0].steps(), 4U);
  EXPECT_EQ(p.chains()[1].steps(), 4U);
  EXPECT_EQ(p.chains()[2].steps(), 3U);
  EXPECT_EQ(p.chains()[0].type_of(0), triad_type);
  EXPECT_EQ(p.chains()[0].type_of(1), matmul_type);
  EXPECT_EQ(p.chains()[0].operations(1).count, 16);
  EXPECT_EQ(p.chains()[0].operations(0).count, 8);
}

}}  // namespace skua::apps::chains
