// SPDX-License-Identifier: MIT
#include "skua/parts/base/busy_spell.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace {

using skua::runtime::busy_spell;

TEST(busy_spell, begins_with_a_lost_processor_and_ends_by_itself) {
  busy_spell of;
  EXPECT_FALSE(of.is_on(1));
  of.saw(1'000'000, 1'000'000 + busy_spell::lost_ns);
  EXPECT_FALSE(of.is_on(2'000'000)) << "an interrupt is no spell";
  std::uint64_t const found = 2'000'000 + busy_spell::lost_ns + 1;
  of.saw(2'000'000, found);
  EXPECT_TRUE(of.is_on(found));
  EXPECT_TRUE(of.is_on(found + busy_spell::first_ns - 1));
  EXPECT_FALSE(of.is_on(found + busy_spell::first_ns));
}

TEST(busy_spell, is_twice_as_long_if_the_machine_is_still_busy) {
  busy_spell of;
  std::uint64_t lasts = busy_spell::first_ns;
  std::uint64_t now = 10 * busy_spell::longest_ns;
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(of.saw(now - busy_spell::lost_ns - 1, now), now + lasts);
    EXPECT_EQ(of.saw(now - busy_spell::lost_ns - 1, now + 1), 0U) << "another thread sees the same";
    EXPECT_TRUE(of.is_on(now + lasts - 1)) << i;
    EXPECT_FALSE(of.is_on(now + lasts)) << i;
    now += lasts + 1'000'000;
    lasts = std::min<std::uint64_t>(2 * lasts, busy_spell::longest_ns);
  }
  now += 2 * busy_spell::longest_ns;  // calm for longer than the last spell
  of.saw(now - busy_spell::lost_ns - 1, now);
  EXPECT_FALSE(of.is_on(now + busy_spell::first_ns));
}

}  // namespace
