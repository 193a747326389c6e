// SPDX-License-Identifier: MIT
#include "skua/policy/replay/replay.hpp"

#include <gtest/gtest.h>

#include <set>

#include "skua/policy/replay/iterated_for_test.hpp"
#include "skua/policy/replay/stage_for_test.hpp"
#include "skua/policy/script_for_test.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace {

using replay::tag_fields;

std::size_t workers_used(stage const& s, script_tree const& t, std::uint32_t iteration) {
  std::set<std::uint32_t> used;
  for (std::uint32_t n = 1; n < t.size(); ++n) used.insert(s.ran.at({&t, n})[iteration]);
  return used.size();
}

TEST(replay, every_task_runs_once_per_iteration_and_strict_iterations_put_all_on_the_same_workers) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (std::uint32_t const workers : {1U, 2U, 5U, 16U}) {
      replaying p(layout::flat(workers), seed, {.refines = false, .near_first = seed % 2 == 0});
      script_tree const t = iterated(seed, 12);
      stage s(p, workers, seed);
      s.bring(t);
      ASSERT_TRUE(s.run()) << "seed " << seed << ", workers " << workers;
      expect_each_task_once_per_iteration(s, t, 12);
      EXPECT_EQ(p.status().restarts, 0U) << "seed " << seed << ", workers " << workers;
      for (std::uint32_t i = 7; i < 12; ++i) {
        EXPECT_EQ(overlap(s, t, 6, i), 1) << "seed " << seed << ", workers " << workers << ", iteration " << i;
      }
      if (workers > 1 && t.size() > 200) {
        EXPECT_TRUE(p.status().is_strict);
        EXPECT_GT(p.status().pieces, 0U);
        EXPECT_GT(workers_used(s, t, 11), workers / 2) << "seed " << seed;
      }
    }
  }
}

TEST(replay, strict_iterations_steal_nothing_and_expose_fewer_groups) {
  script_tree const few = iterated(4, 7);
  script_tree const more = iterated(4, 27);
  std::uint64_t steals[2] = {};
  std::uint64_t exposed[2] = {};
  for (int i = 0; i < 2; ++i) {
    replaying p(layout::flat(4), 9, {.refines = false});
    stage s(p, 4, 9);
    s.bring(i == 0 ? few : more);
    ASSERT_TRUE(s.run());
    steals[i] = s.steals;
    exposed[i] = s.exposed;
  }
  EXPECT_GT(steals[0], 0U);
  EXPECT_EQ(steals[0], steals[1]);
  EXPECT_LT((exposed[1] - exposed[0]) / 20, exposed[0] / 7);
}

TEST(replay, relaxed_iterations_follow_the_record_more_than_chance_would) {
  double followed = 0;
  double at_random = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    script_tree const t = iterated(seed, 8);
    replaying relaxed(layout::flat(4), seed, {.relaxed = 100});
    stage s(relaxed, 4, seed);
    s.bring(t);
    ASSERT_TRUE(s.run());
    followed += overlap(s, t, 6, 7);
    random_stealing random(layout::flat(4), seed);
    stage r(random, 4, seed);
    r.bring(t);
    ASSERT_TRUE(r.run());
    at_random += overlap(r, t, 6, 7);
  }
  EXPECT_GT(followed, at_random + 1) << "of 10";
}

TEST(replay, an_iteration_may_be_several_groups_or_a_whole_root) {
  script_tree const three = iterated(2, 12, 3);
  replaying p(layout::flat(4), 5, {.groups = 3, .refines = false});
  stage s(p, 4, 5);
  s.bring(three);
  ASSERT_TRUE(s.run());
  EXPECT_EQ(p.status().iterations, 12U);
  EXPECT_EQ(overlap(s, three, 7, 11), 1);

  script_tree const one = iterated(2, 1, 3);
  replaying q(layout::flat(4), 5, {.groups = 0, .refines = false});
  stage whole(q, 4, 5);
  for (int i = 0; i < 12; ++i) {
    whole.bring(one);
    ASSERT_TRUE(whole.run());
  }
  EXPECT_EQ(q.status().iterations, 12U);
  EXPECT_EQ(q.status().restarts, 0U);
  EXPECT_EQ(overlap(whole, one, 7, 11), 1);
}

