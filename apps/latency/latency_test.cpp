// SPDX-License-Identifier: MIT
// Every task of the load runs exactly once, and an urgent one goes before all others that wait.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "apps/latency/problem.hpp"
#include "skua/program/serial.hpp"

namespace skua::apps::latency { namespace {

shape some_shape(std::uint64_t seed) {
  return {.levels = 1 + static_cast<std::uint32_t>(seed % 8),
          .shortest_ns = 100,
          .longest_ns = 300,
          .urgent_ns = 50,
          .urgent_share = static_cast<double>(seed % 5) / 4,
          .seed = seed};
}

TEST(latency, every_task_runs_exactly_once) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    load const l(some_shape(seed));
    for (choice const how : {choice::by_priority, choice::none}) {
      record seen(l);
      EXPECT_NE(seen.wrong(), "");
      serial here;
      program(here, l, how, seen);
      EXPECT_EQ(seen.wrong(), "") << "seed " << seed;
      EXPECT_EQ(seen.waits().size(), l.urgent());
    }
  }
}

TEST(latency, missing_and_repeated_tasks_are_noticed) {
  load const l({.levels = 2, .urgent_share = 1});
  record seen(l);
  for (std::uint32_t i = 0; i < 3; ++i) seen.background_begins(i);
  for (std::uint32_t i = 0; i < 2; ++i) seen.urgent_begins(i, 0);
  EXPECT_EQ(seen.wrong(), "latency: runs of the urgent task 2: got 0, right is 1");
  seen.urgent_begins(2, 0);
  EXPECT_EQ(seen.wrong(), "");
  seen.background_begins(1);
  EXPECT_EQ(seen.wrong(), "latency: runs of the background task 1: got 2, right is 1");
}

TEST(latency, load_has_its_share_of_urgent_tasks_and_its_times) {
  load const all({.levels = 10, .shortest_ns = 10, .longest_ns = 100, .urgent_share = 1, .seed = 3});
  EXPECT_EQ(all.background(), 1023U);
  EXPECT_EQ(all.urgent(), 1023U);
  for (std::uint32_t i = 0; i < all.background(); ++i) {
    EXPECT_EQ(all[i].urgent, i);
    EXPECT_GE(all[i].before_ns + all[i].after_ns, 10U);
    EXPECT_LE(all[i].before_ns + all[i].after_ns, 100U);
  }
  EXPECT_EQ(load({.levels = 10}).urgent(), 0U);
  load const some({.levels = 14, .urgent_share = 0.25});
  EXPECT_NEAR(some.urgent(), 4096, 400);  // 7 standard deviations
}

TEST(latency, percentile_is_the_nearest_rank) {
  std::vector<std::uint64_t> numbers;
  EXPECT_EQ(percentile(numbers, 0.5), 0U);
  for (std::uint64_t i = 1; i <= 1000; ++i) numbers.push_back(i);
  EXPECT_EQ(percentile(numbers, 0.5), 500U);
  EXPECT_EQ(percentile(numbers, 0.99), 990U);
  EXPECT_EQ(percentile(numbers, 0.999), 999U);
  EXPECT_EQ(percentile(numbers, 1), 1000U);
  EXPECT_EQ(percentile({7}, 0.001), 7U);
}

/// The order in which a run begins its tasks, as the clock of a run without work shows it: urgent tasks that waited while a
/// background task began.
class overtaken {
 public:
  template <class Region>
  void spawn(Region& f, int depth, bool by_priority) {
    auto const task = [this, depth, by_priority](Region& inner) {
      if (urgent_waiting_ > 0) ++count_;
      if (depth == 0) return;
      ++urgent_waiting_;
      auto const urgent = [this](Region&) { --urgent_waiting_; };
      by_priority ? inner.spawn(strategies::priority{strategies::urgency::high}, urgent) : inner.spawn(urgent);
      for (int child = 0; child < 2; ++child) spawn(inner, depth - 1, by_priority);
    };
    by_priority ? f.spawn(strategies::priority{strategies::urgency::normal}, task) : f.spawn(task);
  }
  int count() const { return count_; }

 private:
  int urgent_waiting_ = 0;
  int count_ = 0;
};

TEST(latency, urgent_tasks_go_first_by_priority_and_wait_for_their_siblings_newest_first) {
  for (bool const by_priority : {true, false}) {
    serial here;
    overtaken watch;
    here.finish([&](auto& f) { watch.spawn(f, 6, by_priority); });
    EXPECT_EQ(watch.count() == 0, by_priority);
  }
}

}}  // namespace skua::apps::latency
