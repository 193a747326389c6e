// SPDX-License-Identifier: MIT
#include "skua/machine/sim/simulator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <sstream>

#include "skua/machine/sim/checker.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/policy/combinations_for_test.hpp"
#include "skua/policy/registry.hpp"
#include "skua/program/recorder.hpp"
#include "tests/programs/effort.hpp"
#include "tests/programs/outline.hpp"
#include "tests/programs/random_runs.hpp"
#include "tests/programs/random_tree.hpp"

namespace skua { inline namespace v0 { namespace sim { namespace {

std::string lines(std::vector<std::string> const& faults) {
  std::string text;
  for (std::string const& f : faults) text += f + "\n";
  return text;
}

run_result run_as(std::string_view name, task_tree const& program, layout const& where, rules const& by = {}) {
  auto const scheduler = policies::make_policy(name, where, by.seed);
  return run(program, *scheduler, where, by);
}

std::uint64_t steals(run_result const& result) {
  return std::accumulate(result.steals_by_distance.begin(), result.steals_by_distance.end(), std::uint64_t{0});
}

task_tree fib_tree(int n) {
  return record([n](auto& here) {
    auto const fib = [](auto const& self, auto& h, int k) -> void {
      if (k < 2) return;
      h.join([&, k](auto& g) { self(self, g, k - 1); }, [&, k](auto& g) { self(self, g, k - 2); });
    };
    fib(fib, here, n);
  });
}

/// A balanced binary tree with 2^depth leaves of `cost` flops.
void balanced(auto& here, int depth, double cost) {
  if (depth == 0) return here.leaf(flops{cost}, [] {});
  here.join([=](auto& h) { balanced(h, depth - 1, cost); }, [=](auto& h) { balanced(h, depth - 1, cost); });
}

/// `workers` in packages of sixteen, or in one place if they fill no package.
layout layout_for(std::uint32_t workers) {
  if (workers % 16 != 0) return layout::flat(workers);
  return layout(topology::synthetic("package:" + std::to_string(workers / 16) + " numa:1 l3:1 core:16 pu:1"));
}

/// A policy's name as an identifier for test names.
std::string word_of(std::string name) {
  std::ranges::replace_if(name, [](char c) { return c == ':' || c == '-'; }, '_');
  return name;
}

/// All policies of the registry, and variants.
std::vector<std::string> every_policy() {
  std::vector<std::string> names = testing::whole_policies();
  names.insert(names.end(), {"adws:no-steal", "adws:paper"});
  return names;
}

class on_every_policy : public ::testing::TestWithParam<std::string> {};

TEST_P(on_every_policy, random_programs_run_correctly_on_any_number_of_workers) {
  constexpr std::uint32_t some_workers[] = {1, 2, 3, 5, 7, 16, 48, 64};
  testing::each_random_run(testing::full_or(120U, 40U), some_workers, [](std::uint64_t seed, std::uint32_t workers) {
    dice roll(seed);
    task_tree const program = random_tree::make(seed, random_shape(roll));
    rules const by{.seed = seed,
                   .unit = seed % 2 == 0 ? unit::flops : unit::leaves,
                   .fork_ticks = seed % 3,
                   .probe_ticks = 1 + seed % 4,
                   .lost_per_mille = seed % 5 == 0 ? 300U : 0U,
                   .slot_refusals_allowed = GetParam().find("adws") == std::string::npos};
    layout const where = layout_for(workers);
    run_result const result = run_as(GetParam(), program, where, by);
    ASSERT_EQ(lines(faults_of(result, program, where, by)), "");
  });
}

TEST_P(on_every_policy, one_worker_runs_a_program_of_joins_in_serial_order_and_never_steals) {
  task_tree const program = fib_tree(12);
  run_result const result = run_as(GetParam(), program, layout::flat(1));
  ASSERT_EQ(lines(faults_of(result, program, layout::flat(1))), "");
  EXPECT_TRUE(std::ranges::is_sorted(result.order));
  EXPECT_EQ(static_cast<double>(result.makespan), weigh(program, {}).work);
  EXPECT_EQ(result.workers[0].parks, 0U);
}

TEST_P(on_every_policy, same_seed_same_run_and_another_seed_another_one) {
  task_tree const program = fib_tree(14);
  layout const where = layout_for(64);
  EXPECT_EQ(run_as(GetParam(), program, where, {.seed = 5}), run_as(GetParam(), program, where, {.seed = 5}));
  EXPECT_NE(run_as(GetParam(), program, where, {.seed = 5}), run_as(GetParam(), program, where, {.seed = 6}));
}

TEST_P(on_every_policy, much_parallelism_gives_linear_speed_up) {
  task_tree const program = record([](auto& h) { balanced(h, 12, 200); });
  rules const by{.unit = unit::flops};
  double const work = weigh(program, by).work;
  for (std::uint32_t const workers : {2U, 4U, 16U, 64U}) {
    layout const where = layout_for(workers);
    double const speed_up = work / static_cast<double>(run_as(GetParam(), program, where, by).makespan);
    EXPECT_GT(speed_up, 0.9 * workers) << workers << " workers";
  }
}

TEST_P(on_every_policy, an_empty_program_and_one_without_parallelism_end) {
  task_tree const empty;
  EXPECT_EQ(run_as(GetParam(), empty, layout::flat(64)).makespan, 1U);
  task_tree chain;
  for (int i = 0; i < 1000; ++i) chain.add(0, tree_node_kind::leaf);
  run_result const result = run_as(GetParam(), chain, layout::flat(64));
  EXPECT_EQ(lines(faults_of(result, chain, layout::flat(64))), "");
  EXPECT_EQ(result.makespan, 1000U);
  EXPECT_LE(steals(result), 1U) << "at most the root, from the mailbox in which it was placed";
}

TEST_P(on_every_policy, a_scope_parked_above_offered_joins_loses_nothing) {
  // The first child of a join waits in a scope for a stolen child, while the join still offers its second child.
  task_tree const program = record([](auto& here) {
    here.join(
        [](auto& h) {
          h.scope([&](auto& s) {
            s.spawn([](auto& g) { g.leaf(flops{500}, [] {}); });
            h.leaf(flops{20}, [] {});
          });
          h.leaf(flops{1}, [] {});
        },
        [](auto& h) { h.leaf(flops{50}, [] {}); }, [](auto& h) { h.leaf(flops{50}, [] {}); });
  });
  std::uint64_t parks = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    for (std::uint32_t const workers : {2U, 3U, 4U}) {
      rules const by{.seed = seed, .unit = unit::flops};
      run_result const result = run_as(GetParam(), program, layout::flat(workers), by);
      ASSERT_EQ(lines(faults_of(result, program, layout::flat(workers), by)), "") << "seed " << seed;
      for (worker_counters const& t : result.workers) parks += t.parks;
    }
  }
  EXPECT_GT(parks, 0U);
}

INSTANTIATE_TEST_SUITE_P(policies, on_every_policy, ::testing::ValuesIn(every_policy()),
                         [](auto const& each) { return word_of(each.param); });

class on_every_greedy_policy : public ::testing::TestWithParam<char const*> {};

TEST_P(on_every_greedy_policy, the_time_is_that_of_greedy_scheduling) {
  // [blumofe-leiserson-99]: expected T_P = T1/P + O(Tinf). The worst of 4800 runs of three shapes took 2.4 times
  // T1/P + Tinf (wide joins of leaves that cost no more than a probe).
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    for (tree_shape const& shape :
         {tree_shape{.tasks = 2000, .most_flops = 100},
          tree_shape{.tasks = 300, .most_children = 8, .most_flops = 1, .scope_percent = 0}}) {
      task_tree const program = random_tree::make(seed, shape);
      rules const by{.seed = seed, .unit = unit::flops};
      totals const all = weigh(program, by);
      for (std::uint32_t const workers : {2U, 4U, 16U, 64U}) {
        double const makespan = static_cast<double>(run_as(GetParam(), program, layout_for(workers), by).makespan);
        EXPECT_LE(makespan, 4 * (all.work / workers + all.span)) << "seed " << seed << ", " << workers << " workers";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(policies, on_every_greedy_policy, ::testing::Values("random", "hierarchical"),
                         [](auto const& each) { return word_of(each.param); });

TEST(simulator, a_thief_takes_all_children_of_the_group_that_have_not_started) {
  // One group of three; the thief steals once and so runs the second and the third child.
  task_tree const program = record([](auto& here) {
    here.join([](auto& h) { h.leaf(flops{1000}, [] {}); }, [](auto& h) { h.leaf(flops{10}, [] {}); },
              [](auto& h) { h.leaf(flops{10}, [] {}); });
  });
  run_result const result = run_as("random", program, layout::flat(2), {.unit = unit::flops});
  ASSERT_EQ(lines(result.faults), "");
  EXPECT_EQ(steals(result), 1U);
  EXPECT_NE(result.turns[2].worker, result.turns[4].worker);
  EXPECT_EQ(result.turns[4].worker, result.turns[6].worker);
}

TEST(simulator, the_last_to_finish_continues_the_stack_that_waits) {
  task_tree program = record([](auto& here) {
    here.join([](auto& h) { h.leaf(flops{10}, [] {}); }, [](auto& h) { h.leaf(flops{1000}, [] {}); });
    here.leaf(flops{7}, [] {});
  });
  run_result const result = run_as("random", program, layout::flat(2), {.unit = unit::flops});
  ASSERT_EQ(lines(result.faults), "");
  tree_node_id const stolen_task = 4;
  EXPECT_NE(result.turns[0].worker, result.turns[stolen_task].worker);
  EXPECT_EQ(result.turns[6].worker, result.turns[stolen_task].worker);
  EXPECT_EQ(result.turns[6].begin, result.turns[5].end);
  EXPECT_EQ(result.workers[index(result.turns[0].worker)].parks, 1U);
  EXPECT_EQ(result.workers[index(result.turns[stolen_task].worker)].resumes, 1U);
}

TEST(simulator, hierarchical_steals_nearer_than_random) {
  task_tree const program = record([](auto& h) { balanced(h, 13, 30); });
  layout const where = layout_for(64);
  rules const by{.unit = unit::flops};
  auto const far_share = [&](char const* name) {
    run_result const result = run_as(name, program, where, by);
    EXPECT_EQ(lines(faults_of(result, program, where, by)), "");
    return static_cast<double>(result.steals_by_distance.back()) / static_cast<double>(steals(result));
  };
  double const random_share = far_share("random");
  double const hierarchical_share = far_share("hierarchical");
  EXPECT_GT(random_share, 0.6) << "48 of 63 victims are far";
  EXPECT_LT(hierarchical_share, 0.5 * random_share);
}

TEST(simulator, a_deep_program_needs_no_deep_stack) {
  task_tree program;
  tree_node_id at = 0;
  for (int i = 0; i < 100'000; ++i) at = program.add(program.add(at, tree_node_kind::join), tree_node_kind::task);
  EXPECT_EQ(lines(faults_of(run_as("random", program, layout::flat(4)), program, layout::flat(4))), "");
}

TEST(simulator, senseless_rules_are_refused) {
  task_tree const program;
  auto const refused = [&](rules const& by) {
    EXPECT_THROW(run_as("random", program, layout::flat(2), by), usage_error);
  };
  refused({.probe_ticks = 0});
  refused({.units_per_tick = 0});
  refused({.units_per_tick = -1});
  refused({.units_per_tick = std::nan("")});
  refused({.units_per_tick = std::numeric_limits<double>::infinity()});
  refused({.lost_per_mille = 1000});
}

}}}}  // namespace skua::v0::sim
