// SPDX-License-Identifier: MIT
#include "skua/policy/balance/load_database.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "skua/parts/base/dice.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance { namespace {

using detail = load_database::detail;
constexpr load_ns longest = std::numeric_limits<load_ns>::max();

std::vector<measured_task> drained(load_database& database) {
  std::vector<measured_task> all;
  while (auto const task = database.remove_shortest()) all.push_back(*task);
  return all;
}

TEST(load_database, every_task_is_timed_and_the_total_is_the_sum_of_the_times) {  // G1
  for (detail const how : {detail::binned, detail::exact}) {
    load_database database(how);
    EXPECT_TRUE(database.empty());
    EXPECT_FALSE(database.remove_shortest().has_value());
    database.add(7, 1'000'001);
    database.add(3, 0);
    database.add(7, 17);
    EXPECT_EQ(database.tasks(), 3U);
    EXPECT_EQ(database.total(), 1'000'018U) << "a task that ran twice counts twice, and the sum is not rounded";
  }
}

TEST(load_database, a_rounded_time_is_at_most_five_per_cent_off) {  // G5
  constexpr std::uint64_t seed = 5;
  runtime::dice roll(seed);
  for (int i = 0; i < 200'000; ++i) {
    load_ns const ns = i < 100'000 ? static_cast<load_ns>(i) : roll.next() >> roll.below(64);
    double const off = std::abs(static_cast<double>(load_database::rounded(ns)) - static_cast<double>(ns));
    ASSERT_LE(off, 0.05 * static_cast<double>(ns)) << ns << " ns, seed " << seed;
  }
  EXPECT_EQ(load_database::rounded(0), 0U);
  EXPECT_EQ(load_database::rounded(1), 1U);
  EXPECT_GE(static_cast<double>(load_database::rounded(longest)), 0.95 * static_cast<double>(longest));
}

TEST(load_database, rounding_keeps_the_order_of_times) {  // G3
  constexpr std::uint64_t seed = 6;
  runtime::dice roll(seed);
  for (int i = 0; i < 100'000; ++i) {
    load_ns const a = roll.next() >> roll.below(64);
    load_ns const b = roll.next() >> roll.below(64);
    ASSERT_EQ(load_database::rounded(std::min(a, b)) <= load_database::rounded(std::max(a, b)), true)
        << a << ' ' << b << ", seed " << seed;
  }
}

TEST(load_database, the_shortest_task_leaves_first_in_both_modes) {  // G3, G4
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    runtime::dice roll(seed);
    std::vector<load_ns> times;
    load_database exact(detail::exact);
    load_database binned;
    for (std::uint32_t t = 0; t < 500; ++t) {
      times.push_back(roll.next() >> (4 + roll.below(60)));
      exact.add(t, times.back());
      binned.add(t, times.back());
    }
    EXPECT_EQ(exact.shortest_first().size(), times.size());
    std::vector<measured_task> const as_listed = exact.shortest_first();
    std::vector<measured_task> const by_time = drained(exact);
    EXPECT_EQ(by_time, as_listed);
    std::vector<measured_task> const by_bin = drained(binned);
    ASSERT_EQ(by_time.size(), times.size());
    ASSERT_EQ(by_bin.size(), times.size());
    std::vector<bool> seen(times.size(), false);
    for (std::size_t i = 0; i < times.size(); ++i) {
      EXPECT_EQ(by_time[i].load, times[by_time[i].task]) << "seed " << seed;
      EXPECT_EQ(by_bin[i].load, load_database::rounded(times[by_bin[i].task])) << "seed " << seed;
      EXPECT_FALSE(seen[by_bin[i].task]);
      seen[by_bin[i].task] = true;
      if (i == 0) continue;
      EXPECT_LE(by_time[i - 1].load, by_time[i].load);
      EXPECT_LE(by_bin[i - 1].load, by_bin[i].load);
    }
    EXPECT_EQ(exact.total(), 0U);
    EXPECT_EQ(binned.total(), 0U);
  }
}

TEST(load_database, adding_and_removing_may_alternate) {
  for (detail const how : {detail::binned, detail::exact}) {
    load_database database(how);
    database.add(0, 100);
    database.add(1, 1);
    EXPECT_EQ(database.remove_shortest()->task, 1U);
    database.add(2, 2);
    database.add(3, 100'000);
    EXPECT_EQ(database.remove_shortest()->task, 2U);
    EXPECT_EQ(database.remove_shortest()->task, 0U);
    database.add(4, 0);
    EXPECT_EQ(database.remove_shortest()->task, 4U);
    EXPECT_EQ(database.remove_shortest()->task, 3U);
    EXPECT_EQ(database.total(), 0U);
  }
}

TEST(load_database, that_was_cleared_has_nothing_of_before) {
  for (detail const how : {detail::binned, detail::exact}) {
    load_database database(how);
    for (int time = 0; time < 2; ++time) {
      database.add(1, 1'000);
      database.add(2, 2'000'000);
      database.clear();
      EXPECT_TRUE(database.empty());
      EXPECT_EQ(database.total(), 0U);
      EXPECT_TRUE(database.shortest_first().empty());
      EXPECT_FALSE(database.remove_shortest().has_value());
      database.add(3, 500'000);
      EXPECT_EQ(database.total(), 500'000U);
      std::vector<measured_task> const all = drained(database);
      ASSERT_EQ(all.size(), 1U);
      EXPECT_EQ(all[0].task, 3U);
    }
  }
}

TEST(load_database, nothing_and_centuries_are_fine_times) {
  for (detail const how : {detail::binned, detail::exact}) {
    load_database database(how);
    database.add(0, longest);
    database.add(1, 0);
    database.add(2, longest);
    EXPECT_EQ(database.total(), longest) << "cut, not wrapped around";
    EXPECT_EQ(drained(database).size(), 3U);
    EXPECT_EQ(database.total(), 0U);
  }
}

TEST(load_database, memory_is_an_index_and_a_link_per_task_and_the_bins) {  // G2
  load_database database;
  runtime::dice roll(1);
  for (std::uint32_t t = 0; t < 100'000; ++t) database.add(t, roll.next());
  EXPECT_LE(database.bytes(), 2 * 100'000 * 8 + 2 * 584 * 4U) << "twice, for a vector that doubles";
  std::size_t const before = database.bytes();
  database.clear();
  EXPECT_TRUE(database.empty());
  EXPECT_FALSE(database.remove_shortest().has_value());
  for (std::uint32_t t = 0; t < 100'000; ++t) database.add(t, roll.next());
  EXPECT_EQ(database.bytes(), before) << "the next iteration uses the same memory";
}

}}}}}  // namespace skua::v0::policies::balance
