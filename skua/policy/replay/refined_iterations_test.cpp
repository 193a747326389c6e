// SPDX-License-Identifier: MIT
// Iterations that follow a refined record.
#include <gtest/gtest.h>

#include "skua/policy/replay/iterated_for_test.hpp"
#include "skua/policy/replay/replay.hpp"

namespace skua::inline v0::policies {
namespace {

using replay::refinement;

TEST(replay, a_refined_record_is_repeated_with_fewer_tasks_sent) {
  for (std::uint32_t const workers : {2U, 5U, 16U}) {
    std::uint64_t sent[2] = {};
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      for (bool const refines : {false, true}) {
        constexpr std::uint32_t repeats_from = 7 + refinement::first + refinement::iterations;  // 1 recorded, 5 relaxed
        script_tree const few = iterated(seed, repeats_from);
        script_tree const more = iterated(seed, repeats_from + 5);
        std::uint64_t taken[2] = {};
        for (script_tree const* t : {&few, &more}) {
          replaying p(layout::flat(workers), seed, {.refines = refines, .near_first = seed % 2 == 0});
          stage s(p, workers, seed);
          s.bring(*t);
          ASSERT_TRUE(s.run()) << "seed " << seed << ", workers " << workers;
          auto const n = static_cast<std::uint32_t>((*t)[0].groups.size());
          expect_each_task_once_per_iteration(s, *t, n);
          EXPECT_EQ(p.status().restarts, 0U) << "seed " << seed << ", workers " << workers;
          for (std::uint32_t i = repeats_from; i < n; ++i)
            EXPECT_EQ(overlap(s, *t, repeats_from - 1, i), 1) << "seed " << seed << ", workers " << workers;
          taken[t == &more] = s.taken;
        }
        sent[refines] += taken[1] - taken[0];
      }
    }
    EXPECT_LT(sent[true], sent[false] / 100 * (workers == 2 ? 60 : 100)) << workers << " workers";
  }
}

TEST(replay, a_record_that_was_refined_twice_stays) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    // A record that stays uneven is made anew, at most twice.
    constexpr std::uint32_t repeats_from = 3 * (7 + refinement::period + refinement::first + refinement::iterations);
    script_tree const t = iterated(seed, repeats_from + 40);
    replaying p(layout::flat(4), seed);
    stage s(p, 4, seed);
    s.bring(t);
    ASSERT_TRUE(s.run()) << "seed " << seed;
    expect_each_task_once_per_iteration(s, t, repeats_from + 40);
    EXPECT_EQ(p.status().restarts, 0U) << "seed " << seed;
    for (std::uint32_t i = repeats_from; i < repeats_from + 40; ++i)
      EXPECT_EQ(overlap(s, t, repeats_from - 1, i), 1) << "seed " << seed << ", iteration " << i;
  }
}

TEST(replay, a_refined_record_is_thrown_away_when_the_tree_changes) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    replaying p(layout::flat(4), seed, {.relaxed = 2, .groups = 0, .watch = 1});
    stage s(p, 4, seed);
    for (std::uint64_t which = 0; which < 3; ++which) {
      script_tree const t = iterated(seed + 1000 * which, 1);
      // The last tree changes while it is measured.
      std::uint32_t const n = which == 1 ? 5 + refinement::first : 9 + refinement::first;
      for (std::uint32_t i = 0; i < n; ++i) {
        s.bring(t);
        ASSERT_TRUE(s.run()) << "seed " << seed;
      }
      expect_each_task_once_per_iteration(s, t, n);
      if (which != 1) {
        EXPECT_EQ(overlap(s, t, n - 2, n - 1), 1) << "seed " << seed << ", tree " << which;
      }
      s.ran.clear();  // trees may lie at the same address
    }
    EXPECT_EQ(p.status().restarts, 2U) << "seed " << seed;
  }
}

}  // namespace
}  // namespace skua::inline v0::policies
