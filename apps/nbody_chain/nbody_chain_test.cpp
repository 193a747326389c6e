// SPDX-License-Identifier: MIT
// Bodies move by the forces of the others, in any division into parts to the same bits, and every wrong task shows.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "apps/nbody_chain/problem.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/program/serial.hpp"
#include "skua/skua.hpp"

namespace skua::apps::nbody_chain { namespace {

TEST(nbody_chain, a_body_moves_by_the_mean_force) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    runtime::dice roll{seed};
    std::vector<float> sources(1 + roll.below(100));
    for (float& x : sources) x = static_cast<float>(roll.unit());
    std::vector<float> targets(1 + roll.below(50));
    for (float& x : targets) x = static_cast<float>(roll.unit());
    std::vector<float> const before = targets;
    n_body(targets, sources);
    for (std::size_t i = 0; i < targets.size(); ++i) {
      double force = 0;
      for (float const source : sources) {
        double const dx = double{source} - before[i];
        force += dx / std::sqrt(dx * dx + softening);
      }
      double const right = before[i] + time_step * force / static_cast<double>(sources.size());
      EXPECT_NEAR(targets[i], right, 1e-6) << "seed " << seed << ", body " << i;
    }
  }
}

TEST(nbody_chain, bodies_around_the_middle_stay_there) {
  std::vector<float> const sources{-1, 1, -2, 2};
  std::vector<float> middle{0};
  n_body(middle, sources);
  EXPECT_EQ(middle[0], 0);
  std::vector<float> outside{5};
  n_body(outside, sources);
  EXPECT_LT(outside[0], 5) << "attraction";
}

TEST(nbody_chain, every_schedule_gives_the_bits_of_the_serial_run) {
  pool four({.workers = 4, .policy = "arms", .topology = "package:1 numa:1 l3:1 core:4"});
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    problem p(
        {.n = 1 + 23 * seed, .iterations = 1 + 5 * seed, .remote = seed % 2 == 1, .fresh = seed % 4 > 1, .seed = seed});
    EXPECT_NE(p.wrong(), "");
    serial here;
    program(here, p);
    EXPECT_EQ(p.wrong(), "");
    p.reset();
    four.run([&](auto& h) { program(h, p); });
    EXPECT_EQ(p.wrong(), "");
    std::uint64_t tasks = 0;
    for (auto const& [partition, count] : p.partitions()) {
      EXPECT_EQ(partition.first % partition.second, 0U) << "a leader of blocks of this width";
      EXPECT_LE(partition.first + partition.second, 4U);
      tasks += count;
    }
    EXPECT_EQ(tasks, 2 * p.iterations());
  }
}

TEST(nbody_chain, parts_of_a_task_make_the_task) {
  problem p({.n = 77, .iterations = 3});
  for (std::uint64_t i = 0; i < 2 * p.iterations(); ++i) {
    p.run(i % 2, 50, 77);
    p.run(i % 2, 0, 3);
    p.run(i % 2, 3, 50);
  }
  EXPECT_EQ(p.wrong(), "");
}

TEST(nbody_chain, missing_repeated_and_exchanged_tasks_are_noticed) {
  problem p({.n = 20, .iterations = 2});
  p.run(0, 0, 20);
  p.run(1, 0, 20);
  p.run(0, 0, 20);
  EXPECT_NE(p.wrong(), "");
  p.run(1, 0, 19);
  EXPECT_NE(p.wrong(), "") << "a row is missing";
  p.run(1, 19, 20);
  EXPECT_EQ(p.wrong(), "");
  p.run(1, 4, 5);
  EXPECT_NE(p.wrong(), "") << "repeated";
  p.reset();
  for (std::size_t const task : {1U, 0U, 1U, 0U}) p.run(task, 0, 20);
  EXPECT_NE(p.wrong(), "") << "exchanged";
}

TEST(nbody_chain, a_fresh_iteration_has_bodies_that_no_other_one_touches) {
  problem p({.n = 20, .iterations = 2, .fresh = true});
  p.run(0, 0, 20, 0);
  p.run(1, 0, 20, 0);
  EXPECT_NE(p.wrong(), "") << "the second iteration is missing";
  p.run(0, 0, 20, 1);
  p.run(1, 0, 20, 1);
  EXPECT_EQ(p.wrong(), "");
  EXPECT_EQ(p.bodies(0, 1).data() - p.bodies(0, 0).data(), 20);
}

TEST(nbody_chain, arrays_lie_where_the_tasks_that_write_them_run) {
  auto const places_of = [](bool remote, std::uint32_t places) {
    problem p({.n = 20, .iterations = 1, .remote = remote});
    std::vector<std::uint32_t> all;
    for (owned_array const& a : p.owned(places)) {
      auto const shares = a.shares();
      EXPECT_EQ(shares.size(), 1U);
      EXPECT_EQ(shares[0].count, 20U);
      all.push_back(runtime::index(shares[0].place));
    }
    return all;
  };
  EXPECT_EQ(places_of(false, 2), (std::vector<std::uint32_t>{0, 0}));
  EXPECT_EQ(places_of(true, 2), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(places_of(true, 8), (std::vector<std::uint32_t>{2, 6}));
  EXPECT_EQ(places_of(true, 1), (std::vector<std::uint32_t>{0, 0}));
}

TEST(nbody_chain, remote_tasks_have_addresses_half_of_the_line_apart) {
  problem const local({.n = 1});
  EXPECT_EQ(local.at(0), local.at(1));
  problem const remote({.n = 1, .remote = true});
  EXPECT_EQ(remote.at(1).fraction - remote.at(0).fraction, 1U << 31);
}

}}  // namespace skua::apps::nbody_chain
