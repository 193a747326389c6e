// SPDX-License-Identifier: MIT
// What the report of a stall says of workers, parked tasks and lanes in each of their states. (stall.md)
#include "skua/machine/threads/engine/stall/stall_report.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <string>
#include <thread>

#include "skua/machine/threads/engine/callers/lent_thread.hpp"
#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/parts/base/clock.hpp"
#include "skua/skua.hpp"
#include "tests/programs/wait_until.hpp"

namespace skua { inline namespace v0 { namespace {

using skua::testing::wait_until;

/// A pool whose parked frames are noted.
class reports : public ::testing::Test {
 protected:
  reports() { ::setenv("SKUA_STALL", "3600s", 1); }
  ~reports() override { ::unsetenv("SKUA_STALL"); }

  static std::string of(pool& p) {
    runtime::pool_core& c = runtime::core_of(p);
    return runtime::describe_stall(c, *c.parked(), runtime::clock_ns());
  }
  static bool say(pool& p, std::string const& what) { return of(p).find(what) != std::string::npos; }
  static void expect(pool& p, std::string const& what) { EXPECT_PRED2(has, of(p), what); }
  /// On a busy machine the worker may come so late that the lent thread runs its task (lent_thread.md).
  static bool lent_thread_was_faster(pool& p) { return runtime::core_of(p).lent()->ran() != 0; }
  static bool has(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }
};

TEST_F(reports, tell_what_idle_workers_do) {
  pool sleeps({.workers = 1, .policy = "random"});
  wait_until("it sleeps", [&] { return say(sleeps, "): asleep\n"); });
  expect(sleeps, "region 1 (random): queued: nothing\n");
  EXPECT_FALSE(say(sleeps, "lent"));
  EXPECT_FALSE(say(sleeps, "calls that run on their own"));
  pool searches({.workers = 2, .spin = std::chrono::nanoseconds::max()});
  searches.run([&](auto& h) {
    std::atomic<bool> is_stolen{false};
    h.join([&](auto&) { wait_until("the other worker comes", [&] { return is_stolen.load(); }); },
           [&](auto&) { is_stolen = true; });
    wait_until("it searches", [&] { return say(searches, "): searches for tasks\n"); });
  });
}

TEST_F(reports, count_what_lies_in_lanes) {
  pool p({.workers = 1, .policy = "random"});
  p.run([&](auto& h) {
    expect(p, "): lent to a call from outside, which runs a task\n");
    p.enqueue([] {});
    expect(p, "queued: tasks from outside\n");
    h.scope([&](auto& s) {
      for (int i = 0; i < 3; ++i) s.spawn([](auto&) {});
      expect(p, "queued: 3 in spawned of worker 0, tasks from outside\n");
      h.join(
          [&](auto&) { expect(p, "queued: 1 in forks of worker 0, 3 in spawned of worker 0, tasks from outside\n"); },
          [](auto&) {});
    });
  });
  p.drain();
}

TEST_F(reports, name_tasks_that_are_ready_and_calls_that_have_no_place) {
  pool p({.workers = 1, .policy = "random"});
  one_shot<> answer;
  std::atomic<bool> may_end{false};
  std::atomic<bool> guest_runs{false};
  p.enqueue([&](auto& h) { answer.wait(h); });
  wait_until("the task parks", [&] { return say(p, " waits for a one_shot at 0x"); });
  if (lent_thread_was_faster(p)) return answer.set_value();
  wait_until("the worker sleeps", [&] { return say(p, "): asleep\n"); });
  std::thread caller([&] { p.run([&](auto&) { wait_until("the test has looked", [&] { return may_end.load(); }); }); });
  wait_until("the call has the place", [&] { return say(p, "lent to a call from outside, which runs a task\n"); });
  answer.set_value();
  expect(p, "a task of region 1 is ready to continue\n");
  expect(p, "queued: tasks that are ready to continue\n");
  std::thread guest([&] {
    p.run([&](auto&) {
      guest_runs = true;
      wait_until("the test has looked", [&] { return may_end.load(); });
    });
  });
  wait_until("the call runs", [&] { return guest_runs.load(); });
  expect(p, "; calls that run on their own: 1\n");
  may_end = true;
  caller.join();
  guest.join();
  p.drain();
}

TEST_F(reports, list_a_hundred_parked_tasks_and_count_the_rest) {
  pool p({.workers = 1, .policy = "random"});
  std::deque<one_shot<>> all(101);
  for (auto& one : all) {
    p.enqueue([&one](auto& h) { one.wait(h); });
    if (&one == &all[99]) {
      wait_until("a hundred wait", [&] { return p.counters()[0].parked == 100 || lent_thread_was_faster(p); });
      EXPECT_FALSE(say(p, "more that are parked"));
    }
  }
  wait_until("all wait", [&] { return say(p, "  and 1 more that are parked\n"); });
  for (auto& one : all) one.set_value();
  p.drain();
}

TEST_F(reports, take_calls_forks_and_entries_of_lanes_for_progress_and_searches_for_none) {
  pool p({.workers = 1, .policy = "random"});
  runtime::pool_core& c = runtime::core_of(p);
  auto const marks = [&] { return runtime::marks_of_progress(c, *c.parked()); };
  wait_until("it sleeps", [&] { return say(p, "): asleep\n"); });
  std::uint64_t seen = marks();
  EXPECT_EQ(marks(), seen);
  auto const expect_progress = [&](char const* by) {
    std::uint64_t const now = marks();
    EXPECT_NE(now, seen) << by;
    seen = now;
    EXPECT_EQ(marks(), seen) << by;
  };
  p.run([&](auto& h) {
    expect_progress("a call");
    h.join([](auto&) {}, [](auto&) {});
    expect_progress("a fork");
    h.scope([&](auto& s) {
      s.spawn([](auto&) {});
      expect_progress("an entry of a lane");
    });
    expect_progress("its end");
  });
  expect_progress("the end of the call");
}

TEST_F(reports, find_work_where_something_runs_or_waits) {
  pool p({.workers = 1, .policy = "random"});
  runtime::pool_core& c = runtime::core_of(p);
  auto const has_work = [&] { return runtime::has_work(c, *c.parked()); };
  auto const await_sleep = [&] { wait_until("it sleeps", [&] { return say(p, "): asleep\n"); }); };
  await_sleep();
  EXPECT_FALSE(has_work());
  p.run([&](auto&) { EXPECT_TRUE(has_work()) << "a call"; });
  EXPECT_FALSE(has_work());
  std::atomic<int> looked{0};
  p.enqueue([&] { looked = has_work() ? 1 : 2; });
  wait_until("the task has looked", [&] { return looked.load() != 0; });
  EXPECT_EQ(looked, 1) << "a task";
  one_shot<> answer;
  p.enqueue([&](auto& h) { answer.wait(h); });
  wait_until("the task parks", [&] { return say(p, " waits for a one_shot at 0x"); });
  await_sleep();
  EXPECT_TRUE(has_work()) << "a task that waits";
  answer.set_value();
  p.drain();
  await_sleep();
  EXPECT_FALSE(has_work());
}

}}}  // namespace skua::v0
