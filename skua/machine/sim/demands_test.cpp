// SPDX-License-Identifier: MIT
// What a policy may ask of the simulator beyond what the shipped policies need.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "skua/machine/sim/checker.hpp"
#include "skua/policy/demanding_for_test.hpp"
#include "tests/programs/random_tree.hpp"

namespace skua { inline namespace v0 { namespace sim { namespace {

using policies::demands;
using policies::seen_demands;

void run_all(demands const& by, seen_demands& seen) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    task_tree const program = random_tree::make(seed, {.tasks = 200, .scope_percent = 50});
    for (std::uint32_t const workers : {1U, 3U, 8U}) {
      layout const where = layout::flat(workers);
      policies::demanding scheduler(where, seed, by, seen);
      rules const as{.seed = seed};
      run_result const result = run(program, scheduler, where, as);
      std::vector<std::string> const faults = faults_of(result, program, where, as);
      ASSERT_TRUE(faults.empty()) << faults.front();
    }
  }
}

TEST(demands, popped_tasks_are_placed_again_where_the_policy_needs_that) {
  seen_demands seen;
  run_all({.needs = {.lanes = {lane::migrated}, .chosen = skua::policies::which_tasks::all}, .sends = true}, seen);
  EXPECT_GT(seen.chosen, 100U);
  EXPECT_GT(seen.sent, 50U);
  EXPECT_GT(seen.migrated, 50U);
}

TEST(demands, popped_tasks_are_not_placed_again_otherwise) {
  seen_demands seen;
  run_all({}, seen);
  EXPECT_EQ(seen.chosen, 0U);
}

TEST(demands, rests_are_told_where_the_policy_needs_that) {
  seen_demands seen;
  run_all({.needs = {.rests = true}}, seen);
  EXPECT_GT(seen.rests, 100U);
  EXPECT_EQ(seen.first_touches, 0U) << "these programs have no memory";
  seen_demands otherwise;
  run_all({}, otherwise);
  EXPECT_EQ(otherwise.rests, 0U);
}

TEST(demands, a_width_is_refused_and_the_task_runs_alone) {
  seen_demands seen;
  run_all({.width = 2, .fits = true}, seen);
  EXPECT_GT(seen.refused, 100U);
}

}}}}  // namespace skua::v0::sim