TEST(replay, a_tree_that_changes_is_still_run_once_and_is_recorded_anew) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    replaying p(layout::flat(4), seed, {.relaxed = 2, .groups = 0, .watch = 1, .refines = false});
    stage s(p, 4, seed);
    script_tree const before = iterated(seed, 1);
    script_tree const after = iterated(seed + 1000, 1);
    for (int i = 0; i < 6; ++i) {
      s.bring(before);
      ASSERT_TRUE(s.run());
    }
    ASSERT_TRUE(p.status().is_strict);
    std::uint64_t const steals_before = s.steals;
    for (int i = 0; i < 6; ++i) {
      s.bring(after);
      ASSERT_TRUE(s.run()) << "seed " << seed;
    }
    expect_each_task_once_per_iteration(s, before, 6);
    expect_each_task_once_per_iteration(s, after, 6);
    EXPECT_EQ(p.status().restarts, 1U) << "seed " << seed;
    EXPECT_TRUE(p.status().is_strict);
    EXPECT_GT(s.steals, steals_before) << "seed " << seed;
    EXPECT_EQ(overlap(s, after, 4, 5), 1) << "seed " << seed;
  }
}

TEST(replay, growth_where_nothing_was_ever_stolen_is_seen_when_it_is_watched_for) {
  replaying p(layout::flat(4), 3, {.relaxed = 1, .groups = 0, .watch = 8});
  stage s(p, 4, 3);
  script_tree const leaves{{.groups = {{1, 2}}}, {}, {}};
  script_tree grown{{.groups = {{1, 2}}}, {.groups = {{}}}, {}};
  for (std::uint32_t i = 0; i < 64; ++i) {
    grown[1].groups[0].push_back(3 + i);
    grown.push_back({.steps = 500});
  }
  for (int i = 0; i < 5; ++i) {
    s.bring(leaves);
    ASSERT_TRUE(s.run());
  }
  ASSERT_TRUE(p.status().is_strict);
  for (int i = 0; i < 16; ++i) {
    s.bring(grown);
    ASSERT_TRUE(s.run());
  }
  EXPECT_EQ(p.status().restarts, 1U);
  EXPECT_EQ(workers_used(s, grown, 15), 4U);
}

TEST(replay, what_is_new_in_a_strict_iteration_may_be_stolen_at_once) {
  replaying p(layout::flat(4), 3, {.relaxed = 1, .groups = 0});
  stage s(p, 4, 3);
  script_tree const small = iterated(8, 1, 1, 3);
  script_tree grown = small;  // the root has a second group
  std::vector<std::uint32_t> more;
  for (int i = 0; i < 64; ++i) {
    more.push_back(static_cast<std::uint32_t>(grown.size()));
    grown.push_back({.steps = 500});
  }
  grown[0].groups.push_back(more);
  for (int i = 0; i < 4; ++i) {
    s.bring(small);
    ASSERT_TRUE(s.run());
  }
  ASSERT_TRUE(p.status().is_strict);
  s.bring(grown);
  ASSERT_TRUE(s.run());
  ASSERT_TRUE(p.status().is_strict) << "the iteration itself was strict";
  EXPECT_EQ(workers_used(s, grown, 0), 4U);
}

TEST(replay, several_tasks_from_outside_at_once_are_all_run) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    replaying p(layout::flat(4), seed, {.relaxed = 1});
    stage s(p, 4, seed);
    script_tree const a = iterated(seed, 6);
    script_tree const b = iterated(seed + 1, 3);
    script_tree const c = iterated(seed + 2, 5);
    for (script_tree const* t : {&a, &b, &c}) s.bring(*t);
    ASSERT_TRUE(s.run()) << "seed " << seed;
    expect_each_task_once_per_iteration(s, a, 6);
    expect_each_task_once_per_iteration(s, b, 3);
    expect_each_task_once_per_iteration(s, c, 5);
    s.bring(a);
    ASSERT_TRUE(s.run()) << "seed " << seed;
    expect_each_task_once_per_iteration(s, a, 12);
  }
}

TEST(replay, one_worker_is_never_asked) {
  replaying p(layout::flat(1), 1);
  stage s(p, 1, 1);
  script_tree const t = iterated(3, 4);
  s.bring(t);
  ASSERT_TRUE(s.run());
  EXPECT_EQ(s.exposed, 0U);
}

TEST(replay, below_the_detail_forks_are_not_exposed_and_strict_iterations_still_repeat) {
  replaying p(layout::flat(4), 6, {.relaxed = 3, .detail = 2, .refines = false});
  stage s(p, 4, 6);
  script_tree const t = iterated(6, 10);
  s.bring(t);
  ASSERT_TRUE(s.run());
  expect_each_task_once_per_iteration(s, t, 10);
  EXPECT_EQ(overlap(s, t, 5, 9), 1);
  EXPECT_EQ(p.status().restarts, 0U);
}

