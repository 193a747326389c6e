// SPDX-License-Identifier: MIT
// Deterministic task allocation, decision by decision. [adws-sc19 4.2]
#include <limits>

#include "skua/policy/adws/script_for_test.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace adws { namespace {

class allocation : public by_hand {};

TEST_F(allocation, the_first_task_from_outside_is_the_root_and_has_all_workers_whoever_takes_it_in) {
  tag_fields const c = tag_fields::read(root(5));
  EXPECT_TRUE(c.is_root);
  EXPECT_TRUE(c.is_search_root());
  EXPECT_EQ(c.range, (range{.right = 0, .left = 8}));
}

TEST_F(allocation, other_tasks_from_outside_stay_where_they_were_taken_until_the_root_has_ended) {
  task_tag const first = root();
  task_tag second{};
  EXPECT_EQ(of(3).place(second, cause::injected).worker, worker_id{3});
  begin(3, second);
  EXPECT_FALSE(of(3).sees_forks());
  of(0).learn(ended{first, 1});
  of(3).learn(ended{second, 1});
  EXPECT_TRUE(tag_fields::read(root(2)).is_root);
}

TEST_F(allocation, what_is_cut_from_the_range_of_another_worker_goes_there_search_roots_into_the_slot) {
  family const f = meet(0, root(), {1, 1, 1, 1});
  ASSERT_EQ(f.children.size(), 4U);
  EXPECT_EQ(f.children[0].to, on(6, lane::mailbox));
  EXPECT_EQ(f.children[1].to, on(4, lane::mailbox));
  EXPECT_EQ(f.children[2].to, on(2, lane::mailbox));
  EXPECT_EQ(f.children[3].to, on(0, lane::local));
  EXPECT_EQ(f.children[1].is().range, (range{.right = 4, .left = 6}));
  EXPECT_TRUE(f.children[3].is().is_search_root());
}

TEST_F(allocation, slow_workers_get_less_of_the_range_and_of_its_addresses) {
  layout const where(topology::synthetic("l3:1 core:8(speed=4x1,4x0.5)"));  // workers 0 to 3 are the fast ones
  restart(where, {});
  family const f = meet(0, root(), {1, 1, 1});
  ASSERT_EQ(f.children.size(), 3U);
  EXPECT_EQ(f.children[0].to, on(4, lane::mailbox));
  EXPECT_EQ(f.children[0].is().range, (range{.right = 4, .left = 8}));
  EXPECT_EQ(f.children[1].is().range, (range{.right = 2, .left = 4}));
  restart(where, {.by_speed = false});
  EXPECT_EQ(meet(0, root(), {1, 1}).children[0].is().range, (range{.right = 4, .left = 8}));
  restart(where, {});
  task_tag whole = root();
  for (auto const& [at, worker] : {std::pair{0.3, 4U}, std::pair{0.4, 3U}, std::pair{0.9, 0U}}) {
    born b;
    b.tag = of(0).mark(whole, as_hint(address::at(at)));
    b.to = of(0).place(b.tag, cause::released);
    EXPECT_EQ(b.to, on(worker, lane::migrated)) << at;
  }
}

TEST_F(allocation, a_spawned_task_with_an_address_goes_to_that_point_of_the_range_and_one_without_stays) {
  auto const spawned = [this](std::uint32_t w, task_tag parent, hint const& h) {
    born b;
    b.tag = of(w).mark(parent, h);
    b.to = of(w).place(b.tag, cause::released);
    return b;
  };
  task_tag const whole = root();
  EXPECT_EQ(spawned(0, whole, as_hint(address::at(0))).to, on(7, lane::migrated)) << "as the first child";
  EXPECT_EQ(spawned(0, whole, as_hint(address::at(0.5))).to, on(3, lane::migrated));
  EXPECT_EQ(spawned(0, whole, as_hint(address::at(1))).to, on(0, lane::migrated));
  EXPECT_EQ(spawned(0, whole, {}).to, on(0, lane::spawned));
  for (std::uint64_t i = 0; i < 8; ++i)
    EXPECT_EQ(spawned(0, whole, as_hint(address::of(i, 8))).to, on(7 - static_cast<std::uint32_t>(i), lane::migrated));
  // One of them releases another, inside of the same range.
  born const first = spawned(0, whole, as_hint(address::at(0.99)));
  EXPECT_FALSE(first.is().is_search_root());
  begin(0, first.tag);
  EXPECT_EQ(spawned(0, first.tag, as_hint(address::at(0.3))).to, on(5, lane::migrated));
  // Inside of a group: in its child's range.
  restart(8);
  family const f = meet(0, root(), {1, 1});
  begin(4, f.children[0].tag);
  EXPECT_EQ(spawned(4, f.children[0].tag, as_hint(address::at(0))).to, on(7, lane::migrated));
  EXPECT_EQ(spawned(4, f.children[0].tag, as_hint(address::at(1))).to, on(4, lane::migrated));
}

