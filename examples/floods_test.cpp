// SPDX-License-Identifier: MIT
// What one rank of examples/floods.cpp runs within a day, its forecasts and its search, in virtual time on 64 workers with four
// NUMA nodes: the same answer under every policy. Prints the simulated times that docs/hints.md shows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <string>
#include <vector>

// The program itself, whose `main` this test does not call.
#define main main_of_floods
#include "examples/floods.cpp"
#undef main

#include "skua/machine/sim/model/machine_models.hpp"
#include "skua/machine/sim/model/model_costs.hpp"
#include "skua/machine/sim/simulate.hpp"
#include "skua/policy/combinations_for_test.hpp"
#include "tests/programs/effort.hpp"

namespace {

namespace sim = skua::sim;

std::vector<choice> choices_by_area() {
  std::vector<choice> all(fields);
  for (std::size_t f = 0; f < fields; ++f) {
    auto const area = double(rows_of(f) * rows_of(f));
    all[f] = {std::round(area / 250) * (1 << fields) + (1 << f),
              static_cast<int>(area / 1024) + static_cast<int>(f % 3)};
  }
  std::ranges::sort(all, [](choice a, choice b) { return a.first * b.second > b.first * a.second; });
  return all;
}

struct day_of_rank {
  std::vector<double> left;
  double best = 0;
  friend bool operator==(day_of_rank const&, day_of_rank const&) = default;
};

day_of_rank run_day(auto& here, std::deque<water>& own, std::vector<choice> const& all) {
  day_of_rank found{.left = std::vector<double>(own.size())};
  std::atomic<double> best{0};
  here.finish([&](auto& jobs) {
    for (std::size_t f = 0; f < own.size(); ++f)
      jobs.spawn([&, f](auto& job) { found.left[f] = forecast(job.here(), own[f], f, 1); });
    jobs.spawn([&](auto& job) { search(job, all, best, {fields, 0, 0, 0, budget}); });
  });
  found.best = best;
  return found;
}

std::deque<water> waters(std::size_t count, std::uint32_t places) {
  std::deque<water> own;
  while (own.size() < count) own.emplace_back(places);
  return own;
}

TEST(floods, a_rank_finds_the_same_under_every_policy) {
  std::size_t const count = skua::testing::full_or<std::size_t>(fields, 4);
  std::vector<choice> const all = choices_by_area();
  skua::serial alone;
  std::deque<water> first = waters(count, 1);
  day_of_rank const expected = run_day(alone, first, all);

  auto const machine = sim::machine_model::load("xeon-6130-4s");
  skua::layout const where = machine.layout_of({.workers = 64});
  for (std::string const& policy : skua::testing::policies_and_combinations()) {
    std::vector<double> ms;
    for (std::uint64_t seed = 1; seed <= skua::testing::full_or<std::uint64_t>(3, 1); ++seed) {
      std::deque<water> own = waters(count, where.places());
      sim::model_costs prices(machine, machine.numbers(), where, {.seed = seed});
      auto const scheduler = skua::policies::make_policy(policy, where, seed);
      sim::rules const by{.seed = seed, .spin_ticks = prices.spin(), .ticks_per_ns = 1000};
      sim::observer nobody;
      day_of_rank found;
      auto const run = sim::simulate([&](auto& here) { found = run_day(here, own, all); }, *scheduler, where, by,
                                     prices, nobody, {.assumed = {.task = 300}});
      EXPECT_EQ(found, expected) << policy << ", seed " << seed;
      ms.push_back(static_cast<double>(run.result.makespan) / 1e9);
    }
    std::ranges::sort(ms);
    std::printf("simulated on xeon-6130-4s, 64 workers, %zu forecasts: %s %.2f ms (%.2f to %.2f)\n", count,
                policy.c_str(), ms[ms.size() / 2], ms.front(), ms.back());
  }
}

}  // namespace
