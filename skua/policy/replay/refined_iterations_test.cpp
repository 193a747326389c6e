// SPDX-License-Identifier: MIT
// Iterations that follow a refined record.
#include <gtest/gtest.h>

#include <string>

#include "skua/policy/replay/iterated_for_test.hpp"
#include "skua/policy/replay/replay.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace {

using replay::refinement;

/// After so many iterations nothing changes any more: each of three records is recorded in 1 iteration, relaxed in 5, and refined
/// twice or thrown away.
constexpr std::uint32_t repeats_from = 3 * (7 + refinement::period + refinement::first + refinement::iterations);

TEST(replay, a_refined_record_is_repeated_with_fewer_tasks_sent) {
  for (std::uint32_t const workers : {2U, 5U, 16U}) {
    std::uint64_t sent[2] = {};
    for (std::uint64_t seed = 1; seed <= (workers == 16 ? 1 : 4); ++seed) {
      for (bool const refines : {false, true}) {
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
    if (workers == 16) continue;  // each has so little that an even division is as fine as the record
    EXPECT_LT(sent[true], sent[false] / 100 * (workers == 2 ? 60 : 100)) << workers << " workers";
  }
}

TEST(replay, a_record_that_was_refined_twice_stays) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
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

/// What one worker runs of a group that nobody else has a part of, it runs in the same order while iterations are measured.
TEST(replay, measured_iterations_keep_the_order_of_a_group_that_one_worker_runs) {
  two_workers s({.relaxed = 1});
  bool was_strict = false;
  for (std::uint32_t iteration = 0; iteration < 40; ++iteration) {
    task_tag g = s.w.meet(s.root, 0, 2);
    was_strict = was_strict || s.p.status().is_strict;
    for (std::uint32_t i = 0; i < 2; ++i) {
      task_tag child = s.w.mark(g, {});
      placement const to = s.w.place(child, cause::forked);
      if (i == 0) continue;
      EXPECT_EQ(to, (placement{worker_id{0}, lane::local})) << "called, and so before child 0, in " << iteration;
      if (s.p.status().is_strict) continue;
      s.steal(child);  // and comes home
      s.w.place(child, cause::stolen);
    }
    s.end_of(g);
  }
  EXPECT_TRUE(was_strict);
}

/// All that was stolen came home: strictly, the thieves would stand still.
TEST(replay, an_iteration_without_a_piece_is_never_strict) {
  two_workers s({.relaxed = 2});
  std::uint32_t strict = 0;
  for (std::uint32_t iteration = 0; iteration < 100; ++iteration) {
    task_tag g = s.w.meet(s.root, 0, 2);
    if (s.p.status().is_strict) {
      ++strict;
      EXPECT_GT(s.p.status().pieces, 0U) << "iteration " << iteration;
    }
    for (std::uint32_t i = 0; i < 2; ++i) {
      task_tag child = s.w.mark(g, {});
      placement const to = s.w.place(child, cause::forked);
      if (!s.p.status().is_strict && i == 1) {  // the rest goes to the thief, and child 1 comes back
        s.steal(child);
        s.w.place(child, cause::stolen);
      }
      if (to.lane == lane::migrated)
        s.p.of_worker(to.worker).learn(ended{.task = child, .duration_ns = i == 0 ? 60'000U : 200U});
    }
    s.end_of(g);
  }
  EXPECT_GT(strict, 0U);
}

/// The root never ends: what it called would not be measured.
TEST(replay, in_measured_iterations_the_root_sends_what_it_would_call) {
  two_workers s({.relaxed = 1});
  for (std::uint32_t iteration = 0; iteration < 12; ++iteration) {
    bool const is_measured =
        iteration >= 2 + refinement::first && iteration < 2 + refinement::first + refinement::iterations;
    task_tag g = s.w.meet(s.root, 0, 4);
    std::string lanes;
    for (std::uint32_t i = 0; i < 4; ++i) {
      task_tag child = s.w.mark(g, {});
      placement const to = s.w.place(child, cause::forked);
      lanes += to.lane == lane::migrated ? 's' : 'c';
      if (iteration == 0 && i == 0) {  // the rest is stolen, and comes home after the next child
        s.steal(g);
        s.thief.learn(begun{.task = g});
        task_tag second = s.thief.mark(g, {});
        s.thief.place(second, cause::forked);
        s.w.place(g, cause::stolen);
        break;
      }
      if (to.lane == lane::migrated) s.p.of_worker(to.worker).learn(ended{.task = child, .duration_ns = 50'000});
    }
    if (iteration > 0 && iteration < 2 + refinement::first + refinement::iterations) {
      EXPECT_EQ(lanes, is_measured ? "ssss" : "sscc") << "iteration " << iteration;
    }
    s.end_of(g);
  }
}

/// Nobody else has a child of the root's group, so it is not measured: such a record is thrown away twice, and the third stays.
TEST(replay, a_record_that_cannot_be_measured_is_made_anew_twice) {
  two_workers s({.relaxed = 1});
  std::string strict;
  for (std::uint32_t iteration = 0; iteration < 150; ++iteration) {
    task_tag g = s.w.meet(s.root, 0, 1);
    bool const is_strict = s.p.status().is_strict;
    if (strict.empty() || (strict.back() == 's') != is_strict) strict += is_strict ? 's' : 'r';
    task_tag child = s.w.mark(g, {});
    s.w.place(child, cause::forked);
    s.w.learn(begun{.task = child});
    task_tag inner = s.w.meet(child, 0, 2);
    for (std::uint32_t i = 0; i < 2; ++i) {
      task_tag leaf = s.w.mark(inner, {});
      placement const to = s.w.place(leaf, cause::forked);
      if (!is_strict && i == 1) s.steal(leaf);
      if (to.lane == lane::migrated) s.p.of_worker(to.worker).learn(ended{.task = leaf, .duration_ns = 50'000});
    }
    s.w.leave(child, inner);
    s.w.learn(returned{.child = child});
    s.end_of(g);
  }
  EXPECT_EQ(strict, "rsrsrs");
  EXPECT_EQ(s.p.status().restarts, 0U) << "the tree is the same";
}

TEST(replay, a_refined_record_is_thrown_away_when_the_tree_changes) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    replaying p(layout::flat(4), seed, {.relaxed = 2, .groups = 0, .watch = 1});
    stage s(p, 4, seed);
    for (std::uint64_t which = 0; which < 3; ++which) {
      script_tree const t = iterated(seed + 1000 * which, 1);
      // The third tree takes the place of the second while it is measured.
      std::uint32_t const n = which == 1 ? 5 + refinement::first : repeats_from;
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

}}}}  // namespace skua::v0::policies
