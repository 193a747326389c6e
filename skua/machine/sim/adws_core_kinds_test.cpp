// SPDX-License-Identifier: MIT
// ADWS on cores of several speeds: whole simulated runs against the speed-weighted bound, the work over the sum of the speeds.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "skua/machine/sim/groups_for_test.hpp"
#include "skua/machine/sim/model/machine_models.hpp"
#include "skua/machine/sim/model/model_costs.hpp"

namespace skua { inline namespace v0 { namespace sim { namespace {

constexpr double leaf_ns = 1000;

void halves(auto& here, int depth) {
  if (depth == 0) return here.leaf(flops{leaf_ns}, [] {});
  auto const half = [=](auto& h) { halves(h, depth - 1); };
  here.join(half, half);
}

/// A shipped model with other words, all of whose slow cores compute at their speed.
machine_model with_cores(std::string const& words) {
  std::string text{machine_model::shipped_text("core-i7-12700")};
  std::size_t const from = text.find("[kinds]");
  text.erase(from, text.find("[first_level_cache]") - from);
  std::string const core = "core:12(speed=8x1,4x0.6)";
  text.replace(text.find(core), core.size(), words);
  return machine_model::parse(text, "kinds.toml");
}

struct outcome_of_run {
  run_result result;
  double over_bound = 0;  ///< makespan over the bound
};

outcome_of_run run_on(machine_model const& machine, std::string const& name, task_tree const& program, double leaves,
                      std::uint64_t seed) {
  layout const where = machine.layout_of({});
  model_costs prices(machine, machine.numbers(), where, {.flops_per_ns = 1});
  rules const by{.seed = seed, .spin_ticks = prices.spin(), .ticks_per_ns = 1000};
  auto const scheduler = policies::make_policy(name, where, seed);
  observer nobody;
  outcome_of_run all{.result = run(program, *scheduler, where, by, prices, nobody)};
  EXPECT_TRUE(all.result.finished) << name << ", seed " << seed;
  EXPECT_TRUE(all.result.faults.empty()) << name << ", seed " << seed << ": " << all.result.faults.front();
  double speed = 0;
  for (std::uint32_t w = 0; w < where.workers(); ++w) speed += where.speed_of(worker_id{w});
  all.over_bound = static_cast<double>(all.result.makespan) / (1000 * leaf_ns * leaves / speed);
  return all;
}

TEST(adws_core_kinds, without_stealing_dividing_by_speed_ends_at_the_bound_and_dividing_equally_does_not) {
  task_tree const program = record([](auto& h) { halves(h, 14); });
  struct {
    char const* words;
    double equal;  ///< the slowest worker's share by number, over that by speed
  } const machines[] = {{"core:12(speed=8x1,4x0.6)", 10.4 / 12 / 0.6},
                        {"core:8(speed=4x0.39,4x1)", 5.56 / 8 / 0.39},
                        {"core:4(speed=2x1,0.5,0.25)", 2.75 / 4 / 0.25}};
  for (auto const& m : machines) {
    SCOPED_TRACE(m.words);
    machine_model const machine = with_cores(m.words);
    EXPECT_LT(run_on(machine, "adws:no-steal", program, 1 << 14, 1).over_bound, 1.03);
    EXPECT_NEAR(run_on(machine, "adws:no-steal,equal", program, 1 << 14, 1).over_bound, m.equal, 0.03 * m.equal);
  }
}

TEST(adws_core_kinds, every_leaf_runs_on_the_same_worker_in_each_run_and_for_each_seed) {
  task_tree const program = record([](auto& h) { halves(h, 10); });
  machine_model const machine = with_cores("core:8(speed=4x0.39,4x1)");
  run_result const first = run_on(machine, "adws:no-steal", program, 1 << 10, 1).result;
  for (std::uint64_t const seed : {1U, 2U, 3U}) {
    run_result const again = run_on(machine, "adws:no-steal", program, 1 << 10, seed).result;
    for (tree_node_id i = 0; i < program.size(); ++i) ASSERT_EQ(first.turns[i].worker, again.turns[i].worker) << i;
  }
}

TEST(adws_core_kinds, with_stealing_random_machines_come_close_to_the_bound) {
  task_tree const program = record([](auto& h) { halves(h, 13); });
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    dice roll(seed);
    std::uint32_t const cores = 2 + roll.below(15);
    std::string list;
    for (std::uint32_t c = 0; c < cores; ++c) list += (c == 0 ? "" : ",") + std::to_string(1 + roll.below(4));
    machine_model const machine = with_cores("core:" + std::to_string(cores) + "(speed=" + list + ")");
    EXPECT_LT(run_on(machine, "adws", program, 1 << 13, seed).over_bound, 1.1) << list;
    EXPECT_LT(run_on(machine, "adws:no-steal", program, 1 << 13, seed).over_bound, 1.1) << list;
  }
}

TEST(adws_core_kinds, on_cores_of_one_kind_it_decides_as_if_it_divided_equally) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random_run const given(seed);
    for (char const* words : {"core:12", "core:12(speed=0.7)"}) {
      machine_model const machine = with_cores(words);
      EXPECT_EQ(run_on(machine, "adws", given.program, 1, seed).result,
                run_on(machine, "adws:equal", given.program, 1, seed).result);
    }
  }
}

TEST(adws_core_kinds, random_programs_run_without_a_fault_on_random_kinds) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random_run const given(seed);
    dice roll(seed * 31);
    std::uint32_t const cores = 2 + roll.below(12);
    std::string list;
    for (std::uint32_t c = 0; c < cores; ++c) list += (c == 0 ? "" : ",") + std::to_string(1 + roll.below(100));
    machine_model const machine = with_cores("core:" + std::to_string(cores) + "(speed=" + list + ")");
    for (char const* name : {"adws", "adws:no-steal", "adws:widen"}) {
      run_result const made = run_on(machine, name, given.program, 1, seed).result;
      for (tree_node_id i = 0; i < given.program.size(); ++i) {
        tree_node_kind const kind = given.program[i].kind;
        bool const runs = kind == tree_node_kind::task || kind == tree_node_kind::leaf || kind == tree_node_kind::step;
        ASSERT_EQ(made.turns[i].times, runs ? 1U : 0U) << name << ", node " << i;
      }
    }
  }
}

}}}}  // namespace skua::v0::sim
