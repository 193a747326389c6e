// SPDX-License-Identifier: MIT
#include "skua/openmp/busy_spell.hpp"

#include <gtest/gtest.h>

namespace {

using skua::openmp::busy_spell;

TEST(busy_spell, begins_with_a_lost_processor_and_ends_by_itself) {
  busy_spell of;
  EXPECT_FALSE(of.is_on(1));
  of.saw(1'000'000, 1'000'000 + busy_spell::lost_ns);
  EXPECT_FALSE(of.is_on(2'000'000)) << "an interrupt is no spell";
  std::uint64_t const found = 2'000'000 + busy_spell::lost_ns + 1;
  of.saw(2'000'000, found);
  EXPECT_TRUE(of.is_on(found));
  EXPECT_TRUE(of.is_on(found + busy_spell::lasts_ns - 1));
  EXPECT_FALSE(of.is_on(found + busy_spell::lasts_ns));
}

}  // namespace
