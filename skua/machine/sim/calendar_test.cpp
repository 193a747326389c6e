// SPDX-License-Identifier: MIT
#include "skua/machine/sim/calendar.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "skua/parts/base/dice.hpp"

namespace skua { inline namespace v0 { namespace sim { namespace {

TEST(calendar, nobody_moves_at_first) {
  for (std::uint32_t workers : {1U, 2U, 3U, 64U, 1000U}) {
    calendar c(workers);
    EXPECT_EQ(c.entry_of(c.first()).time, calendar::never) << workers << " workers";
  }
}

TEST(calendar, of_two_at_the_same_tick_the_die_decides) {
  calendar c(2);
  c.set(worker_id{0}, {7, 9});
  c.set(worker_id{1}, {7, 8});
  EXPECT_EQ(c.first(), worker_id{1});
  c.set(worker_id{1}, {7, 10});
  EXPECT_EQ(c.first(), worker_id{0});
}

/// After any sequence of sets: compares the first entry with a search through all entries.
TEST(calendar, the_first_is_the_smallest) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    runtime::dice roll(seed);
    std::uint32_t const workers = 1 + roll.below(70);
    calendar c(workers);
    std::vector<calendar::entry> all(workers);
    for (int i = 0; i < 500; ++i) {
      std::uint32_t const w = roll.below(workers);
      all[w] = {roll.below(10) == 0 ? calendar::never : roll.below(20), roll.next()};
      c.set(worker_id{w}, all[w]);
      calendar::entry const smallest = *std::min_element(all.begin(), all.end());
      calendar::entry const first = c.entry_of(c.first());
      ASSERT_EQ(first.time, smallest.time);
      if (first.time != calendar::never) {
        ASSERT_EQ(first.die, smallest.die);
      }
    }
  }
}

}}}}  // namespace skua::v0::sim
