// SPDX-License-Identifier: MIT
// Replayed events cover the run without gaps, and a task's own time is what it worked itself.
#include "cli/report/activity.hpp"

#include <gtest/gtest.h>

#include <random>

#include "cli/report/invented_test.hpp"

namespace skua::cli::traced {
namespace {

void expect_covers(run const& r, history const& h) {
  for (auto const& line : h.of_worker) {
    std::uint64_t end = 0;
    for (segment const& s : line) {
      EXPECT_EQ(s.from_ns, end);
      EXPECT_LT(s.from_ns, s.to_ns);
      end = s.to_ns;
    }
    EXPECT_EQ(end, r.length_ns);
  }
}

TEST(activity, states_last_until_the_next_one) {
  run const r =
      invented({{at(10, {.what = kind::scheduling}), at(20, {.what = kind::idling}), at(50, {.what = kind::sleeping}),
                 at(90, {.what = kind::working}), at(100, {.what = kind::scheduling})}});
  history const h = replay(r);
  expect_covers(r, h);
  std::vector<activity> seen;
  for (segment const& s : h.of_worker[0]) seen.push_back(s.what);
  EXPECT_EQ(seen,
            (std::vector{activity::asleep, activity::scheduling, activity::idle, activity::asleep, activity::work}))
      << "nobody is in the worker's place before its first event";
}

TEST(activity, a_worker_that_lost_events_is_unknown_until_the_oldest_that_is_left) {
  run r = invented({{at(40, {.what = kind::idling}), at(100, {.what = kind::scheduling})}});
  r.workers[0].lost = 7;
  EXPECT_EQ(replay(r).of_worker[0].front().what, activity::unknown);
}

TEST(activity, own_time_leaves_out_tasks_called_inside_and_waits) {
  run const r = invented(
      {{at(0, {.what = kind::task_began, .other = 1, .id = 1}), at(10, {.what = kind::task_began, .other = 2, .id = 2}),
        at(30, {.what = kind::task_ended}), at(35, {.what = kind::parked, .id = 9}), at(35, {.what = kind::scheduling}),
        at(60, {.what = kind::resumed, .id = 9}), at(70, {.what = kind::task_ended})}});
  history const h = replay(r);
  ASSERT_EQ(h.tasks.size(), 2u);
  EXPECT_EQ(h.tasks[0].name, 2u);
  EXPECT_EQ(h.tasks[0].own_ns, 20u);
  EXPECT_EQ(h.tasks[1].name, 1u);
  EXPECT_EQ(h.tasks[1].own_ns, 10u + 5 + 10);
  expect_covers(r, h);
}

TEST(activity, nodes_of_flows_count_instead_of_the_tasks_that_run_them) {
  auto const id = [](std::uint32_t node) { return trace::id_of_node(1, node); };
  run const r = invented(
      {{at(0, {.what = kind::called, .other = 1}), at(5, {.what = kind::task_began, .id = 7}),
        at(6, {.what = kind::node_began, .other = 2, .id = id(0)}), at(16, {.what = kind::parked, .id = 9}),
        at(20, {.what = kind::resumed, .id = 9}),
        at(30, {.what = kind::node_ended, .count = 1, .other = 1, .id = id(0)}),
        at(31, {.what = kind::node_began, .other = 3, .id = id(1)}), at(41, {.what = kind::node_ended, .id = id(1)}),
        at(42, {.what = kind::task_ended}), at(50, {.what = kind::left})}},
      {"", "main", "gemm", "trsm"});
  history const h = replay(r);
  ASSERT_EQ(h.tasks.size(), 3u);
  EXPECT_EQ(h.tasks[0].name, 2u);
  EXPECT_EQ(h.tasks[0].own_ns, 20u);
  EXPECT_EQ(h.tasks[1].name, 3u);
  EXPECT_EQ(h.tasks[1].own_ns, 10u);
  EXPECT_EQ(h.tasks[2].name, 1u);
  EXPECT_EQ(h.tasks[2].own_ns, 5u + 8);
  expect_covers(r, h);
}

TEST(activity, a_frame_goes_on_where_it_is_resumed_though_the_clocks_differ) {
  for (std::uint64_t const resumed : {52u, 48u}) {
    run const r = invented({{at(0, {.what = kind::task_began, .other = 1, .id = 1}),
                             at(50, {.what = kind::moved, .other = 1, .id = 9}), at(50, {.what = kind::idling})},
                            {at(0, {.what = kind::idling}), at(resumed, {.what = kind::resumed, .id = 9}),
                             at(80, {.what = kind::task_ended, .id = 1})}});
    history const h = replay(r);
    ASSERT_EQ(h.tasks.size(), 1u) << resumed;
    EXPECT_EQ(h.tasks[0].worker, 1u);
    EXPECT_GE(h.tasks[0].own_ns, 50u);
  }
}

TEST(activity, any_events_in_any_order_are_replayed) {
  unsigned const seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 dice(seed);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::vector<event>> all(3);
    for (auto& events : all) {
      std::uint64_t t = 0;
      for (int i = 0; i < 60; ++i)
        events.push_back(at(t += dice() % 3, {.what = static_cast<kind>(dice() % trace::kinds),
                                              .count = 1,
                                              .other = static_cast<std::uint32_t>(dice() % 3),
                                              .id = dice() % 4}));
    }
    run const r = invented(std::move(all));
    history const h = replay(r);
    if (r.length_ns > 0) expect_covers(r, h);
    std::uint64_t work = 0, own = 0;
    for (auto const& line : h.of_worker)
      for (segment const& s : line) work += s.what == activity::work ? s.ns() : 0;
    for (finished_task const& t : h.tasks) own += t.own_ns;
    EXPECT_LE(own, work);
  }
}

}  // namespace
}  // namespace skua::cli::traced