TEST_F(allocation, a_spawned_task_takes_nothing_from_the_shares_of_a_group) {
  task_tag task = root();
  task_tag const group = of(0).meet(task, 2, 2);
  task_tag rest = group;
  task_tag first = of(0).mark(rest, as_hint(work{1}));
  task_tag parent = rest;
  task_tag spawned = of(0).mark(parent, work{100} | address::at(0.5));
  EXPECT_EQ(of(0).place(spawned, cause::released).lane, lane::migrated);
  task_tag const second = of(0).mark(rest, as_hint(work{1}));
  EXPECT_EQ(tag_fields::read(first).range, (range{.right = 4, .left = 8}));
  EXPECT_EQ(tag_fields::read(second).range, (range{.right = 0, .left = 4}));
}

TEST_F(allocation, a_child_inside_one_worker_goes_into_its_migrated_lane) {
  restart(4);
  family const f = meet(0, root(), {1, 1, 1, 1});
  ASSERT_EQ(f.children.size(), 4U);
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(f.children[i].to, on(3 - i, lane::migrated));
  EXPECT_EQ(f.children[3].to, on(0, lane::local));
}

TEST_F(allocation, where_the_range_is_cut_in_my_own_unit_the_child_is_mine_and_the_rest_is_kept_as_one) {
  restart(2);
  family const f = meet(0, root(), {1, 1, 1, 1});
  ASSERT_EQ(f.children.size(), 3U) << "the fourth was not placed one by one";
  EXPECT_EQ(f.children[0].to, on(1, lane::migrated));
  EXPECT_EQ(f.children[1].to, on(1, lane::migrated));
  EXPECT_EQ(f.children[2].to, on(0, lane::local));
  EXPECT_EQ(tag_fields::read(f.rest).range, (range{.right = 0, .left = 1})) << "what is one worker's is not cut";
}

TEST_F(allocation, a_child_that_begins_in_my_unit_and_reaches_into_the_next_is_mine_and_goes_on_searching) {
  restart(3);
  family const f = meet(0, root(), {1, 1, 1, 1});
  ASSERT_EQ(f.children.size(), 3U);
  EXPECT_EQ(f.children[0].to, on(2, lane::migrated));
  EXPECT_EQ(f.children[1].to, on(1, lane::mailbox));
  EXPECT_EQ(f.children[2].to, on(0, lane::local));
  EXPECT_TRUE(of(0).sees_forks());
  family const inner = meet(0, f.children[2].tag, {1, 1});
  EXPECT_EQ(inner.children[0].is().range, (range{.right = 1.125, .left = 1.5}));
  EXPECT_EQ(inner.children[0].to, on(1, lane::migrated));
  EXPECT_EQ(inner.children[1].to, on(0, lane::local));
}

TEST_F(allocation, a_search_ends_with_the_first_task_that_ends_or_waits) {
  task_tag const t = root();
  family const f = meet(0, t, {1, 1, 1, 1});
  EXPECT_TRUE(of(0).sees_forks());
  of(0).learn(returned{f.children[3].tag});
  EXPECT_FALSE(of(0).sees_forks());

  begin(2, f.children[2].tag);
  EXPECT_TRUE(of(2).sees_forks());
  of(2).learn(waiting{});
  EXPECT_FALSE(of(2).sees_forks());

  begin(4, f.children[1].tag);
  of(4).learn(ended{f.children[1].tag, 1});
  EXPECT_FALSE(of(4).sees_forks());
}

