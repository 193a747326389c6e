// SPDX-License-Identifier: MIT
#include "skua/policy/biased_victims.hpp"

#include <gtest/gtest.h>

#include <string>

#include "skua/policy/greedy.hpp"
#include "skua/policy/script_for_test.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace {

static_assert(victim_choice<biased_victims>);

/// Four packages of eight cores with an L3 each, two L3 per package: local 0..3, near 4..7, far 8..31 of worker 0.
layout two_levels() { return layout(topology::synthetic("package:4 numa:1 l3:2 core:4 pu:1")); }

TEST(biased_victims, local_before_near_before_far_by_the_bias) {
  layout const where = two_levels();
  ASSERT_EQ(where.places(), 8U);
  for (std::uint32_t const bias : {1U, 2U, 4U, 100U}) {
    for (std::uint32_t self = 0; self < where.workers(); ++self) {
      biased_victims const victims(worker_id{self}, where, bias);
      double const whole = 3.0 * bias * bias + 4.0 * bias + 24.0;
      double sum = 0;
      for (std::uint32_t w = 0; w < where.workers(); ++w) {
        double const weight = w == self ? 0 : w / 4 == self / 4 ? bias * bias : w / 8 == self / 8 ? bias : 1;
        double const p = victims.probability_of(worker_id{w});
        EXPECT_DOUBLE_EQ(p, weight / whole) << "worker " << self << ", victim " << w << ", bias " << bias;
        sum += p;
      }
      EXPECT_NEAR(sum, 1, 1e-12);
    }
  }
}

TEST(biased_victims, everybody_is_chosen_with_probability_of_at_least_one_in_c_times_workers) {
  for (std::string const machine :
       {"package:4 numa:1 l3:2 core:4", "package:2 numa:1 core:1", "package:8 numa:2 core:16", "package:1 core:64",
        "package:1 numa:3 l3:5 core:2 pu:2"}) {
    layout const where{topology::synthetic(machine)};
    for (std::uint32_t const bias : {1U, 4U, 100U}) {
      for (std::uint32_t self = 0; self < where.workers(); self += 5) {
        biased_victims const victims(worker_id{self}, where, bias);
        for (std::uint32_t w = 0; w < where.workers(); ++w) {
          double const c = static_cast<double>(bias) * bias;
          if (w == self) continue;
          EXPECT_GE(victims.probability_of(worker_id{w}), 1 / (c * where.workers())) << machine;
        }
      }
    }
  }
}

TEST(biased_victims, victims_are_drawn_with_these_probabilities) {
  constexpr std::uint64_t seed = 91;
  layout const where = two_levels();
  for (std::uint32_t const self : {0U, 13U, 31U}) {
    biased_victims victims(worker_id{self}, where, 4);
    runtime::dice roll(seed + self);
    std::vector<std::uint64_t> counts(where.workers(), 0);
    constexpr std::uint32_t draws = 400'000;
    for (std::uint32_t i = 0; i < draws; ++i) ++counts[index(victims.next(roll).value())];
    double sum = 0;
    EXPECT_EQ(counts[self], 0U);
    for (std::uint32_t w = 0; w < where.workers(); ++w) {
      if (w == self) continue;
      double const expected = draws * victims.probability_of(worker_id{w});
      double const off = static_cast<double>(counts[w]) - expected;
      sum += off * off / expected;
    }
    EXPECT_LT(sum, chi_square_limit(where.workers() - 1)) << "worker " << self << ", seed " << seed;
  }
}

TEST(biased_victims, local_only_never_leaves_the_place) {
  layout const where = two_levels();
  biased_victims victims(worker_id{9}, where, 4, true);
  runtime::dice roll(1);
  for (int i = 0; i < 10'000; ++i) EXPECT_EQ(index(victims.next(roll).value()) / 4, 2U);
  EXPECT_EQ(victims.probability_of(worker_id{0}), 0);
  EXPECT_DOUBLE_EQ(victims.probability_of(worker_id{8}), 1.0 / 3);
}

TEST(biased_victims, as_many_misses_as_there_are_workers_end_the_round) {
  biased_victims victims(worker_id{0}, two_levels(), 4);
  runtime::dice roll(1);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 32; ++i) {
      EXPECT_TRUE(victims.next(roll).has_value());
      victims.missed();
    }
    EXPECT_FALSE(victims.next(roll).has_value());
    victims.restart();
  }
}

TEST(biased_victims, nobody_to_steal_from_is_seen_at_once) {
  runtime::dice roll(1);
  EXPECT_FALSE(biased_victims(worker_id{0}, layout::flat(1), 4).next(roll).has_value());
  layout const alone{topology::synthetic("package:4 numa:1 core:1")};
  ASSERT_EQ(alone.places(), 4U);
  EXPECT_FALSE(biased_victims(worker_id{2}, alone, 4, true).next(roll).has_value()) << "alone at its place";
}

}}}}  // namespace skua::v0::policies
