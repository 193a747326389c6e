// SPDX-License-Identifier: MIT
// What fences cost, tick by tick, in programs small enough to compute by hand. Scripted policies say who probes when.
#include "skua/machine/sim/heavy_fences.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "skua/machine/sim/checker.hpp"
#include "skua/machine/sim/simulator.hpp"
#include "skua/policy/combinations_for_test.hpp"
#include "skua/policy/registry.hpp"
#include "skua/program/recorder.hpp"
#include "tests/programs/effort.hpp"
#include "tests/programs/random_runs.hpp"
#include "tests/programs/random_tree.hpp"

namespace skua { inline namespace v0 { namespace sim { namespace {

constexpr worker_id w0{0};
constexpr worker_id w1{1};
constexpr worker_id w2{2};

/// So many rests, then one probe, then rests for ever.
struct scripted_worker final : worker_policy {
  worker_id self;
  int rests;
  probe then;

  scripted_worker(worker_id me, int before, probe what) : self(me), rests(before), then(what) {}
  task_tag mark(task_tag&, hint const&) noexcept override { return {}; }
  placement place(task_tag&, cause) noexcept override { return {.worker = self}; }
  probe next_probe() noexcept override { return --rests == -1 ? then : probe{}; }
  void learn(event const&) noexcept override {}
};

class scripted_policy final : public policy {
 public:
  explicit scripted_policy(std::vector<std::pair<int, probe>> const& scripts) {
    for (auto const& [rests, then] : scripts) {
      worker_id const self{static_cast<std::uint32_t>(workers_.size())};
      workers_.push_back(std::make_unique<scripted_worker>(self, rests, then));
    }
  }
  [[nodiscard]] std::string_view name() const noexcept override { return "scripted"; }
  worker_policy& of_worker(worker_id w) noexcept override { return *workers_[index(w)]; }