TEST_F(allocation, only_the_owner_of_a_search_root_divides_and_nobody_a_task_of_one_worker) {
  restart(3);
  family const f = meet(0, root(), {1, 1, 1, 1});
  begin(2, f.children[0].tag);
  EXPECT_FALSE(of(2).sees_forks()) << "its range is one worker's";
  begin(2, f.children[1].tag);
  EXPECT_FALSE(of(2).sees_forks()) << "its owner is worker 1";
  begin(1, f.children[1].tag, true);
  EXPECT_FALSE(of(1).sees_forks()) << "a group of it is open";
  begin(1, f.children[1].tag);
  EXPECT_TRUE(of(1).sees_forks());
}

TEST_F(allocation, the_next_group_of_a_task_is_cut_like_the_one_before) {
  task_tag const t = root();
  family const first = meet(0, t, {3, 1, 2, 2});
  of(0).learn(returned{first.children.back().tag});
  of(0).leave(t, first.group);
  EXPECT_TRUE(of(0).sees_forks());
  family const second = meet(0, t, {3, 1, 2, 2});
  ASSERT_EQ(first.children.size(), second.children.size());
  for (std::size_t i = 0; i < first.children.size(); ++i) {
    EXPECT_EQ(first.children[i].to, second.children[i].to);
    EXPECT_EQ(first.children[i].is().range, second.children[i].is().range);
  }
}

TEST_F(allocation, a_search_root_that_goes_on_elsewhere_is_sent_back_to_its_owner) {
  family const f = meet(0, root(), {1, 1, 1, 1});
  task_tag t = f.children[2].tag;  // [2, 4]
  EXPECT_EQ(of(3).place(t, cause::resumed), on(2, lane::mailbox));
  EXPECT_EQ(t, f.children[2].tag);
  EXPECT_EQ(of(2).place(t, cause::resumed).worker, worker_id{2});
}

TEST_F(allocation, it_stays_and_divides_no_more_if_a_group_around_it_is_active) {
  family const f = meet(0, root(), {1, 1, 1, 1});
  of(0).learn(returned{f.children[3].tag});  // the search of worker 0 ends: the group is active
  for (std::uint32_t const w : {3U, 2U}) {
    task_tag t = f.children[2].tag;
    EXPECT_EQ(of(w).place(t, cause::resumed).worker, worker_id{w});
    begin(w, t);
    EXPECT_FALSE(of(w).sees_forks());
    of(w).leave(t, t);
    EXPECT_FALSE(of(w).sees_forks());
  }
}

TEST_F(allocation, the_root_always_goes_back_to_worker_0) {
  task_tag t = root();
  family const f = meet(0, t, {1, 1});
  of(0).learn(returned{f.children[1].tag});
  EXPECT_EQ(of(7).place(t, cause::resumed), on(0, lane::mailbox));
  begin(0, t, true);
  of(0).leave(t, f.group);
  EXPECT_TRUE(of(0).sees_forks());
}

TEST_F(allocation, a_scope_ends_the_search_and_the_next_group_is_divided_again) {
  task_tag t = root();
  task_tag const scope = of(0).meet(t, 0, 0);
  EXPECT_FALSE(of(0).sees_forks());
  EXPECT_EQ(tag_fields::read(scope).range, tag_fields::read(t).range);
  of(0).leave(t, scope);
  EXPECT_TRUE(of(0).sees_forks());
}

TEST_F(allocation, a_root_that_has_ended_leaves_nothing_behind) {
  task_tag const first = root();
  family const f = meet(0, first, {1, 1});
  of(0).learn(returned{f.children[1].tag});
  of(0).leave(first, f.group);
  EXPECT_TRUE(of(0).sees_forks());
  of(0).learn(ended{first, 1});
  EXPECT_FALSE(of(0).sees_forks());
  EXPECT_EQ(root(), first) << "the next one has the same node of the tree";
}

