// SPDX-License-Identifier: MIT
// Programs that do the same again and again: on the test stage, or by hand.
#pragma once

#include <gtest/gtest.h>

#include "skua/policy/replay/replay.hpp"
#include "skua/policy/replay/stage_for_test.hpp"

namespace skua { inline namespace v0 { namespace policies {

/// A root that runs the same random tree below itself `iterations` times, `groups` groups each time.
inline script_tree iterated(std::uint64_t seed, std::uint32_t iterations, std::uint32_t groups = 1,
                            std::uint32_t depth = 5) {
  runtime::dice roll(seed);
  script_tree t(1);
  auto const grow = [&](auto const& self, std::uint32_t left) -> std::uint32_t {
    auto const me = static_cast<std::uint32_t>(t.size());
    t.push_back({.steps = 1 + roll.below(6)});
    if (left == 0 || roll.below(8) == 0) {
      t[me].steps = 10 + roll.below(40);
      return me;
    }
    std::uint32_t const n_groups = 1 + roll.below(2);
    for (std::uint32_t g = 0; g < n_groups; ++g) {
      std::vector<std::uint32_t> kids;
      std::uint32_t const n = 1 + roll.below(4);
      for (std::uint32_t i = 0; i < n; ++i) kids.push_back(self(self, left - 1));
      t[me].groups.push_back(kids);
    }
    return me;
  };
  std::vector<std::vector<std::uint32_t>> once;
  for (std::uint32_t g = 0; g < groups; ++g) {
    once.push_back({grow(grow, depth), grow(grow, depth), grow(grow, depth)});
  }
  for (std::uint32_t i = 0; i < iterations; ++i) t[0].groups.insert(t[0].groups.end(), once.begin(), once.end());
  return t;
}

inline void expect_each_task_once_per_iteration(stage const& s, script_tree const& t, std::uint32_t iterations) {
  for (std::uint32_t n = 1; n < t.size(); ++n) {
    auto const found = s.ran.find({&t, n});
    ASSERT_TRUE(found != s.ran.end()) << "node " << n;
    ASSERT_EQ(found->second.size(), iterations) << "node " << n;
  }
}

/// Of all tasks, those that the same worker ran in iterations a and b.
inline double overlap(stage const& s, script_tree const& t, std::uint32_t a, std::uint32_t b) {
  double same = 0;
  for (std::uint32_t n = 1; n < t.size(); ++n) {
    auto const& who = s.ran.at({&t, n});
    if (who[a] == who[b]) ++same;
  }
  return same / static_cast<double>(t.size() - 1);
}

/// A root on worker 0 of two that opens one group per iteration, and what is done there by hand.
struct two_workers {
  explicit two_workers(replay_options const& chosen) : p(layout::flat(2), 1, chosen) {
    w.place(root, cause::injected);
    w.learn(begun{.task = root});
  }
  void end_of(task_tag const& group) {
    w.leave(root, group);
    w.place(root, cause::resumed);
    w.learn(begun{.task = root});
  }
  void place_next(task_tag& group) {
    task_tag child = w.mark(group, {});
    w.place(child, cause::forked);
  }
  /// Worker 1 takes the children of a group that are left.
  void steal(task_tag& rest) { thief.place(rest, cause::stolen); }

  replaying p;
  worker_policy& w = p.of_worker(worker_id{0});
  worker_policy& thief = p.of_worker(worker_id{1});
  task_tag root{};
};

}}}  // namespace skua::v0::policies
