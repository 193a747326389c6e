// SPDX-License-Identifier: MIT
// The loads have the moments that they promise, and table3 dealt out is as unbalanced as the paper's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "apps/synthetic/dealing.hpp"
#include "apps/synthetic/loads.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::apps::synthetic {
namespace {

struct moments {
  double mean = 0;
  double deviation = 0;
};

moments of(std::vector<std::uint64_t> const& all) {
  moments m;
  for (auto const one : all) m.mean += static_cast<double>(one) / static_cast<double>(all.size());
  for (auto const one : all) {
    m.deviation += std::pow(static_cast<double>(one) - m.mean, 2) / static_cast<double>(all.size());
  }
  m.deviation = std::sqrt(m.deviation);
  return m;
}

TEST(synthetic_loads, have_the_mean_and_the_variation_of_their_shape) {
  std::uint64_t const seed = 7;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  auto const drawn = [&](shape which) { return of(loads({.of = which, .mean_ns = 1e6}, 100'000, seed)); };
  EXPECT_EQ(drawn(shape::equal).deviation, 0);
  EXPECT_NEAR(drawn(shape::uniform).mean, 1e6, 1e4);
  EXPECT_NEAR(drawn(shape::uniform).deviation, 1e6 / std::sqrt(3), 1e4);
  EXPECT_NEAR(drawn(shape::lognormal).mean, 1e6, 5e4);
  EXPECT_NEAR(drawn(shape::lognormal).deviation, 1.94e6, 3e5);
  EXPECT_NEAR(drawn(shape::table3).mean, 1e6, 1e3);
  EXPECT_NEAR(drawn(shape::table3).deviation, 1.94e6, 1e4);
}

TEST(synthetic_loads, repeat_with_the_seed_and_differ_without) {
  for (auto const which : {shape::uniform, shape::lognormal, shape::table3}) {
    auto const first = loads({.of = which}, 1000, 1);
    EXPECT_EQ(first, loads({.of = which}, 1000, 1));
    EXPECT_NE(first, loads({.of = which}, 1000, 2));
  }
}

TEST(synthetic_loads, refuse_what_is_no_time) {
  EXPECT_THROW(loads({.mean_ns = -1}, 10, 1), usage_error);
  EXPECT_THROW(loads({.mean_ns = std::nan("")}, 10, 1), usage_error);
  EXPECT_THROW(loads({.of = shape::table3, .floor = -1}, 10, 1), usage_error);
  EXPECT_TRUE(loads({}, 0, 1).empty());
}

TEST(dealing, gives_every_task_to_one_rank) {
  auto const durations = loads({.of = shape::lognormal}, 1001, 5);
  for (favour const how : {favour{1, 1}, favour{2, 4}, favour{8, 8}, favour{3, 100}}) {
    for (std::uint32_t const ranks : {1U, 2U, 7U, 64U, 5000U}) {
      auto const dealt = deal(durations, ranks, how);
      ASSERT_EQ(dealt.size(), ranks);
      std::vector<std::uint32_t> seen;
      for (auto const& of_rank : dealt) {
        seen.insert(seen.end(), of_rank.begin(), of_rank.end());
        EXPECT_TRUE(std::ranges::is_sorted(of_rank, std::greater<>(), [&](auto t) { return durations[t]; }));
      }
      std::ranges::sort(seen);
      std::vector<std::uint32_t> all(durations.size());
      std::iota(all.begin(), all.end(), 0U);
      EXPECT_EQ(seen, all);
    }
  }
}

TEST(dealing, gives_every_nth_rank_m_tasks_in_a_row) {
  std::vector<std::uint64_t> const falling{9, 8, 7, 6, 5, 4, 3, 2, 1};
  std::vector<std::vector<std::uint32_t>> const right{{0, 1, 2, 7, 8}, {3}, {4, 5, 6}};
  EXPECT_EQ(deal(falling, 3, {.every = 2, .take = 3}), right);
}

// The paper's n = 4, m = 4 starts at 252% of the average on 2400 cores and at 691% on 38,400; bins and timers of the
// original add their part.
TEST(dealing, table3_is_as_unbalanced_as_in_the_paper) {
  auto const at = [](double floor, std::uint32_t ranks) {
    auto const all = loads({.of = shape::table3, .mean_ns = 0.54e9, .floor = floor}, tasks_of_table3, 1);
    return imbalance(loads_of(deal(all, ranks, {.every = 4, .take = 4}), all));
  };
  EXPECT_NEAR(at(0, 2400), 2.56, 0.01);
  EXPECT_NEAR(at(0, 38400), 7.92, 0.01);
  EXPECT_NEAR(at(0.25, 2400), 2.51, 0.01);
  EXPECT_NEAR(at(0.25, 38400), 6.91, 0.01);
}

TEST(dealing, refuses_no_ranks_and_no_turns) {
  std::vector<std::uint64_t> const one{1};
  EXPECT_THROW(deal(one, 0), usage_error);
  EXPECT_THROW(deal(one, 1, {.every = 0, .take = 1}), usage_error);
  EXPECT_THROW(deal(one, 1, {.every = 1, .take = 0}), usage_error);
  EXPECT_EQ(imbalance({{}, {}}), 1);
}

}  // namespace
}  // namespace skua::apps::synthetic
