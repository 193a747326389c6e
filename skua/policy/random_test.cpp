// SPDX-License-Identifier: MIT
#include "skua/policy/random.hpp"

#include <gtest/gtest.h>

#include "skua/policy/script_for_test.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace {

TEST(random_stealing, every_victim_is_as_likely_as_any_other) {
  constexpr std::uint64_t seed = 20'240'501;
  for (std::uint32_t const workers : {3U, 8U, 64U}) {
    random_stealing p(layout::flat(workers), seed);
    for (std::uint32_t const self : {0U, workers / 2, workers - 1}) {
      std::vector<std::uint64_t> counts(workers, 0);
      for (std::uint32_t i = 0; i < 20'000; ++i) {
        for (std::uint32_t const v : victims_of(fruitless_round(p.of_worker(worker_id{self})))) ++counts[v];
      }
      EXPECT_EQ(counts[self], 0U);
      counts.erase(counts.begin() + self);
      EXPECT_LT(chi_square(counts), chi_square_limit(counts.size())) << workers << " workers, seed " << seed;
    }
  }
}

TEST(random_stealing, a_victim_does_not_depend_on_the_one_before) {
  constexpr std::uint64_t seed = 4;
  constexpr std::uint32_t workers = 9;
  random_stealing p(layout::flat(workers), seed);
  worker_policy& m = p.of_worker(worker_id{8});
  std::vector<std::uint64_t> pairs(8 * 8, 0);
  std::uint32_t before = 0;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    for (std::uint32_t const v : victims_of(fruitless_round(m))) {
      ++pairs[before * 8 + v];
      before = v;
    }
  }
  EXPECT_LT(chi_square(pairs), chi_square_limit(pairs.size())) << "seed " << seed;
}

TEST(random_stealing, a_round_makes_two_attempts_per_worker) {
  random_stealing p(layout::flat(64), 1);
  std::vector<probe> const round = fruitless_round(p.of_worker(worker_id{5}));
  EXPECT_EQ(victims_of(round, lane::forks).size(), 64U);
  EXPECT_EQ(victims_of(round, lane::spawned), victims_of(round, lane::forks));
}

TEST(random_stealing, after_a_lost_race_the_next_victim_is_rolled) {
  random_stealing p(layout::flat(64), 1);
  worker_policy& m = p.of_worker(worker_id{5});
  ask(m, runtime::outcome::empty);
  ask(m, runtime::outcome::empty);
  probe const first = ask(m, runtime::outcome::lost);
  probe const second = ask(m, runtime::outcome::empty);
  EXPECT_EQ(first.lane, lane::forks);
  EXPECT_EQ(second.lane, lane::forks) << "a lost race for forks does not look at the same victim's spawned lane";
}

}}}}  // namespace skua::v0::policies
