// SPDX-License-Identifier: MIT
#include "skua/policy/adws/tree.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace skua::inline v0::policies::adws {
namespace {

constexpr range whole{.right = 0, .left = 8};

class steal_ranges : public testing::Test {
 protected:
  /// Figure 10: worker 0 has [0, 8] and [0, 4] in it, worker 4 was sent [4, 8] and has met a group there, too.
  steal_ranges() {
    all_ = ranges_.open(worker_id{0}, whole, none);
    right_ = ranges_.open(worker_id{0}, {.right = 0, .left = 4}, all_);
    left_ = ranges_.open(worker_id{4}, {.right = 4, .left = 8}, all_);
  }
  node_id of(std::uint32_t w) {
    auto const f = ranges_.topmost(worker_id{w}, roll_);
    return f ? f->id : none;
  }

  runtime::dice roll_{5};
  tree<> ranges_{8};
  node_id all_, right_, left_;
};

TEST_F(steal_ranges, nobody_steals_while_nothing_is_active) {
  for (std::uint32_t w = 0; w < 8; ++w) EXPECT_EQ(of(w), none);
}

TEST_F(steal_ranges, an_active_range_is_that_of_its_workers_and_of_no_others) {
  ranges_.activate(left_);
  for (std::uint32_t w = 0; w < 8; ++w) EXPECT_EQ(of(w), w < 4 ? none : left_);
  EXPECT_EQ(ranges_.topmost(worker_id{5}, roll_)->where, (range{.right = 4, .left = 8}));
}

TEST_F(steal_ranges, the_topmost_active_one_counts) {
  ranges_.activate(left_);
  ranges_.activate(right_);
  ranges_.activate(all_);
  for (std::uint32_t w = 0; w < 8; ++w) EXPECT_EQ(of(w), all_);
}

TEST_F(steal_ranges, of_two_with_the_same_range_the_outer_one_counts) {
  node_id const inner = ranges_.open(worker_id{4}, {.right = 4, .left = 8}, left_);
  ranges_.activate(inner);
  EXPECT_EQ(of(6), inner);
  ranges_.activate(left_);
  EXPECT_EQ(of(6), left_);
}

TEST_F(steal_ranges, a_closed_one_is_gone_and_its_place_is_used_again_inactive) {
  ranges_.activate(left_);
  ranges_.close(left_);
  for (std::uint32_t w = 0; w < 8; ++w) EXPECT_EQ(of(w), none);
  EXPECT_EQ(ranges_.open(worker_id{4}, {.right = 4, .left = 6}, all_), left_);
  EXPECT_EQ(of(5), none);
  ranges_.activate(left_);
  EXPECT_EQ(of(5), left_);
  EXPECT_EQ(of(7), none) << "the range is the new one's";
}

TEST_F(steal_ranges, one_may_be_made_inactive_again) {
  ranges_.activate(left_);
  ranges_.deactivate(left_);
  EXPECT_EQ(of(5), none);
}

TEST_F(steal_ranges, a_task_sees_whether_a_group_around_it_is_active) {
  node_id const inner = ranges_.open(worker_id{6}, {.right = 6, .left = 8}, left_);
  EXPECT_FALSE(ranges_.active_from(inner));
  ranges_.activate(right_);
  EXPECT_FALSE(ranges_.active_from(inner)) << "right is not around it";
  ranges_.activate(all_);
  EXPECT_TRUE(ranges_.active_from(inner));
  EXPECT_TRUE(ranges_.active_from(left_));
}

TEST_F(steal_ranges, inside_is_the_group_itself_and_what_lies_below_it) {
  node_id const inner = ranges_.open(worker_id{6}, {.right = 6, .left = 8}, left_);
  std::vector<node_id> const nodes{all_, right_, left_, inner, none};
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

TEST_F(steal_ranges, a_worker_between_two_ranges_takes_either_by_chance) {
  tree<> two(4);
  node_id const right = two.open(worker_id{0}, {.right = 0, .left = 2.5}, none);
  node_id const left = two.open(worker_id{2}, {.right = 2.5, .left = 4}, none);
  two.activate(right);
  two.activate(left);
  std::uint32_t rights = 0;
  for (int i = 0; i < 1000; ++i) {
    auto const f = two.topmost(worker_id{2}, roll_);
    ASSERT_TRUE(f && (f->id == right || f->id == left));
    rights += f->id == right ? 1U : 0U;
  }
  EXPECT_GT(rights, 400U);
  EXPECT_LT(rights, 600U);
}

TEST(tree, an_owner_with_too_many_open_groups_gets_no_more_until_one_is_closed) {
  tree<> ranges(2);
  node_id last = none;
  for (std::uint32_t i = 0; i < tree<>::most_depth; ++i) {
    node_id const opened = ranges.open(worker_id{1}, {.right = 1, .left = 2}, last);
    ASSERT_NE(opened, none);
    last = opened;
  }
  EXPECT_EQ(ranges.open(worker_id{1}, {.right = 1, .left = 2}, last), none);
  ranges.close(last);
  EXPECT_EQ(ranges.open(worker_id{1}, {.right = 1, .left = 2}, last - 1), last);
}

TEST(tree, nothing_is_done_to_no_group) {
  tree<> ranges(2);
  ranges.activate(none);
  ranges.deactivate(none);
  ranges.close(none);
  EXPECT_FALSE(ranges.active_from(none));
}

}  // namespace
}  // namespace skua::inline v0::policies::adws
