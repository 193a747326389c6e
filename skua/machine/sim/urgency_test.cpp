// SPDX-License-Identifier: MIT
// Urgency across workers in virtual time: how long urgent tasks wait on 16 workers, with the policy's option and without.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "skua/machine/sim/live_runs_test.hpp"
#include "skua/machine/sim/simulate.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/policy/registry.hpp"
#include "skua/program/strategy/orders.hpp"

namespace skua { inline namespace v0 { namespace sim { namespace {

/// A leaf takes its flops, a task nothing; one tick is a nanosecond.
class flop_costs final : public costs {
 public:
  tick run(tick, worker_id, task_tree const& program, tree_node_id id) override {
    tree_node const& n = program[id];
    return n.kind == tree_node_kind::leaf ? static_cast<tick>(n.flops) : 0;
  }
  tick price(tick, operation what, worker_id w, worker_id whom) override {
    return what == operation::wake_up ? 5000 : w == whom ? 10 : 100;
  }
};

/// Simulated ticks from spawn to start, of all urgent tasks, ascending. The background is a binary tree of tasks of 10 to 100 us; one of
/// five spawns an urgent task when a quarter of its work is done.
class waits_of {
 public:
  static constexpr tick longest = 100'000;  ///< task of the background

  waits_of(std::string_view policy, std::uint32_t workers, std::uint64_t seed) : seed_(seed) {
    layout const where = layout_of(workers);
    auto const scheduler = policies::make_policy(policy, where, seed);
    flop_costs prices;
    observer nobody;
    simulation const ran = simulate([this](here& h) { h.finish([this](auto& f) { background(f, 1); }); }, *scheduler,
                                    where, sleepy(seed), prices, nobody);
    for (tree_node_id id = 0; id < ran.tree.size(); ++id) {
      tree_node const& n = ran.tree[id];
      if (n.kind != tree_node_kind::leaf || n.flops != urgent_flops) continue;
      all.push_back(ran.result.turns[n.parent].begin - spawned(ran, n.parent));
    }
    std::ranges::sort(all);
  }
  [[nodiscard]] tick percentile(double share) const {
    return all[std::min(all.size() - 1, static_cast<std::size_t>(share * static_cast<double>(all.size())))];
  }

  std::vector<tick> all;

 private:
  static constexpr double urgent_flops = 5001;
  static constexpr std::uint64_t tasks = 2048;

  /// The end of its spawner's leaf before it.
  static tick spawned(simulation const& ran, tree_node_id task) {
    tree_node_id leaf = no_tree_node;
    for (tree_node_id id = ran.tree[ran.tree[task].parent].first; id != task; id = ran.tree[id].next) {
      if (ran.tree[id].kind == tree_node_kind::leaf) leaf = id;
    }
    return ran.result.turns[leaf].end;
  }
  /// Task i of a binary heap.
  void background(auto& f, std::uint64_t i) {
    runtime::dice roll{seed_ * tasks + i};
    double const work = 10'000 + roll.below(90'000);
    f.here().leaf(flops{0.25 * work}, [] {});
    if (roll.below(5) == 0) {
      f.spawn(strategies::priority{strategies::urgency::high},
              [](auto& g) { g.here().leaf(flops{urgent_flops}, [] {}); });
    }
    f.here().leaf(flops{0.75 * work}, [] {});
    for (std::uint64_t child = 2 * i; child <= 2 * i + 1 && child < tasks; ++child) {
      f.spawn(strategies::priority{strategies::urgency::normal},
              [this, child](auto& g) { this->background(g, child); });
    }
  }

  std::uint64_t const seed_;
};

TEST(urgency, on_sixteen_workers_99_of_100_urgent_tasks_wait_two_tasks_at_most) {
  for (std::uint64_t const seed : {1U, 2U, 3U}) {
    SCOPED_TRACE(seed);
    waits_of const with("strategies", 16, seed);
    waits_of const without("strategies:urgency=0", 16, seed);
    ASSERT_GE(with.all.size(), 200U);
    EXPECT_LE(with.percentile(0.99), 2 * waits_of::longest);
    EXPECT_LT(with.percentile(0.5), without.percentile(0.5));
    EXPECT_LT(with.percentile(0.99), without.percentile(0.99));
  }
}

TEST(urgency, same_seed_gives_the_same_run) {
  EXPECT_EQ(waits_of("strategies", 16, 5).all, waits_of("strategies", 16, 5).all);
}

}}}}  // namespace skua::v0::sim
