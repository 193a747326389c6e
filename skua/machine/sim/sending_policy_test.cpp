// SPDX-License-Identifier: MIT
// A policy that uses everything that the interface allows: it sees forks, writes tags, and sends tasks and stacks away.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "skua/machine/sim/checker.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/policy/random.hpp"
#include "tests/programs/random_tree.hpp"

namespace skua { inline namespace v0 { namespace sim { namespace {

/// Probes like `random`; a tag counts the forks above its task. One task in `one_in` goes to a random inbox.
class scattering_worker final : public worker_policy {
 public:
  scattering_worker(worker_policy& prober, worker_id self, std::uint32_t workers, std::uint32_t one_in,
                    std::uint64_t seed)
      : prober_(prober), self_(self), workers_(workers), one_in_(one_in), roll_(policies::dice_of(seed, self)) {}

  task_tag meet(task_tag& task, double total_work, std::uint64_t n) noexcept override {
    ++met;
    children += n;
    work += total_work;
    return task;
  }
  task_tag mark(task_tag& parent, hint const&) noexcept override { return {{parent.words[0] + 1}}; }
  void leave(task_tag const&, task_tag const&) noexcept override { ++left; }
  placement place(task_tag& task, cause why) noexcept override {
    if (why == cause::preempted) return {.worker = self_, .lane = lane::spawned};
    if (why == cause::forked) ++placed;
    if (task.words[0] == 0 && why != cause::injected && why != cause::resumed) ++unmarked;
    if (roll_.below(one_in_) != 0) return {.worker = self_};
    return {.worker = worker_id{roll_.below(workers_)}, .lane = lane::inbox};
  }
  probe next_probe() noexcept override { return prober_.next_probe(); }
  void learn(event const& seen) noexcept override {
    if (ended const* e = std::get_if<ended>(&seen)) ran += e->duration_ns;
    prober_.learn(seen);
  }
  [[nodiscard]] bool sees_forks() const noexcept override { return true; }

  std::uint64_t met = 0;
  std::uint64_t left = 0;
  std::uint64_t children = 0;
  std::uint64_t placed = 0;
  double work = 0;
  std::uint64_t unmarked = 0;
  std::uint64_t ran = 0;

 private:
  worker_policy& prober_;
  worker_id self_;
  std::uint32_t workers_;
  std::uint32_t one_in_;
  dice roll_;
};

class scattering final : public policy {
 public:
  scattering(std::uint32_t workers, std::uint32_t one_in, std::uint64_t seed) : probers_(layout::flat(workers), seed) {
    for (std::uint32_t w = 0; w < workers; ++w) {
      workers_state.emplace_back(probers_.of_worker(worker_id{w}), worker_id{w}, workers, one_in, seed + 1);
    }
  }
  [[nodiscard]] std::string_view name() const noexcept override { return "scattering"; }
  worker_policy& of_worker(worker_id w) noexcept override { return workers_state[index(w)]; }

  template <class N>
  [[nodiscard]] N sum(N scattering_worker::* of) const {
    return std::accumulate(workers_state.begin(), workers_state.end(), N{0},
                           [=](N s, scattering_worker const& m) { return s + m.*of; });
  }
  std::vector<scattering_worker> workers_state;

 private:
  policies::random_stealing probers_;
};

TEST(sending_policy, tasks_and_frames_may_go_anywhere_and_none_is_lost) {
  std::uint64_t sent = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    task_tree const program = random_tree::make(seed, {.tasks = 200, .scope_percent = 30});
    for (std::uint32_t const workers : {1U, 2U, 5U, 32U}) {
      layout const where = layout::flat(workers);
      rules const by{.seed = seed, .fork_ticks = seed % 2};
      scattering scheduler(workers, 1 + static_cast<std::uint32_t>(seed % 7), seed);
      run_result const result = run(program, scheduler, where, by);
      std::vector<std::string> const faults = faults_of(result, program, where, by);
      ASSERT_TRUE(faults.empty()) << faults.front() << ", seed " << seed << ", " << workers << " workers";
      for (worker_counters const& t : result.workers) sent += t.sent;
    }
  }
  EXPECT_GT(sent, 10'000U);
}

TEST(sending_policy, every_group_is_met_with_the_work_of_its_children_and_left_and_every_placed_task_bears_a_mark) {
  task_tree const program = random_tree::make(3, {.tasks = 500, .scope_percent = 30});
  std::uint64_t groups = 0;
  std::uint64_t children = 0;
  double work = 0;
  for (tree_node_id i = 0; i < program.size(); ++i) {
    tree_node_kind const k = program[i].kind;
    bool const is_group = k == tree_node_kind::join || k == tree_node_kind::each;
    if ((!is_group && k != tree_node_kind::scope) || program.task_from(program[i].first) == no_tree_node) continue;
    ++groups;
    for (tree_node_id c = program[i].first; is_group && c != no_tree_node; c = program[c].next, ++children) {
      work += work_of(program[c].hints);
    }
  }
  scattering scheduler(8, 3, 3);
  ASSERT_TRUE(run(program, scheduler, layout::flat(8)).finished);
  EXPECT_GT(groups, 50U);
  EXPECT_EQ(scheduler.sum(&scattering_worker::met), groups);
  EXPECT_EQ(scheduler.sum(&scattering_worker::left), groups);
  EXPECT_EQ(scheduler.sum(&scattering_worker::children), children);
  EXPECT_EQ(scheduler.sum(&scattering_worker::unmarked), 0U);
  EXPECT_DOUBLE_EQ(scheduler.sum(&scattering_worker::work), work);
}

/// As on threads: every child of an exposed group is placed, also those after a child that ran here.
TEST(sending_policy, while_forks_are_exposed_every_child_of_a_group_is_placed) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    task_tree const program = random_tree::make(seed, {.tasks = 200, .scope_percent = 0});
    scattering scheduler(1, 1'000'000, seed);  // no thief exists
    ASSERT_TRUE(run(program, scheduler, layout::flat(1)).finished);
    EXPECT_GT(scheduler.sum(&scattering_worker::children), 0U);
    EXPECT_EQ(scheduler.sum(&scattering_worker::placed), scheduler.sum(&scattering_worker::children));
  }
}

/// No child stays: the owner of the group has nothing to call, and waits.
TEST(sending_policy, all_children_of_a_group_may_be_sent) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    task_tree const program = random_tree::make(seed, {.tasks = 200, .scope_percent = 20});
    scattering scheduler(5, 1, seed);  // everything goes to a random inbox
    run_result const result = run(program, scheduler, layout::flat(5), {.seed = seed});
    EXPECT_TRUE(faults_of(result, program, layout::flat(5), {.seed = seed}).empty());
  }
}

TEST(sending_policy, policies_learn_how_long_their_workers_were_busy) {
  task_tree const program = random_tree::make(4, {.tasks = 500});
  scattering scheduler(8, 4, 4);
  run_result const result = run(program, scheduler, layout::flat(8));
  std::uint64_t busy = 0;
  for (worker_counters const& t : result.workers) busy += t.busy;
  EXPECT_EQ(scheduler.sum(&scattering_worker::ran), busy);
}

}}}}  // namespace skua::v0::sim