TEST_F(allocation, a_task_that_the_root_spawns_is_no_root_and_its_end_ends_none) {
  task_tag const whole = root();
  task_tag parent = whole;
  task_tag spawned = of(0).mark(parent, as_hint(address::at(1)));
  ASSERT_EQ(of(0).place(spawned, cause::released), on(0, lane::migrated));
  EXPECT_FALSE(tag_fields::read(spawned).is_root);
  EXPECT_FALSE(tag_fields::read(spawned).is_outside);
  EXPECT_EQ(tag_fields::read(spawned).range, tag_fields::read(whole).range);
  begin(0, spawned);
  of(0).learn(ended{spawned, 1});
  task_tag another{};
  EXPECT_EQ(of(3).place(another, cause::injected), on(3, lane::inbox)) << "there is a root";
}

/// Machines may mark a task that goes on with its own hint, or one from outside.
TEST_F(allocation, what_is_marked_outside_of_a_search_is_not_cut) {
  auto const expect_uncut = [this](task_tag const& t, char const* when) {
    task_tag own = t;
    EXPECT_EQ(of(0).mark(own, as_hint(work{1})), t) << when;
    EXPECT_EQ(own, t) << when;
  };
  task_tag const t = root();
  expect_uncut(t, "before the first group");
  family const f = meet(0, t, {1, 1});
  of(0).leave(t, f.group);
  expect_uncut(t, "after a group");
  meet(0, t, {1, 1});
  task_tag left = t;
  of(0).place(left, cause::preempted);
  begin(0, f.children[1].tag);
  expect_uncut(f.children[1].tag, "in another task");
  meet(0, f.children[1].tag, {1, 1});
  of(0).learn(waiting{});
  expect_uncut(t, "after a wait");
}

TEST_F(allocation, to_one_worker_alone_nothing_is_exposed) {
  restart(1);
  root();
  EXPECT_FALSE(of(0).sees_forks());
}

TEST_F(allocation, what_runs_is_preempted_to_where_it_can_be_taken_with_its_tag) {
  task_tag t = root();
  EXPECT_TRUE(of(3).preempts());
  EXPECT_EQ(of(3).place(t, cause::preempted), on(3, lane::local));
}

TEST_F(allocation, whatever_the_hints_are_children_lie_inside_and_somebody_runs_each) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double strange[] = {0, -1, inf, -inf, std::numeric_limits<double>::quiet_NaN(), 1e300, 1e-300, 0, 0};
  std::uint64_t sent = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    runtime::dice roll(seed);
    restart(1 + roll.below(70));
    struct pending {
      task_tag tag;
      std::uint32_t owner;
      int depth;
    };
    std::vector<pending> ready{{root(), 0, 0}};
    while (!ready.empty()) {
      pending const p = ready.back();
      ready.pop_back();
      begin(p.owner, p.tag);
      if (!of(p.owner).sees_forks() || p.depth > 6) continue;
      std::vector<double> works(1 + roll.below(9));
      for (double& w : works) w = roll.below(2) == 0 ? strange[roll.below(std::size(strange))] : roll.unit();
      family const f = meet(p.owner, p.tag, works);
      range const whole = tag_fields::read(p.tag).range;
      double left = whole.left;
      for (born const& b : f.children) {
        range const r = b.is().range;
        ASSERT_TRUE(whole.contains(r)) << "seed " << seed;
        ASSERT_EQ(r.left, left) << "seed " << seed;
        ASSERT_LT(index(b.to.worker), workers_) << "seed " << seed;
        ASSERT_EQ(index(b.to.worker), r.owner()) << "seed " << seed;
        bool const is_mine = index(b.to.worker) == p.owner;
        ASSERT_EQ(b.to.lane, is_mine ? lane::local : r.spans() ? lane::mailbox : lane::migrated) << "seed " << seed;
        left = r.right;
        sent += is_mine ? 0U : 1U;
        if (b.is().is_search_root() && !is_mine) ready.push_back({b.tag, r.owner(), p.depth + 1});
      }
      ASSERT_EQ(index(f.children.back().to.worker), p.owner) << "seed " << seed;
      ASSERT_FALSE(tag_fields::read(f.rest).range.spans()) << "what is kept is this worker's alone, seed " << seed;
    }
  }
  EXPECT_GT(sent, 10'000U);
}

}}}}}  // namespace skua::v0::policies::adws