TEST(replay, a_record_that_is_full_costs_locality_only) {
  replaying p(layout::flat(8), 6, {.relaxed = 3, .detail = 1});
  stage s(p, 8, 6);
  script_tree t = iterated(6, 10);
  for (int i = 0; i < 3; ++i) {  // wide groups under the root: more to note than there is room
    std::vector<std::uint32_t> wide;
    for (int k = 0; k < 50; ++k) {
      wide.push_back(static_cast<std::uint32_t>(t.size()));
      t.push_back({.steps = 5});
    }
    for (auto& g : t[0].groups) g.insert(g.end(), wide.begin(), wide.end());
  }
  s.bring(t);
  ASSERT_TRUE(s.run());
  expect_each_task_once_per_iteration(s, t, 10);
}

TEST(replay, what_was_stolen_is_placed_on_its_thief_next_time) {
  replaying p(layout::flat(3), 1, {.relaxed = 1});
  worker_policy& w = p.of_worker(worker_id{0});
  worker_policy& thief = p.of_worker(worker_id{2});
  task_tag root{};
  ASSERT_EQ(p.of_worker(worker_id{1}).place(root, cause::injected), (placement{worker_id{0}, lane::inbox}));
  w.learn(begun{.task = root});

  for (int iteration = 0; iteration < 3; ++iteration) {
    ASSERT_TRUE(w.sees_forks());
    task_tag g = w.meet(root, 0, 3);
    task_tag first = w.mark(g, {});
    EXPECT_EQ(p.status().is_strict, iteration == 2);
    EXPECT_EQ(thief.admits(g.words[0]), iteration < 2) << "strictly, nobody takes what is not for all";
    EXPECT_TRUE(thief.admits(task_tag{}.words[0]));
    if (iteration == 0) {
      EXPECT_EQ(w.place(first, cause::forked), (placement{worker_id{0}, lane::local}));
      EXPECT_EQ(thief.place(g, cause::stolen), (placement{worker_id{2}, lane::inbox}));
      thief.learn(begun{.task = g});
      EXPECT_TRUE(thief.sees_forks());
      task_tag second = thief.mark(g, {});
      EXPECT_EQ(thief.place(second, cause::forked), (placement{worker_id{2}, lane::local}));
    } else {
      EXPECT_EQ(w.place(first, cause::forked), (placement{worker_id{0}, lane::migrated})) << "the others first";
      for (int i = 0; i < 2; ++i) {
        task_tag next = w.mark(g, {});
        EXPECT_EQ(w.place(next, cause::forked), (placement{worker_id{2}, lane::migrated}));
      }
    }
    w.leave(root, g);
    EXPECT_EQ(thief.place(root, cause::resumed), (placement{worker_id{0}, lane::inbox}));
    w.learn(begun{.task = root});
  }
  EXPECT_EQ(p.status().iterations, 3U);
  EXPECT_EQ(p.status().pieces, 1U);
  w.learn(ended{.task = root});
  task_tag again{};
  EXPECT_EQ(w.place(again, cause::injected), (placement{worker_id{0}, lane::inbox}));
  EXPECT_TRUE(tag_fields::read(again).is_root);
  task_tag other{};
  EXPECT_EQ(thief.place(other, cause::injected), (placement{worker_id{2}, lane::inbox}));
  EXPECT_TRUE(tag_fields::read(other).is_open) << "there is a root already: this one is anybody's";
}

TEST(replay, iterations_do_not_count_until_something_was_stolen) {
  two_workers s({.relaxed = 2});
  for (int i = 0; i < 100; ++i) {
    task_tag g = s.w.meet(s.root, 0, 2);
    ASSERT_FALSE(s.p.status().is_strict) << "nothing to follow: the others would never get work again";
    task_tag const child = s.w.mark(g, {});
    if (i == 99) s.steal(g);
    s.end_of(g);
    static_cast<void>(child);
  }
  for (int i = 0; i < 4; ++i) {
    task_tag g = s.w.meet(s.root, 0, 2);
    EXPECT_EQ(s.p.status().is_strict, i >= 2) << "iteration " << i << " after the recorded one";
    for (int child = 0; child < 2; ++child) static_cast<void>(s.w.mark(g, {}));
    s.end_of(g);
  }
}

/// One worker's next search for victims.
bool steals(worker_policy& m) {
  fruitless_round(m);  // what it has begun
  return !victims_of(fruitless_round(m)).empty();
}

TEST(replay, strictly_nobody_steals_but_of_other_tasks_from_outside) {
  two_workers s({.relaxed = 1});
  for (int iteration = 0; iteration < 3; ++iteration) {
    task_tag g = s.w.meet(s.root, 0, 2);
    EXPECT_EQ(steals(s.thief), iteration < 2) << "iteration " << iteration;
    for (int child = 0; child < 2; ++child) {
      task_tag t = s.w.mark(g, {});
      s.w.place(t, cause::forked);
      if (iteration == 0 && child == 1) s.steal(t);
    }
    if (iteration == 2) {
      task_tag free[2] = {};
      for (task_tag& t : free) s.w.place(t, cause::injected);
      EXPECT_TRUE(steals(s.thief));
      s.w.learn(ended{.task = free[0]});
      EXPECT_TRUE(steals(s.thief)) << "there is another one";
      s.w.learn(ended{.task = free[1]});
      EXPECT_FALSE(steals(s.thief));
    }
    s.end_of(g);
  }
}