 private:
  std::vector<std::unique_ptr<scripted_worker>> workers_;
};

/// Begins the program: it pays for a pop until tick 1.
constexpr std::pair begins{0, probe{.kind = action::pop, .lane = lane::injected, .victim = w0}};
constexpr std::pair<int, probe> steals(int at, worker_id from) {
  return {at, {.kind = action::steal, .lane = lane::forks, .victim = from}};
}

void leaf(auto& here, double ticks) {
  here.leaf(flops{ticks}, [] {});
}

/// join(leaf of `first`, leaf of `second`)
task_tree two_leaves(double first, double second) {
  return record([=](auto& here) { here.join([=](auto& h) { leaf(h, first); }, [=](auto& h) { leaf(h, second); }); });
}

constexpr rules priced{
    .unit = unit::flops, .fork_ticks = 0, .fence_ticks = 2, .heavy_fence_ticks = 10, .interrupt_ticks = 3};

run_result run_scripts(task_tree const& program, std::vector<std::pair<int, probe>> const& scripts,
                       rules const& by = priced) {
  scripted_policy scheduler(scripts);
  layout const where = layout::flat(static_cast<std::uint32_t>(scripts.size()));
  run_result result = run(program, scheduler, where, by);
  EXPECT_TRUE(broken_laws(result, program, where).empty());
  return result;
}

/// Of the n-th leaf of the program.
turn of_leaf(run_result const& result, task_tree const& program, int n) {
  for (tree_node_id i = 0; i < program.size(); ++i) {
    if (program[i].kind == tree_node_kind::leaf && n-- == 0) return result.turns[i];
  }
  ADD_FAILURE() << "the program has fewer leaves";
  return {};
}

TEST(heavy_fences_of_a_steal, a_thief_of_a_busy_owner_asks_fences_and_interrupts_it) {
  task_tree const program = two_leaves(100, 50);
  run_result const r = run_scripts(program, {begins, steals(5, w0)});
  EXPECT_EQ(of_leaf(r, program, 0).begin, 1U);
  turn const stolen = of_leaf(r, program, 1);
  EXPECT_EQ(stolen.worker, w1);
  EXPECT_EQ(stolen.begin, 5 + 10 + 10 + 1U);  // asks, fences, steals
  EXPECT_EQ(r.makespan, 100 + 3U);            // the owner's leaf, and one interrupt
  EXPECT_EQ(r.workers[1].revocations, 1U);
  EXPECT_EQ(r.workers[1].heavy_fences, 1U);
  EXPECT_EQ(r.workers[0].interrupts, 1U);
  EXPECT_EQ(r.workers[1].interrupts, 0U);
  EXPECT_EQ(r.workers[1].scheduling, 21U);
  EXPECT_EQ(r.workers[0].scheduling, 1 + 3U);
}

TEST(heavy_fences_of_a_steal, every_other_running_worker_is_interrupted_by_each_fence) {
  task_tree const program = record([](auto& here) {
    here.join([](auto& h) { leaf(h, 100); },
              [](auto& h) { h.join([](auto& g) { leaf(g, 200); }, [](auto& g) { leaf(g, 50); }); });
  });
  // Worker 2 asks at 3, fences at 13, begins at 24. Worker 1 rests 40 times, is interrupted once, so it asks at 43,
  // fences at 53, begins at 64.
  run_result const r = run_scripts(program, {begins, steals(40, w2), steals(3, w0)});
  EXPECT_EQ(of_leaf(r, program, 1).begin, 24U);
  EXPECT_EQ(of_leaf(r, program, 2).begin, 64U);
  EXPECT_EQ(of_leaf(r, program, 2).worker, w1);
  EXPECT_EQ(r.workers[0].interrupts, 2U);
  EXPECT_EQ(r.workers[1].interrupts, 1U);
  EXPECT_EQ(r.workers[2].interrupts, 1U);
  EXPECT_EQ(r.makespan, 24 + 200 + 3 - 1U);  // the root began at 1
}

TEST(heavy_fences_of_a_steal, an_owner_that_pops_in_time_saves_the_fence_and_keeps_its_last_entry) {
  task_tree const program = two_leaves(10, 50);
  run_result const r = run_scripts(program, {begins, steals(5, w0)});
  EXPECT_EQ(of_leaf(r, program, 1).worker, w0);
  EXPECT_EQ(of_leaf(r, program, 1).begin, 11 + 2U);  // its pop takes a fence
  EXPECT_EQ(r.makespan, 10 + 2 + 50U);
  EXPECT_EQ(r.workers[1].revocations, 1U);
  EXPECT_EQ(r.workers[1].heavy_fences, 0U);
  EXPECT_EQ(r.workers[0].interrupts, 0U);
  EXPECT_EQ(r.workers[1].steals, 0U);
}

TEST(heavy_fences_of_a_steal, the_thief_takes_the_oldest_entry_when_the_owner_answers) {
  task_tree const program = record([](auto& here) {
    here.join([](auto& h) { h.join([](auto& g) { leaf(g, 10); }, [](auto& g) { leaf(g, 5); }); },
              [](auto& h) { leaf(h, 50); });
  });
  run_result const r = run_scripts(program, {begins, steals(5, w0)});
  EXPECT_EQ(of_leaf(r, program, 1).begin, 11 + 2U);
  EXPECT_EQ(of_leaf(r, program, 2).worker, w1);
  EXPECT_EQ(of_leaf(r, program, 2).begin, 11 + 1U);
  EXPECT_EQ(r.workers[1].heavy_fences, 0U);
  EXPECT_EQ(r.makespan, 12 + 50 - 1U);
}

/// Worker 2 comes while worker 1 waits, and gets nothing; it comes once.
TEST(heavy_fences_of_a_steal, other_thieves_lose_while_one_revokes) {
  task_tree const program = two_leaves(100, 50);
  run_result const r = run_scripts(program, {begins, steals(5, w0), steals(7, w0)});
  EXPECT_EQ(r.workers[2].lost, 1U);
  EXPECT_EQ(r.workers[2].revocations, 0U);
  EXPECT_EQ(of_leaf(r, program, 1).worker, w1);
}

TEST(heavy_fences_of_a_steal, without_a_bias_each_attempt_fences_or_each_pop) {
  task_tree const program = two_leaves(100, 50);
  rules by = priced;
  by.deques = deque_kind::thief_fences;
  run_result const thieves = run_scripts(program, {begins, steals(5, w0)}, by);
  EXPECT_EQ(of_leaf(thieves, program, 1).begin, 5 + 10 + 1U);
  EXPECT_EQ(thieves.workers[1].heavy_fences, 1U);
  EXPECT_EQ(thieves.workers[1].revocations, 0U);
  EXPECT_EQ(thieves.makespan, 100 + 3U);
  by.deques = deque_kind::owner_fences;
  run_result const owners = run_scripts(program, {begins, steals(200, w0)}, by);
  EXPECT_EQ(of_leaf(owners, program, 1).begin, 101 + 2U);
  EXPECT_EQ(owners.makespan, 100 + 2 + 50U);
}

TEST(heavy_fences_of_a_sleeper, falling_asleep_interrupts_nobody) {
  task_tree const program = two_leaves(100, 5);
  rules by = priced;
  by.spin_ticks = 4;
  // Worker 1 asks at 2, fences at 12, begins at 23, ends at 28, sleeps at 32.
  run_result const r = run_scripts(program, {begins, steals(2, w0)}, by);
  EXPECT_EQ(of_leaf(r, program, 1).begin, 23U);
  EXPECT_EQ(r.workers[1].naps, 1U);
  EXPECT_EQ(r.workers[1].heavy_fences, 1U);
  EXPECT_EQ(r.workers[0].interrupts, 1U);
  EXPECT_EQ(r.makespan, 100 + 3U);
}

TEST(heavy_fence_log, fences_follow_each_other_and_interrupt_each_running_worker_once) {
  heavy_fences log(3);
  EXPECT_EQ(log.call(w0, 100, 10), 110U);
  EXPECT_EQ(log.call(w1, 105, 10), 120U);  // begins at 110
  EXPECT_EQ(log.interrupting(w2, 99), 0U);
  EXPECT_EQ(log.interrupting(w2, 109), 1U);
  EXPECT_EQ(log.interrupting(w2, 110), 1U);
  EXPECT_EQ(log.interrupting(w2, 500), 0U);
  EXPECT_EQ(log.interrupting(w0, 500), 1U);
  log.wakes(w1, 300);
  EXPECT_EQ(log.interrupting(w1, 300), 0U);
  EXPECT_EQ(log.call(w0, 400, 10), 410U);
  EXPECT_EQ(log.interrupting(w1, 400), 1U);
}

TEST(heavy_fences_of_policies, random_programs_run_correctly_and_the_same_each_time) {
  constexpr std::uint32_t some_workers[] = {1, 2, 3, 7, 16, 64};
  for (std::string const& policy : testing::whole_policies()) {
    testing::each_random_run(testing::full_or(30U, 10U), some_workers, [&](std::uint64_t seed, std::uint32_t workers) {
      dice roll(seed);
      task_tree const program = random_tree::make(seed, random_shape(roll));
      rules by = priced;
      by.seed = seed;
      by.deques = static_cast<deque_kind>(roll.below(3));
      by.heavy_fence_ticks = 1 + roll.below(40);
      by.spin_ticks = roll.below(2) == 0 ? ~tick{0} : roll.below(50);
      layout const where = layout::flat(workers);
      auto const once = [&] {
        auto const scheduler = policies::make_policy(policy, where, seed);
        return run(program, *scheduler, where, by);
      };
      run_result const result = once();
      auto const faults = broken_laws(result, program, where);
      ASSERT_TRUE(faults.empty()) << policy << ": " << faults.front();
      ASSERT_EQ(result, once()) << policy;
    });
  }
}

}}}}  // namespace skua::v0::sim
