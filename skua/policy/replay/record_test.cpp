// SPDX-License-Identifier: MIT
#include "skua/policy/replay/record.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "skua/parts/base/dice.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace replay { namespace {

TEST(record, finds_what_was_noted_last_and_nothing_else) {
  constexpr std::uint64_t seed = 3;
  record r(12);
  runtime::dice keys(seed);
  std::vector<std::uint64_t> known;
  for (std::uint32_t i = 0; i < 3000; ++i) {
    known.push_back(keys.next());
    EXPECT_EQ(r.note(known.back(), i), record::noted::anew);
  }
  for (std::uint32_t i = 0; i < 3000; i += 2) EXPECT_EQ(r.note(known[i], i + 7), record::noted::again);
  for (std::uint32_t i = 0; i < 3000; ++i) EXPECT_EQ(r.find(known[i]), i % 2 == 0 ? i + 7 : i) << "seed " << seed;
  for (int i = 0; i < 3000; ++i) EXPECT_FALSE(r.find(keys.next()).has_value()) << "seed " << seed;
  EXPECT_EQ(r.size(), 3000U);
}

TEST(record, the_largest_value_can_be_kept) {
  record r(4);
  r.note(1, 5, true);
  r.note(1, 3, true);
  EXPECT_EQ(r.find(1), 5U);
  r.note(1, 9, true);
  EXPECT_EQ(r.find(1), 9U);
  EXPECT_EQ(r.note(2, record::largest_value), record::noted::anew);
  EXPECT_EQ(r.find(2), record::largest_value);
}

TEST(record, a_full_table_says_so_and_keeps_what_it_has) {
  record r(4);
  for (std::uint64_t k = 0; k < 100; ++k) r.note(mixed(k, 0), 1);
  EXPECT_TRUE(r.has_gaps());
  EXPECT_LE(r.size(), 13U);
  EXPECT_EQ(r.find(mixed(0, 0)), 1U);
  EXPECT_FALSE(r.find(mixed(99, 0)).has_value());
  EXPECT_EQ(r.note(mixed(0, 0), 2), record::noted::again) << "what it knows may change";
}

TEST(record, forgets_everything_as_often_as_one_likes) {
  record r(6);
  for (std::uint32_t round = 0; round < 600; ++round) {
    for (std::uint64_t k = 0; k < 20; ++k) {
      ASSERT_FALSE(r.find(mixed(k, 1)).has_value()) << round;
      ASSERT_EQ(r.note(mixed(k, 1), round), record::noted::anew) << round;
    }
    for (std::uint64_t k = 0; k < 20; ++k) ASSERT_EQ(r.find(mixed(k, 1)), round);
    r.forget();
    ASSERT_EQ(r.size(), 0U);
    ASSERT_FALSE(r.has_gaps());
  }
}

TEST(record, two_who_note_the_same_keys_make_one_entry_each) {
  record r(14);
  std::uint64_t anew[2] = {};
  auto const noter = [&](std::uint32_t me) {
    for (std::uint64_t k = 0; k < 5000; ++k) {
      if (r.note(mixed(me == 0 ? k : 4999 - k, 2), me) == record::noted::anew) ++anew[me];
    }
  };
  std::thread other(noter, 1);
  noter(0);
  other.join();
  EXPECT_EQ(anew[0] + anew[1], 5000U);
  EXPECT_EQ(r.size(), 5000U);
  for (std::uint64_t k = 0; k < 5000; ++k) EXPECT_LT(r.find(mixed(k, 2)).value(), 2U);
}

}}}}}  // namespace skua::v0::policies::replay