TEST(replay, where_something_was_stolen_below_the_detail_forks_are_exposed_next_time) {
  two_workers s({.relaxed = 5, .detail = 1});
  for (int iteration = 0; iteration < 2; ++iteration) {
    task_tag g = s.w.meet(s.root, 0, 4);  // 4 > 2^1
    task_tag child = s.w.mark(g, {});
    ASSERT_EQ(s.w.place(child, cause::forked), (placement{worker_id{0}, lane::local}));
    EXPECT_EQ(s.w.sees_forks(), iteration == 1);
    task_tag published_word{{child.words[0]}};  // all that a thief sees of who runs the child
    EXPECT_EQ(s.thief.mark(published_word, {}), task_tag{});
    s.end_of(g);
  }
}

TEST(replay, pieces_that_came_home_are_not_sent) {
  two_workers s({.relaxed = 5});
  task_tag g = s.w.meet(s.root, 0, 4);
  task_tag first = s.w.mark(g, {});
  ASSERT_EQ(s.w.place(first, cause::forked), (placement{worker_id{0}, lane::local}));
  s.steal(g);
  s.thief.learn(begun{.task = g});
  task_tag second = s.thief.mark(g, {});
  ASSERT_EQ(s.thief.place(second, cause::forked), (placement{worker_id{1}, lane::local}));
  s.w.place(g, cause::stolen);  // worker 0 takes the last two back
  s.end_of(g);

  g = s.w.meet(s.root, 0, 4);
  lane const expected[] = {lane::migrated, lane::migrated, lane::local, lane::local};
  for (std::uint32_t i = 0; i < 4; ++i) {
    task_tag child = s.w.mark(g, {});
    EXPECT_EQ(s.w.place(child, cause::forked), (placement{worker_id{i == 1 ? 1U : 0U}, expected[i]})) << "child " << i;
  }
}

TEST(replay, strictly_a_task_goes_home_only_for_groups_to_come) {
  for (std::uint32_t const groups : {1U, 2U}) {
    two_workers s({.relaxed = 1});
    for (int iteration = 0; iteration < 4; ++iteration) {
      task_tag g = s.w.meet(s.root, 0, 2);
      task_tag child = s.w.mark(g, {});
      s.w.place(child, cause::forked);
      iteration == 0 ? s.steal(g) : s.place_next(g);
      s.w.learn(begun{.task = child});
      for (std::uint32_t i = 0; i < groups; ++i) {
        task_tag inner = s.w.meet(child, 0, 2);
        task_tag kept = s.w.mark(inner, {});
        s.w.place(kept, cause::forked);
        iteration == 0 ? s.steal(inner) : s.place_next(inner);
        task_tag woken = child;  // by worker 1, before its group is left
        bool const goes_home = s.p.status().is_strict && i + 1 < groups;
        EXPECT_EQ(s.thief.place(woken, cause::resumed).worker, worker_id{goes_home ? 0U : 1U})
            << "group " << i << " of " << groups << ", iteration " << iteration;
        s.w.leave(child, inner);
        s.w.place(child, cause::resumed);
      }
      s.end_of(g);
    }
    EXPECT_TRUE(s.p.status().is_strict);
  }
}

TEST(replay, tag_fields_survive_being_written) {
  tag_fields const c{.kind = replay::kind::task,
                     .is_root = true,
                     .is_outside = true,
                     .is_sent = true,
                     .breadth = 255,
                     .ordinal = 65'535,
                     .home = 65'534,
                     .owner = 65'533,
                     .index = 0xffff'fff0U,
                     .last = 0xffff'fff1U,
                     .path = ~0ULL,
                     .enclosing = ~0ULL - 1};
  task_tag const t = c.written();
  EXPECT_EQ(tag_fields::read(t).written(), t);
  tag_fields const back = tag_fields::read(t);
  EXPECT_EQ(back.kind, c.kind);
  EXPECT_EQ(back.breadth, c.breadth);
  EXPECT_EQ(back.ordinal, c.ordinal);
  EXPECT_EQ(back.home, c.home);
  EXPECT_EQ(back.owner, c.owner);
  EXPECT_EQ(back.index, c.index);
  EXPECT_EQ(back.last, c.last);
  EXPECT_TRUE(back.is_root && back.is_outside && back.is_sent && !back.is_open);
  EXPECT_TRUE(tag_fields::read({}).is_open) << "a tag of zeros is anybody's";
}

}}}}  // namespace skua::v0::policies
