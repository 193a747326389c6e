// SPDX-License-Identifier: MIT
// What wrong work hints cost under adws:widen where there is no locality to gain, against random stealing, on a machine model
// with prices for every look at another worker.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "skua/machine/sim/groups_for_test.hpp"
#include "skua/machine/sim/model/machine_models.hpp"
#include "skua/machine/sim/model/model_costs.hpp"

namespace skua::inline v0::sim {
namespace {

constexpr std::uint32_t workers = 64;
constexpr double leaf_ns = 1000;

/// Two halves of equal work; by the hints the first has `factor` times the work of the second, at every level.
void misjudged(auto& here, int depth, double factor) {
  if (depth == 0) return here.leaf(flops{leaf_ns}, [] {});
  auto const half = [=](auto& h) { misjudged(h, depth - 1, factor); };
  here.join(work{factor}, half, work{1}, half);
}

/// Median makespan of three seeds, in leaves.
double median_leaves(std::string_view policy_name, task_tree const& program) {
  machine_model const machine = machine_model::load("xeon-6130-4s");
  layout const where = machine.layout_of({.workers = workers, .order = runtime::spread::scatter});
  std::vector<double> all;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    model_costs costs(machine, machine.numbers(), where, {.flops_per_ns = 1});
    rules const by{.seed = seed, .spin_ticks = costs.spin(), .ticks_per_ns = 1000};
    auto const scheduler = policies::make_policy(policy_name, where, seed);
    observer nobody;
    run_result const result = run(program, *scheduler, where, by, costs, nobody);
    EXPECT_TRUE(result.finished) << policy_name << ", seed " << seed;
    all.push_back(static_cast<double>(result.makespan) / (1000 * leaf_ns));
  }
  std::ranges::sort(all);
  return all[1];
}

struct times {
  double random;
  double adws;
  double widened;
};

/// 2^14 leaves of 1 us: 256 for each of the 64 workers.
times with_hints_wrong_by(double factor) {
  task_tree const program = record([=](auto& h) { misjudged(h, 14, factor); });
  times const t{median_leaves("random", program), median_leaves("adws", program), median_leaves("adws:widen", program)};
  testing::Test::RecordProperty("adws_over_random", std::to_string(t.adws / t.random));
  testing::Test::RecordProperty("widened_over_random", std::to_string(t.widened / t.random));
  testing::Test::RecordProperty("widened_over_ideal", std::to_string(t.widened / 256));
  return t;
}

TEST(adws_wrong_hints, that_are_wrong_twofold_cost_a_tenth_of_the_time_at_most) {
  times const t = with_hints_wrong_by(2);
  EXPECT_LT(t.widened, 1.10 * t.random);
  EXPECT_GT(t.adws, 1.10 * t.random) << "what the option is for";
}

TEST(adws_wrong_hints, that_are_wrong_tenfold_cost_a_tenth_of_the_time_at_most) {
  times const t = with_hints_wrong_by(10);
  EXPECT_LT(t.widened, 1.10 * t.random);
  EXPECT_GT(t.adws, 1.10 * t.random) << "what the option is for";
}

TEST(adws_wrong_hints, right_ones_beat_random_stealing) {
  times const t = with_hints_wrong_by(1);
  EXPECT_LT(t.adws, 0.95 * t.random);
  EXPECT_LT(t.widened, 0.95 * t.random);
}

}  // namespace
}  // namespace skua::inline v0::sim
