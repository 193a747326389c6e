// SPDX-License-Identifier: MIT
#include "skua/policy/adws/tree.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace skua { inline namespace v0 { namespace policies { namespace adws { namespace {

constexpr range whole{.right = 0, .left = 8};

class steal_ranges : public ::testing::Test {
 protected:
  /// Figure 10: worker 0 has [0, 8] and [0, 4] in it, worker 4 was sent [4, 8] and has met a group there, too.
  steal_ranges() {
    all_ = ranges_.open(worker_id{0}, whole, {});
    right_ = ranges_.open(worker_id{0}, {.right = 0, .left = 4}, all_);
    left_ = ranges_.open(worker_id{4}, {.right = 4, .left = 8}, all_);
  }
  /// The topmost active node around worker w, seen from the youngest open one whose range covers it.
  std::optional<tree<>::found> found(std::uint32_t w) const {
    std::optional<tree<>::found> best;
    for (std::uint32_t o = 0; o <= w; ++o) {
      auto const f = ranges_.topmost_around(ranges_.youngest(worker_id{o}), worker_id{w}, [](node_id) {});
      if (f && (!best || ranges_.is_inside(best->id, f->id))) best = f;
    }
    return best;
  }
  node_id of(std::uint32_t w) const {
    auto const f = found(w);
    return f ? f->id : none;
  }

  tree<> ranges_{8};
  group_id all_, right_, left_;
};

TEST_F(steal_ranges, nobody_steals_while_nothing_is_active) {
  for (std::uint32_t w = 0; w < 8; ++w) EXPECT_EQ(of(w), none);
}

TEST_F(steal_ranges, an_active_range_is_that_of_its_workers_and_of_no_others) {
  ranges_.activate(left_);
  for (std::uint32_t w = 0; w < 8; ++w) EXPECT_EQ(of(w), w < 4 ? none : left_.node);
  EXPECT_EQ(found(5)->range, (range{.right = 4, .left = 8}));
}

TEST_F(steal_ranges, the_topmost_active_one_counts) {
  ranges_.activate(left_);
  ranges_.activate(right_);
  ranges_.activate(all_);
  for (std::uint32_t w = 0; w < 8; ++w) EXPECT_EQ(of(w), all_.node);
}

TEST_F(steal_ranges, of_two_with_the_same_range_the_outer_one_counts) {
  group_id const inner = ranges_.open(worker_id{4}, {.right = 4, .left = 8}, left_);
  ranges_.activate(inner);
  EXPECT_EQ(of(6), inner.node);
  ranges_.activate(left_);
  EXPECT_EQ(of(6), left_.node);
}

TEST_F(steal_ranges, a_closed_one_is_gone_and_its_place_is_used_again_inactive) {
  ranges_.activate(left_);
  ranges_.close(left_);
  for (std::uint32_t w = 0; w < 8; ++w) EXPECT_EQ(of(w), none);
  EXPECT_EQ(ranges_.open(worker_id{4}, {.right = 4, .left = 6}, all_), left_);
  EXPECT_EQ(of(5), none);
  ranges_.activate(left_);
  EXPECT_EQ(of(5), left_.node);
  EXPECT_EQ(of(7), none) << "the range is the new one's";
}

TEST_F(steal_ranges, one_may_be_made_inactive_again) {
  ranges_.activate(left_);
  ranges_.deactivate(left_);
  EXPECT_EQ(of(5), none);
}

TEST_F(steal_ranges, a_task_sees_whether_a_group_around_it_is_active) {
  group_id const inner = ranges_.open(worker_id{6}, {.right = 6, .left = 8}, left_);
  EXPECT_FALSE(ranges_.active_from(inner));
  ranges_.activate(right_);
  EXPECT_FALSE(ranges_.active_from(inner)) << "right is not around it";
  ranges_.activate(all_);
  EXPECT_TRUE(ranges_.active_from(inner));
  EXPECT_TRUE(ranges_.active_from(left_));
}

