// SPDX-License-Identifier: MIT
// Programs that do the same again and again, and what is expected of them on the test stage.
#pragma once

#include <gtest/gtest.h>

#include "skua/policy/replay/stage_for_test.hpp"

namespace skua::inline v0::policies {

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

}  // namespace skua::inline v0::policies
