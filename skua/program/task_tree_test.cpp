// SPDX-License-Identifier: MIT
#include "skua/program/task_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "tests/programs/outline.hpp"
#include "tests/programs/random_tree.hpp"

namespace skua { inline namespace v0 { namespace {

/// A join, each or scope of `n` leaves of `flops` each, below `at`.
tree_node_id group_of(task_tree& t, tree_node_id at, tree_node_kind kind, std::uint32_t n, double flops) {
  tree_node_id const group = t.add(at, kind);
  for (std::uint32_t i = 0; i < n; ++i)
    t[t.add(t.add(group, tree_node_kind::task), tree_node_kind::leaf)].flops = flops;
  return group;
}

totals with_forks(task_tree const& t, unit in, double per_fork) {
  return t.weigh([&](tree_node_id id) { return t.amount(id, in); }, per_fork);
}

TEST(task_tree, an_empty_program_is_one_task_and_one_unit) {
  EXPECT_EQ(task_tree{}.weigh(unit::leaves), (totals{.work = 1, .span = 1, .forks = 0, .tasks = 1, .leaves = 0}));
}

TEST(task_tree, a_join_of_n_makes_n_minus_1_forks_one_after_the_other) {
  task_tree t;
  group_of(t, 0, tree_node_kind::join, 4, 10);
  EXPECT_EQ(with_forks(t, unit::flops, 0), (totals{.work = 40, .span = 10, .forks = 3, .tasks = 5, .leaves = 4}));
  EXPECT_EQ(with_forks(t, unit::flops, 2), (totals{.work = 46, .span = 16, .forks = 3, .tasks = 5, .leaves = 4}));
}

TEST(task_tree, a_scope_forks_every_child_on_its_way) {
  task_tree t;
  tree_node_id const s = group_of(t, 0, tree_node_kind::scope, 2, 10);
  t[t.add(s, tree_node_kind::leaf)].flops = 5;
  group_of(t, s, tree_node_kind::scope, 1, 7);
  // Body: fork, fork, 5, fork; the inner scope lasts 1 + 7.
  EXPECT_EQ(with_forks(t, unit::flops, 1), (totals{.work = 35, .span = 15, .forks = 3, .tasks = 4, .leaves = 4}));
}

/// Spawns a task in a region that consists of one leaf.
tree_node_id spawned(task_tree& t, tree_node_id by, tree_node_id region, double each_flops) {
  tree_node_id const task = t.add_spawned(by, region);
  t[t.add(task, tree_node_kind::leaf)].flops = each_flops;
  return task;
}

TEST(task_tree, a_region_waits_for_tasks_that_outlive_their_spawners) {
  task_tree t;
  tree_node_id const region = t.add(0, tree_node_kind::finish);
  tree_node_id const first = spawned(t, region, region, 2);
  spawned(t, first, region, 10);  // at 2, until 12
  t[t.add(first, tree_node_kind::leaf)].flops = 3;
  t[t.add(0, tree_node_kind::leaf)].flops = 1;
  EXPECT_EQ(with_forks(t, unit::flops, 0), (totals{.work = 16, .span = 13, .forks = 2, .tasks = 3, .leaves = 4}));
  EXPECT_EQ(t.group_of(first), region);
}

TEST(task_tree, a_join_does_not_wait_for_what_its_children_spawn) {
  task_tree t;
  tree_node_id const region = t.add(0, tree_node_kind::finish);
  tree_node_id const join = t.add(region, tree_node_kind::join);
  spawned(t, t.add(join, tree_node_kind::task), region, 10);  // at 0
  t[t.add(t.add(join, tree_node_kind::task), tree_node_kind::leaf)].flops = 4;
  spawned(t, region, region, 5);  // after the join: from 4 until 9
  EXPECT_EQ(t.weigh(unit::flops).span, 10);
  tree_node_id const inner = t.add(region, tree_node_kind::finish);  // at 4; it does not wait for the outer one's tasks
  spawned(t, inner, region, 100);
  spawned(t, inner, inner, 7);
  t[t.add(region, tree_node_kind::leaf)].flops = 2;
  EXPECT_EQ(t.weigh(unit::flops).span, 13);
}

TEST(task_tree, steps_of_a_task_add_up) {
  task_tree t;
  group_of(t, 0, tree_node_kind::join, 2, 3);
  t[t.add(0, tree_node_kind::leaf)].flops = 4;
  group_of(t, 0, tree_node_kind::each, 3, 2);
  EXPECT_EQ(t.weigh(unit::flops).work, 16);
  EXPECT_EQ(t.weigh(unit::flops).span, 9);
  EXPECT_EQ(t.weigh(unit::leaves).span, 3);
}

TEST(task_tree, an_empty_each_costs_nothing) {
  task_tree t;
  group_of(t, 0, tree_node_kind::each, 0, 0);
  EXPECT_EQ(t.weigh(unit::leaves).work, 0);
  EXPECT_EQ(t.weigh(unit::leaves).forks, 0U);
}

TEST(task_tree, senseless_flops_weigh_nothing) {
  for (double const f : {-1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    task_tree t;
    t[t.add(0, tree_node_kind::leaf)].flops = f;
    EXPECT_EQ(t.weigh(unit::flops).work, 0) << f;
  }
}

TEST(task_tree, a_leaf_has_a_finite_number_of_flops_that_is_not_negative) {
  task_tree t;
  tree_node_id const leaf = t.add(0, tree_node_kind::leaf);
  t.add_flops(leaf, 3);
  for (double const f : {-1.0, -1e-300, std::numeric_limits<double>::infinity(), std::nan("")})
    EXPECT_THROW(t.add_flops(leaf, f), usage_error) << f;
  t.add_flops(leaf, 0);
  EXPECT_EQ(t[leaf].flops, 3) << "what was refused leaves no trace";
  t.add_flops(leaf, 1e308);
  EXPECT_THROW(t.add_flops(leaf, 1e308), usage_error) << "the sum is infinite";
}

TEST(task_tree, a_leaf_touches_memory_that_there_can_be) {
  task_tree t;
  tree_node_id const leaf = t.add(0, tree_node_kind::leaf);
  constexpr std::uint64_t most = std::uint64_t{1} << 36, end = ~std::uint64_t{0};
  for (touch const& good :
       {touch{.address = 64, .bytes = most}, touch{.address = 64, .bytes = most >> 10, .rows = 1024, .stride = most},
        touch{.address = end - 9, .bytes = 9}, touch{.address = 1, .bytes = 8, .rows = 0, .stride = 8},
        touch{.address = 1, .bytes = 0, .rows = end, .stride = end}})
    EXPECT_NO_THROW(t.add_touch(leaf, good)) << good.bytes;
  std::size_t const touches = t.touches().size();
  for (touch const& bad :
       {touch{.address = 64, .bytes = most + 1}, touch{.address = 64, .bytes = std::uint64_t{1} << 40},
        touch{.address = 64, .bytes = end}, touch{.address = 64, .bytes = most >> 10, .rows = 1025, .stride = most},
        touch{.address = 64, .bytes = 8, .rows = end, .stride = 8}, touch{.address = end - 9, .bytes = 10},
        touch{.address = 64, .bytes = 8, .rows = 3, .stride = end / 2}})
    EXPECT_THROW(t.add_touch(leaf, bad), usage_error) << bad.bytes << " x " << bad.rows;
  EXPECT_EQ(t.touches().size(), touches);
  EXPECT_EQ(t[leaf].touches, touches);
}

TEST(task_tree, a_deep_tree_needs_no_deep_stack) {
  task_tree t;
  tree_node_id at = 0;
  for (int i = 0; i < 300'000; ++i) at = t.add(t.add(at, tree_node_kind::scope), tree_node_kind::task);
  EXPECT_EQ(t.weigh(unit::leaves).work, 1);
}

TEST(task_tree, its_outline_has_a_line_for_every_node) {
  task_tree t;
  tree_node_id const group = group_of(t, 0, tree_node_kind::join, 1, 3);
  t.add(group, tree_node_kind::task, work{2} | at{place_id{7}});
  t.add_touch(3, {.address = 0, .bytes = 64, .written = true});
  std::ostringstream text;
  text << t;
  EXPECT_EQ(text.str(), "0 task\n  1 join\n    2 task\n      3 leaf 3 flops writes 64 B\n    4 task work 2 place 7\n");
}

TEST(task_tree, a_spawned_task_begins_after_the_spawn_that_costs_its_parent) {
  task_tree t;
  tree_node_id const region = t.add(0, tree_node_kind::finish);
  t[t.add(region, tree_node_kind::leaf)].flops = 1;
  t[t.add(t.add_spawned(region, region), tree_node_kind::leaf)].flops = 10;
  totals const all = t.weigh([&](tree_node_id id) { return t.amount(id, unit::flops); }, 3);
  EXPECT_EQ(all.work, 14);
  EXPECT_EQ(all.span, 14) << "the leaf, the spawn, the task";
}

TEST(footprint, of_a_leaf_is_named_by_its_first_write) {
  int a[4] = {};
  double b[2] = {};
  footprint const all =
      runtime::footprint_of(reads{b, 16}, flops{3}, writes{a, 8}, writes{b, 4}, reads{a, 2}, flops{0.5}, [] {});
  EXPECT_EQ(all.written, a);
  EXPECT_EQ(all.bytes_written, 12U);
  EXPECT_EQ(all.bytes_read, 18U);
  EXPECT_EQ(all.operations, 3.5);
}

TEST(random_tree, same_seed_same_tree_and_all_kinds_of_groups_occur) {
  std::uint64_t kinds[7] = {};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    task_tree const t = random_tree::make(seed);
    std::ostringstream once;
    std::ostringstream twice;
    once << t;
    twice << random_tree::make(seed);
    ASSERT_EQ(once.str(), twice.str()) << "seed " << seed;
    for (tree_node_id i = 0; i < t.size(); ++i) ++kinds[static_cast<unsigned>(t[i].kind)];
    totals const all = t.weigh(unit::flops);
    EXPECT_LE(all.span, all.work) << "seed " << seed;
  }
  for (tree_node_kind const k : {tree_node_kind::task, tree_node_kind::join, tree_node_kind::each,
                                 tree_node_kind::scope, tree_node_kind::leaf}) {
    EXPECT_GT(kinds[static_cast<unsigned>(k)], 0U) << name_of(k);
  }
}

TEST(random_tree, its_size_is_about_what_was_asked_for) {
  std::uint64_t tasks = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed)
    tasks += random_tree::make(seed, {.tasks = 1000}).weigh(unit::leaves).tasks;
  EXPECT_GT(tasks / 50, 500U);
  EXPECT_LT(tasks / 50, 2000U);
}

}}}  // namespace skua::v0
