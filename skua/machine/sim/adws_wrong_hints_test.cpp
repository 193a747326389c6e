// SPDX-License-Identifier: MIT
// What wrong work hints cost under adws where there is no locality to gain, against random stealing, on a machine model
// with prices for every look at another worker.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "skua/machine/sim/groups_for_test.hpp"
#include "skua/machine/sim/model/machine_models.hpp"
#include "skua/machine/sim/model/model_costs.hpp"

namespace skua { inline namespace v0 { namespace sim { namespace {

constexpr std::uint32_t workers = 64;
constexpr double leaf_ns = 1000;

/// Two halves of equal work; by the hints the first has `factor` times the work of the second, at every level.
void misjudged(auto& here, int depth, double factor) {
  if (depth == 0) return here.leaf(flops{leaf_ns}, [] {});
  auto const half = [=](auto& h) { misjudged(h, depth - 1, factor); };
  here.join(work{factor}, half, work{1}, half);
}

/// On this machine somebody touches memory for the first time all the time.
class costs_of_new_memory final : public costs {
 public:
  explicit costs_of_new_memory(costs& others) : others_(others) {}
  tick run(tick now, worker_id w, task_tree const& program, tree_node_id id) override {
    return others_.run(now, w, program, id);
  }
  tick price(tick now, operation what, worker_id w, worker_id whom) override {
    return others_.price(now, what, w, whom);
  }
  [[nodiscard]] tick first_touches_until() const noexcept override { return tick{1} << 60; }

 private:
  costs& others_;
};

enum class memory : std::uint8_t { known, fresh };

run_result run_on_xeon(std::string_view policy_name, task_tree const& program, std::uint64_t seed, memory is) {
  machine_model const machine = machine_model::load("xeon-6130-4s");
  layout const where = machine.layout_of({.workers = workers, .order = runtime::spread::scatter});
  model_costs plain(machine, machine.numbers(), where, {.flops_per_ns = 1});
  costs_of_new_memory fresh(plain);
  rules const by{.seed = seed, .spin_ticks = plain.spin(), .ticks_per_ns = 1000};
  auto const scheduler = policies::make_policy(policy_name, where, seed);
  observer nobody;
  costs& prices = is == memory::fresh ? static_cast<costs&>(fresh) : plain;
  run_result result = run(program, *scheduler, where, by, prices, nobody);
  EXPECT_TRUE(result.finished) << policy_name << ", seed " << seed;
  return result;
}

/// Median makespan of three seeds, in leaves.
double median_leaves(std::string_view policy_name, task_tree const& program) {
  std::vector<double> all;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    run_result const result = run_on_xeon(policy_name, program, seed, memory::known);
    all.push_back(static_cast<double>(result.makespan) / (1000 * leaf_ns));
  }
  std::ranges::sort(all);
  return all[1];
}

struct times {
  double random;
  double paper;
  double adws;
};

/// 2^14 leaves of 1 us: 256 for each of the 64 workers.
task_tree tree_with_hints_wrong_by(double factor) {
  return record([=](auto& h) { misjudged(h, 14, factor); });
}

times with_hints_wrong_by(double factor) {
  task_tree const program = tree_with_hints_wrong_by(factor);
  times const t{median_leaves("random", program), median_leaves("adws:paper", program), median_leaves("adws", program)};
  testing::Test::RecordProperty("paper_over_random", std::to_string(t.paper / t.random));
  testing::Test::RecordProperty("adws_over_random", std::to_string(t.adws / t.random));
  testing::Test::RecordProperty("adws_over_ideal", std::to_string(t.adws / 256));
  return t;
}

TEST(adws_wrong_hints, that_are_wrong_twofold_cost_a_tenth_of_the_time_at_most) {
  times const t = with_hints_wrong_by(2);
  EXPECT_LT(t.adws, 1.10 * t.random);
  EXPECT_GT(t.paper, 1.10 * t.random) << "what widening is for";
}

TEST(adws_wrong_hints, that_are_wrong_tenfold_cost_a_tenth_of_the_time_at_most) {
  times const t = with_hints_wrong_by(10);
  EXPECT_LT(t.adws, 1.10 * t.random);
  EXPECT_GT(t.paper, 1.10 * t.random) << "what widening is for";
}

/// So heat's first iteration leaves its pages where the paper's rule does. (No worker has nothing to do for so long that it steals
/// nevertheless: a few leaves per worker.)
TEST(adws_wrong_hints, while_memory_is_touched_for_the_first_time_every_step_is_the_papers) {
  task_tree const program = record([=](auto& h) { misjudged(h, 10, 2); });
  run_result const paper = run_on_xeon("adws:paper", program, 1, memory::fresh);
  run_result const fresh = run_on_xeon("adws", program, 1, memory::fresh);
  EXPECT_EQ(fresh.order, paper.order);
  EXPECT_EQ(fresh.makespan, paper.makespan);
  EXPECT_NE(run_on_xeon("adws", program, 1, memory::known).makespan, paper.makespan);
}

TEST(adws_wrong_hints, right_ones_beat_random_stealing) {
  times const t = with_hints_wrong_by(1);
  EXPECT_LT(t.paper, 0.95 * t.random);
  EXPECT_LT(t.adws, 0.95 * t.random);
}

}}}}  // namespace skua::v0::sim
