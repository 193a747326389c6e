// SPDX-License-Identifier: MIT
// Every task runs once in each iteration, under each balance and pattern, on ranks that are threads.
#include "apps/synthetic/over_ranks.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "apps/synthetic/loads.hpp"
#include "skua/machine/ranks/transport/ranks_for_test.hpp"

namespace skua::apps::synthetic { namespace {

iterated_loads some_loads(variation_pattern pattern, std::uint32_t iterations) {
  return {.means_ns = loads({.of = shape::uniform, .mean_ns = 2000}, 300, 5),
          .variation = 0.8,
          .pattern = pattern,
          .seed = 5,
          .iterations = iterations};
}

std::uint64_t total_of(iterated_loads const& of) {
  varied_times varied(of.means_ns, of.position(), of.variation, of.pattern, of.seed);
  std::vector<std::uint64_t> now(of.means_ns.size());
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < of.iterations; ++i) {
    varied.write(i, now);
    for (std::uint64_t const ns : now) sum += ns;
  }
  return sum;
}

TEST(synthetic_loads_over_ranks, run_each_task_once_in_every_iteration) {
  struct {
    std::uint32_t ranks, workers;
    char const* balance;
    variation_pattern pattern;
  } const cases[] = {{1, 1, "auto", variation_pattern::each},         {2, 1, "steal", variation_pattern::drift},
                     {3, 1, "none", variation_pattern::jump},         {4, 1, "retentive", variation_pattern::oscillate},
                     {2, 2, "hierarchical", variation_pattern::jump}, {3, 1, "auto", variation_pattern::jump}};
  for (auto const& c : cases) {
    SCOPED_TRACE(std::to_string(c.ranks) + " ranks, " + c.balance);
    ranks::on_ranks(c.ranks, [&](communicator& world) {
      iterated_loads const given = some_loads(c.pattern, 10);
      std::uint32_t told = 0;
      ranks_plan plan{.balance = c.balance, .workers = c.workers};
      plan.tell = [&](collection_report const& r, ranks_report const&) {
        EXPECT_EQ(r.tasks, given.means_ns.size());
        ++told;
      };
      iterated_outcome const got = over_ranks(world, given, plan);
      EXPECT_EQ(got.wrong, "");
      EXPECT_EQ(told, 10U);
      EXPECT_EQ(got.sum_ns, total_of(given));
    });
  }
}

TEST(synthetic_loads_over_ranks, continue_from_a_checkpoint_with_the_times_of_the_next_iteration) {
  auto const folder = std::filesystem::path(testing::TempDir()) / "synthetic_checkpoint";
  std::filesystem::remove_all(folder);
  ranks_plan plan{.balance = "retentive", .checkpoint = folder.string(), .workers = 1};
  ranks::on_ranks(2, [&](communicator& world) {
    EXPECT_EQ(over_ranks(world, some_loads(variation_pattern::each, 3), plan).wrong, "");
  });
  ranks::on_ranks(3, [&](communicator& world) {
    iterated_loads const given = some_loads(variation_pattern::each, 5);
    std::uint32_t told = 0;
    ranks_plan next = plan;
    next.tell = [&](collection_report const&, ranks_report const&) { ++told; };
    iterated_outcome const got = over_ranks(world, given, next);
    EXPECT_EQ(got.wrong, "");
    EXPECT_EQ(told, 2U);
    EXPECT_EQ(got.sum_ns, total_of(given));
  });
  std::filesystem::remove_all(folder);
}

TEST(synthetic_loads_over_ranks, of_sleeping_tasks_end_as_well) {
  ranks::on_ranks(2, [&](communicator& world) {
    iterated_loads given = some_loads(variation_pattern::each, 2);
    given.how = pastime::sleep;
    EXPECT_EQ(over_ranks(world, given, {.balance = "steal", .workers = 1}).wrong, "");
  });
}

}}  // namespace skua::apps::synthetic
