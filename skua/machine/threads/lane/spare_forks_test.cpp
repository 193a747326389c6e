// SPDX-License-Identifier: MIT
#include "skua/machine/threads/lane/spare_forks.hpp"

#include <gtest/gtest.h>

#include <set>

using skua::runtime::fiber_forks, skua::runtime::shared_forks, skua::runtime::spare_forks;

// Fibers park on one worker, and their tasks end on another.
TEST(spare_forks, that_always_go_the_same_way_come_back_through_the_region) {
  shared_forks left_over;
  spare_forks here(64, left_over);
  spare_forks there(64, left_over);
  std::set<fiber_forks*> made;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(here.reserve());
    fiber_forks& leaves = here.take();
    made.insert(&leaves);
    there.give(leaves);
  }
  EXPECT_LE(made.size(), spare_forks::most_spares + 1);
}

TEST(spare_forks, are_not_shared_before_a_worker_has_more_than_it_needs) {
  shared_forks left_over;
  spare_forks mine(64, left_over);
  fiber_forks& first = mine.take();
  ASSERT_TRUE(mine.reserve());
  fiber_forks& second = mine.take();
  EXPECT_NE(&first, &second);
  mine.give(first);
  mine.give(second);
  EXPECT_EQ(&mine.take(), &second) << "the warmest comes first";
  EXPECT_EQ(left_over.take(), nullptr);
}
