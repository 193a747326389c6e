// SPDX-License-Identifier: MIT
// The matrix of thieves and victims adds up to the steals, whatever it is grouped by.
#include "cli/report/steals.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "cli/report/invented_test.hpp"

namespace skua::cli::traced {
namespace {

std::uint64_t total(steal_matrix const& m) {
  return std::accumulate(m.counts.begin(), m.counts.end(), std::uint64_t{0});
}

TEST(steals, thieves_are_rows_and_victims_columns) {
  run r = invented({{},
                    {at(1, {.what = kind::stolen, .count = 2, .other = 0}),
                     at(2, {.what = kind::stolen, .count = 2, .other = 0}), at(3, {.what = kind::lost})}});
  steal_matrix const m = steals_between(r);
  EXPECT_EQ(m.of, "worker");
  EXPECT_EQ(m.counts, (std::vector<std::uint64_t>{0, 0, 2, 0}));
  r.workers[0].node = 0;
  r.workers[1].node = 1;
  steal_facts const f = steal_facts_of(r);
  EXPECT_EQ(f.steals, 2u);
  EXPECT_EQ(f.far, 2u);
  EXPECT_EQ(f.placed, 2u);
  EXPECT_EQ(f.lost_races, 1u);
  EXPECT_EQ(f.by_distance, (std::vector<std::uint64_t>{0, 0, 2}));
}

TEST(steals, between_ranks_are_counted_by_rank) {
  run r = invented({{at(1, {.what = kind::stolen, .count = 1, .other = 2, .value = 7})},
                    {at(2, {.what = kind::stolen, .count = 0, .other = 0})},
                    {at(3, {.what = kind::stolen, .count = 1, .other = 0})}});
  EXPECT_EQ(steals_between(r).of, "worker");
  r.ranks = 3;
  r.distance_of_ranks = 1;
  r.workers[2].rank = 1;
  for (traced_worker& w : r.workers) w.node = 0;
  steal_matrix const m = steals_between(r);
  EXPECT_EQ(m.of, "rank");
  EXPECT_EQ(m.names, (std::vector<std::string>{"0", "1", "2"})) << "rank 2 has written nothing, and lost a task";
  EXPECT_EQ(m.counts, (std::vector<std::uint64_t>{1, 0, 1, 1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(steal_facts_of(r).placed, 1u) << "a rank has no node";
  EXPECT_EQ(steal_facts_of(r).steals, 3u);
  r.ranks = 100;
  EXPECT_EQ(steals_between(r).of, "rank group");
  EXPECT_EQ(steals_between(r).names.at(49), "98-99");
  EXPECT_EQ(total(steals_between(r)), 3u);
}

TEST(steals, attempts_are_counted_from_the_oldest_event_that_is_left) {
  run r = invented({{at(1, {.what = kind::idling, .value = 100}), at(2, {.what = kind::scheduling, .value = 130}),
                     at(3, {.what = kind::sleeping, .value = 150})}});
  EXPECT_EQ(steal_facts_of(r).attempts, 150u);
  r.workers[0].lost = 1;
  EXPECT_EQ(steal_facts_of(r).attempts, 50u);
}

TEST(steals, many_workers_are_grouped_by_the_finest_unit_that_fits) {
  std::vector<std::vector<event>> events(100);
  for (std::uint32_t w = 0; w < 100; ++w) events[w] = {at(1, {.what = kind::stolen, .other = (w + 37) % 100})};
  run r = invented(std::move(events));
  EXPECT_EQ(steals_between(r).of, "worker group");
  EXPECT_EQ(steals_between(r).size(), 50u);
  EXPECT_EQ(total(steals_between(r)), 100u);
  for (std::uint32_t w = 0; w < 100; ++w) r.workers[w].rank = w / 25;
  EXPECT_EQ(steals_between(r).of, "rank");
  for (std::uint32_t w = 0; w < 100; ++w) r.workers[w].place = w / 10;
  EXPECT_EQ(steals_between(r).of, "place");
  EXPECT_EQ(steals_between(r).size(), 10u);
  EXPECT_EQ(total(steals_between(r)), 100u);
}

}  // namespace
}  // namespace skua::cli::traced
