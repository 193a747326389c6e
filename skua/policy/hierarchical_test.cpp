// SPDX-License-Identifier: MIT
#include "skua/policy/hierarchical.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "skua/policy/script_for_test.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace {

/// Four packages of sixteen cores: neighbours are 0..15, 16..31, ...
layout four_times_sixteen() { return layout(topology::synthetic("package:4 numa:1 l3:1 core:16 pu:1")); }

std::uint32_t package_of(std::uint32_t worker) { return worker / 16; }

TEST(hierarchical_stealing, the_nearest_ring_comes_first_then_the_others) {
  hierarchical_stealing p(four_times_sixteen(), 3);
  for (std::uint32_t self = 0; self < 64; ++self) {
    std::vector<std::uint32_t> const tried = victims_of(fruitless_round(p.of_worker(worker_id{self})));
    ASSERT_EQ(tried.size(), 63U);
    for (std::uint32_t i = 0; i < 63; ++i) {
      EXPECT_NE(tried[i], self);
      EXPECT_EQ(package_of(tried[i]) == package_of(self), i < 15) << "worker " << self << ", attempt " << i;
    }
  }
}

TEST(hierarchical_stealing, a_catch_far_away_returns_the_search_to_the_nearest_ring) {
  hierarchical_stealing p(four_times_sixteen(), 3);
  worker_policy& m = p.of_worker(worker_id{20});
  for (probe far = m.next_probe(); far.kind != action::steal || package_of(index(far.victim)) == 1;
       far = m.next_probe()) {
    m.learn(probed{far, runtime::outcome::empty});
  }
  ask(m, runtime::outcome::got);
  std::vector<std::uint32_t> const tried = victims_of(fruitless_round(m));
  for (std::uint32_t i = 0; i < 15; ++i) EXPECT_EQ(package_of(tried[i]), 1U) << i;
}

TEST(hierarchical_stealing, misses_before_a_catch_do_not_count) {
  hierarchical_stealing p(four_times_sixteen(), 3);
  worker_policy& m = p.of_worker(worker_id{20});
  for (int misses = 0; misses < 10;) misses += ask(m, runtime::outcome::empty).kind == action::steal ? 1 : 0;
  ask(m, runtime::outcome::got);
  std::vector<std::uint32_t> const tried = victims_of(fruitless_round(m));
  ASSERT_EQ(tried.size(), 63U);
  for (std::uint32_t i = 0; i < 63; ++i) EXPECT_EQ(package_of(tried[i]) == 1, i < 15) << i;
}

TEST(hierarchical_stealing, a_lost_race_does_not_widen_the_ring) {
  hierarchical_stealing p(four_times_sixteen(), 3);
  worker_policy& m = p.of_worker(worker_id{20});
  for (int i = 0; i < 5000; ++i) {
    probe const tried = ask(m, runtime::outcome::lost);
    if (tried.kind == action::steal) {
      ASSERT_EQ(package_of(index(tried.victim)), 1U);
    }
  }
}

TEST(hierarchical_stealing, victims_are_uniform_within_each_ring) {
  constexpr std::uint64_t seed = 77;
  hierarchical_stealing p(four_times_sixteen(), seed);
  std::vector<std::uint64_t> near(16, 0);
  std::vector<std::uint64_t> far(48, 0);
  for (int i = 0; i < 20'000; ++i) {
    for (std::uint32_t const v : victims_of(fruitless_round(p.of_worker(worker_id{0})))) {
      ++(v < 16 ? near[v] : far[v - 16]);
    }
  }
  EXPECT_EQ(near[0], 0U);
  near.erase(near.begin());
  EXPECT_LT(chi_square(near), chi_square_limit(near.size())) << "seed " << seed;
  EXPECT_LT(chi_square(far), chi_square_limit(far.size())) << "seed " << seed;
}

TEST(hierarchical_stealing, patience_multiplies_the_attempts_in_every_ring) {
  hierarchical_stealing p(four_times_sixteen(), 3, 3);
  std::vector<std::uint32_t> const tried = victims_of(fruitless_round(p.of_worker(worker_id{63})));
  ASSERT_EQ(tried.size(), 3U * 63U);
  EXPECT_TRUE(std::ranges::all_of(tried.begin(), tried.begin() + 45, [](auto v) { return package_of(v) == 3; }));
  EXPECT_TRUE(std::ranges::none_of(tried.begin() + 45, tried.end(), [](auto v) { return package_of(v) == 3; }));
}

TEST(ring_victims, a_new_round_has_forgotten_the_misses_of_the_last_one) {
  ring_victims victims(worker_id{0}, four_times_sixteen(), 1);
  runtime::dice roll(5);
  for (int i = 0; i < 14; ++i) victims.missed();
  victims.restart();
  for (int i = 0; i < 15; ++i) {
    EXPECT_EQ(package_of(index(victims.next(roll).value())), 0U) << i;
    victims.missed();
  }
  EXPECT_NE(package_of(index(victims.next(roll).value())), 0U);
}

TEST(ring_victims, rings_are_the_classes_of_distance_that_have_somebody_in_them) {
  EXPECT_EQ(ring_victims(worker_id{0}, layout::flat(1), 1).rings(), 0U);
  EXPECT_EQ(ring_victims(worker_id{1}, layout::flat(2), 1).rings(), 1U);
  EXPECT_EQ(ring_victims(worker_id{0}, layout::flat(64), 1).rings(), 1U);
  EXPECT_EQ(ring_victims(worker_id{9}, four_times_sixteen(), 1).rings(), 2U);
}

}}}}  // namespace skua::v0::policies
