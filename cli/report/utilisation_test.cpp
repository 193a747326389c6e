// SPDX-License-Identifier: MIT
// Times by worker, over time and in time lines are sums over the same segments.
#include "cli/report/utilisation.hpp"

#include <gtest/gtest.h>

#include "cli/report/concurrency.hpp"
#include "cli/report/invented_test.hpp"

namespace skua::cli::traced {
namespace {

/// Two workers over 100 ns: one works, the other works for 40, then idles and sleeps.
run half_idle() {
  return invented({{at(0, {.what = kind::task_began, .other = 1, .id = 1}), at(100, {.what = kind::task_ended})},
                   {at(0, {.what = kind::working}), at(40, {.what = kind::idling}), at(80, {.what = kind::sleeping})}});
}

TEST(utilisation, every_way_to_add_gives_the_same_times) {
  run const r = half_idle();
  history const h = replay(r);
  times const all = sum(times_of_workers(h));
  EXPECT_EQ(all.of(activity::work), 140u);
  EXPECT_EQ(all.of(activity::idle), 40u);
  EXPECT_EQ(all.of(activity::asleep), 20u);
  EXPECT_DOUBLE_EQ(all.share(activity::work), 0.7);
  EXPECT_EQ(times_between(h, 0, 100).ns, all.ns);
  EXPECT_EQ(times_between(h, 30, 50).of(activity::work), 20u + 10);
  EXPECT_EQ(times_between(h, 30, 50).of(activity::idle), 10u);
  for (std::size_t const bins : {1u, 7u, 100u, 333u}) {
    double work = 0, workers = 0;
    for (auto const& bin : over_time(r, h, bins)) {
      work += bin[0] * 100 / static_cast<double>(bins);
      for (double const w : bin) workers += w / static_cast<double>(bins);
    }
    EXPECT_NEAR(work, 140, 1e-6) << bins;
    EXPECT_NEAR(workers, 2, 1e-6) << bins;
  }
}

TEST(utilisation, a_column_of_a_time_line_shows_what_took_most_of_it) {
  run const r = half_idle();
  history const h = replay(r);
  auto const line = time_line(r, h.of_worker[1], 5);
  std::vector<activity> seen;
  for (cell_of_line const& c : line) seen.push_back(c.what);
  EXPECT_EQ(seen, (std::vector{activity::work, activity::work, activity::idle, activity::idle, activity::asleep}));
  EXPECT_EQ(line[0].task, no_task);
  EXPECT_EQ(time_line(r, h.of_worker[0], 5)[2].task, 1u);
}

TEST(utilisation, inflation_compares_work_with_the_time_of_one_worker_of_the_same_program) {
  run const several = half_idle();
  run alone = invented({{at(0, {.what = kind::working}), at(90, {.what = kind::scheduling}),
                         at(100, {.what = kind::sleeping}), at(130, {.what = kind::working})}});
  times const spent = sum(times_of_workers(replay(several)));
  times const spent_alone = sum(times_of_workers(replay(alone)));
  EXPECT_DOUBLE_EQ(*work_inflation(several, spent, alone, spent_alone), 1.4) << "it sleeps for 30 of its 130 ns";
  alone.program = "another";
  EXPECT_FALSE(work_inflation(several, spent, alone, spent_alone));
  alone.program = several.program;
  alone.workers[0].lost = 1;
  EXPECT_FALSE(work_inflation(several, spent, alone, spent_alone));
  EXPECT_FALSE(work_inflation(several, spent, several, spent)) << "two workers are no reference";
}

TEST(concurrency, shares_of_the_run_by_workers_at_once_and_the_tail) {
  concurrency const c = concurrency_of(replay(half_idle()));
  ASSERT_EQ(c.ns_with.size(), 3u);
  EXPECT_EQ(c.ns_with[1], 60u);
  EXPECT_EQ(c.ns_with[2], 40u);
  EXPECT_DOUBLE_EQ(c.mean(), 1.4);
  EXPECT_EQ(c.tail_ns, 60u);
  EXPECT_EQ(c.tail_task, 1u);
}

TEST(concurrency, work_that_goes_on_with_another_task_has_no_gap) {
  run const r =
      invented({{at(0, {.what = kind::task_began, .other = 1, .id = 1}), at(50, {.what = kind::task_ended}),
                 at(50, {.what = kind::task_began, .other = 2, .id = 2}), at(100, {.what = kind::task_ended})}});
  concurrency const c = concurrency_of(replay(r));
  EXPECT_EQ(c.ns_with[1], 100u);
  EXPECT_EQ(c.tail_ns, 0u) << "there never were two";
}

}  // namespace
}  // namespace skua::cli::traced