TEST_F(steal_ranges, inside_is_the_group_itself_and_what_lies_below_it) {
  group_id const inner = ranges_.open(worker_id{6}, {.right = 6, .left = 8}, left_);
  std::vector<node_id> const nodes{all_.node, right_.node, left_.node, inner.node, none};
  bool const expected[5][5] = {// is the row inside the column?
                               {true, false, false, false, false},
                               {true, true, false, false, false},
                               {true, false, true, false, false},
                               {true, false, true, true, false},
                               {false, false, false, false, true}};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      EXPECT_EQ(ranges_.is_inside(nodes[i], nodes[j]), expected[i][j]) << i << " in " << j;
    }
  }
}

TEST_F(steal_ranges, a_group_with_most_of_the_range_around_it_shares_its_node) {
  group_id const most = ranges_.nest(worker_id{4}, {.right = 4, .left = 7.5}, left_);
  EXPECT_EQ(most, (group_id{.node = left_.node, .level = 1}));
  group_id const less = ranges_.nest(worker_id{4}, {.right = 4, .left = 7}, most);
  EXPECT_NE(less.node, left_.node) << "three quarters, measured from the node's range";
  EXPECT_EQ(less.level, 0U);
  EXPECT_NE(ranges_.nest(worker_id{5}, {.right = 5, .left = 8}, most).node, left_.node) << "another worker's";
  EXPECT_EQ(of(7), none);
  ranges_.activate(less);
  EXPECT_EQ(of(7), none);
  EXPECT_EQ(of(6), less.node);
}

TEST_F(steal_ranges, the_levels_of_a_node_are_active_and_end_one_by_one) {
  group_id const inner = ranges_.nest(worker_id{4}, {.right = 4, .left = 7.5}, left_);
  ranges_.activate(inner);
  EXPECT_EQ(of(7), left_.node) << "of the whole node";
  EXPECT_TRUE(ranges_.active_from(inner));
  EXPECT_FALSE(ranges_.active_from(left_)) << "a task of the outer group may still go home";
  ranges_.close(inner);
  EXPECT_EQ(of(7), none);

  group_id const next = ranges_.nest(worker_id{4}, {.right = 4, .left = 7.5}, left_);
  EXPECT_EQ(next, inner);
  ranges_.activate(next);
  ranges_.activate(left_);
  EXPECT_TRUE(ranges_.active_from(left_));
  ranges_.activate(next);
  ranges_.close(next);
  EXPECT_TRUE(ranges_.active_from(left_)) << "the outer group has been active of its own";
  EXPECT_EQ(of(7), left_.node);
  ranges_.close(left_);
  EXPECT_EQ(of(7), none);
}

TEST_F(steal_ranges, a_group_inside_of_an_inner_level_hears_of_the_levels_around_it) {
  group_id const inner = ranges_.nest(worker_id{4}, {.right = 4, .left = 7.5}, left_);
  group_id const innermost = ranges_.nest(worker_id{4}, {.right = 4, .left = 7.25}, inner);
  group_id const sent = ranges_.open(worker_id{6}, {.right = 6, .left = 7}, inner);
  ranges_.activate(innermost);
  EXPECT_FALSE(ranges_.active_from(sent));
  ranges_.activate(inner);
  EXPECT_TRUE(ranges_.active_from(sent));
}

TEST(tree, a_spine_needs_few_nodes) {
  tree<> ranges(65535);
  group_id inside;
  for (double left = 65535; left > 2 * least_share; left *= 0.99)
    inside = ranges.nest(worker_id{0}, {.right = 0, .left = left}, inside);
  EXPECT_LT(inside.node, 54U);
}

TEST(tree, an_owner_with_too_many_open_groups_gets_no_more_until_one_is_closed) {
  tree<> ranges(2);
  group_id last;
  for (std::uint32_t i = 0; i < tree<>::most_depth; ++i) {
    group_id const opened = ranges.open(worker_id{1}, {.right = 1, .left = 2}, last);
    ASSERT_NE(opened.node, none);
    last = opened;
  }
  EXPECT_EQ(ranges.open(worker_id{1}, {.right = 1, .left = 2}, last).node, none);
  ranges.close(last);
  EXPECT_EQ(ranges.open(worker_id{1}, {.right = 1, .left = 2}, {.node = last.node - 1}), last);
}

TEST(tree, nothing_is_done_to_no_group) {
  tree<> ranges(2);
  ranges.activate({});
  ranges.deactivate({});
  ranges.close({});
  EXPECT_FALSE(ranges.active_from({}));
}

}}}}}  // namespace skua::v0::policies::adws
