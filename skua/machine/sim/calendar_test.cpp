// SPDX-License-Identifier: MIT
#include "skua/machine/sim/calendar.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "skua/parts/base/dice.hpp"

namespace skua { inline namespace v0 { namespace sim { namespace {

TEST(calendar, nobody_moves_at_first) {
  for (std::uint32_t workers : {1U, 2U, 3U, 64U, 1000U}) {
    calendar c(workers);
    EXPECT_EQ(c.time(), calendar::never) << workers << " workers";
  }
}

TEST(calendar, of_two_at_the_same_tick_the_die_decides) {
  calendar c(2);
  c.set(worker_id{0}, {7, 90});
  c.set(worker_id{1}, {7, 80});
  EXPECT_EQ(c.first(), worker_id{1});
  c.set(worker_id{1}, {7, 100});
  EXPECT_EQ(c.first(), worker_id{0});
}

/// The first of all entries, by a search: of two at the same tick the one with the lower die, without its last bits.
std::uint32_t first_of(std::vector<calendar::entry> const& all) {
  std::uint64_t const ignored = std::bit_ceil(all.size()) - 1;
  std::uint32_t best = 0;
  for (std::uint32_t w = 1; w < all.size(); ++w) {
    auto const key = [&](std::uint32_t v) { return std::pair(all[v].time, all[v].die & ~ignored); };
    if (key(w) < key(best)) best = w;
  }
  return best;
}

/// After any sequence of sets, of the first worker and of others: compares with a search through all entries. The more workers there are,
/// and the fewer ticks, the more moves lie in both parts of the calendar.
TEST(calendar, the_first_is_the_smallest) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    runtime::dice roll(seed);
    std::uint32_t const workers = 1 + roll.below(200);
    std::uint32_t const ticks = 1 + roll.below(300);
    calendar c(workers);
    std::vector<calendar::entry> all(workers);
    tick now = 0;
    for (int i = 0; i < 1000; ++i) {
      bool const moves = c.time() != calendar::never && roll.below(4) > 0;
      std::uint32_t const w = moves ? index(c.first()) : roll.below(workers);
      if (moves) now = c.time();
      all[w] = {roll.below(20) == 0 ? calendar::never : now + roll.below(3) / 2 * roll.below(ticks), roll.next()};
      c.set(worker_id{w}, all[w]);
      std::uint32_t const first = first_of(all);
      ASSERT_EQ(c.time(), all[first].time);
      if (c.time() != calendar::never) {
        ASSERT_EQ(index(c.first()), first);
      }
    }
  }
}

/// Whoever is said to move after some others does, if nothing changes.
TEST(calendar, knows_who_comes_next) {
  constexpr std::uint32_t workers = 50;
  runtime::dice roll(3);
  calendar c(workers);
  for (std::uint32_t w = 0; w < workers; ++w) c.set(worker_id{w}, {roll.below(30), roll.next()});
  for (std::uint32_t left = workers; left > 8; --left) {
    worker_id const third = c.after(2);
    EXPECT_EQ(c.after(0), c.first());
    c.set(c.first(), {});
    EXPECT_EQ(c.after(1), third);
  }
}

}}}}  // namespace skua::v0::sim
