// SPDX-License-Identifier: MIT
// Each pattern varies the times as it says, within the share.
#include "apps/synthetic/varied_times.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "skua/parts/base/error.hpp"

namespace skua::apps::synthetic { namespace {

constexpr std::uint32_t iterations = 40;
constexpr std::size_t tasks = 64;
constexpr std::uint64_t mean_ns = 1'000'000;

using table = std::vector<std::vector<std::uint64_t>>;

table times_of(variation_pattern pattern, double share, std::uint64_t seed) {
  std::vector<double> position(tasks);
  for (std::size_t t = 0; t < tasks; ++t) position[t] = static_cast<double>(t) / tasks;
  varied_times varied(std::vector<std::uint64_t>(tasks, mean_ns), position, share, pattern, seed);
  table all(iterations, std::vector<std::uint64_t>(tasks));
  for (std::uint32_t i = 0; i < iterations; ++i) varied.write(i, all[i]);
  return all;
}

constexpr variation_pattern every_pattern[] = {variation_pattern::each, variation_pattern::drift,
                                               variation_pattern::jump, variation_pattern::oscillate};

TEST(varied_times, differ_by_at_most_the_share_and_use_most_of_it) {
  for (variation_pattern const p : every_pattern) {
    SCOPED_TRACE(pattern_words[static_cast<std::size_t>(p)]);
    table const all = times_of(p, 0.5, 1);
    std::vector<std::uint64_t> flat;
    for (auto const& one : all) flat.insert(flat.end(), one.begin(), one.end());
    auto const [least, most] = std::ranges::minmax(flat);
    EXPECT_GE(least, mean_ns / 2);
    EXPECT_LT(least, mean_ns * 6 / 10);
    EXPECT_LE(most, mean_ns * 3 / 2);
    EXPECT_GT(most, mean_ns * 14 / 10);
  }
}

TEST(varied_times, repeat_with_the_seed_and_only_a_wave_needs_none) {
  for (variation_pattern const p : every_pattern) {
    SCOPED_TRACE(pattern_words[static_cast<std::size_t>(p)]);
    EXPECT_EQ(times_of(p, 0.5, 7), times_of(p, 0.5, 7));
    EXPECT_EQ(times_of(p, 0.5, 7) == times_of(p, 0.5, 8), p == variation_pattern::drift);
  }
}

TEST(varied_times, change_when_their_pattern_says) {
  table const each = times_of(variation_pattern::each, 0.5, 3);
  table const drift = times_of(variation_pattern::drift, 0.5, 3);
  table const jump = times_of(variation_pattern::jump, 0.5, 3);
  table const oscillate = times_of(variation_pattern::oscillate, 0.5, 3);
  for (std::uint32_t i = 1; i < iterations; ++i) {
    SCOPED_TRACE(i);
    EXPECT_NE(each[i], each[i - 1]);
    EXPECT_NE(drift[i], drift[i - 1]);
    EXPECT_EQ(jump[i] == jump[i - 1], i % 8 != 0);
    EXPECT_NE(oscillate[i], oscillate[i - 1]);
    if (i > 1) {
      EXPECT_EQ(oscillate[i], oscillate[i - 2]);
    }
  }
  // The wave of position 1/16 is that of position 0 an iteration later.
  for (std::uint32_t i = 1; i < iterations; ++i)
    EXPECT_LE(std::max(drift[i][0], drift[i - 1][tasks / 16]) - std::min(drift[i][0], drift[i - 1][tasks / 16]), 1U);
}

TEST(varied_times, of_no_share_are_the_means) {
  for (auto const& one : times_of(variation_pattern::jump, 0, 1))
    EXPECT_EQ(one, std::vector<std::uint64_t>(tasks, mean_ns));
}

TEST(varied_times, refuse_a_pattern_of_nothing) {
  EXPECT_THROW(require_variation(true, 0), usage_error);
  EXPECT_NO_THROW(require_variation(false, 0));
  EXPECT_NO_THROW(require_variation(true, 0.1));
}

}}  // namespace skua::apps::synthetic
