// SPDX-License-Identifier: MIT
// Pools that stall: what is said, when, and that nothing is said otherwise. stall.md has the states.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/machine/threads/engine/stall/stall_report.hpp"
#include "skua/machine/threads/engine/stall/stall_watch.hpp"
#include "skua/parts/base/clock.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/context/stack.hpp"
#include "skua/skua.hpp"
#include "tests/programs/wait_until.hpp"

namespace skua { inline namespace v0 { namespace {

using runtime::pool_core;
using runtime::stall_watch;

bool has(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

class asks_for_reports {
 public:
  explicit asks_for_reports(char const* limit) { EXPECT_EQ(setenv("SKUA_STALL", limit, 1), 0); }
  ~asks_for_reports() { unsetenv("SKUA_STALL"); }
};

/// A pool whose parked frames are recorded. The watching thread reports nothing for an hour; the tests look themselves.
class stalled_pool : public ::testing::TestWithParam<std::string> {
 protected:
  pool_core& core() {
    return *pool_.run([](auto&) { return &runtime::worker::current()->pool().host(); });
  }
  /// Two tasks that wait until their one_shots are set; the call returns the sum.
  std::future<int> call() {
    return std::async(std::launch::async, [this] {
      return pool_.run([this](auto& h) {
        auto const [a, b] =
            h.join([&](auto& c) { return answers_[0].wait(c); }, [&](auto& c) { return answers_[1].wait(c); });
        return a + b;
      });
    });
  }
  void await_parked(pool_core& c, int n) {
    int found = -1;
    while (found != n) {
      std::this_thread::yield();
      found = 0;
      c.parked()->each([&](runtime::frame const& f) {
        if (f.noted.waits_for != nullptr && !f.noted.waits_for->left_only(0)) ++found;
      });
    }
  }
  static void await_rest(pool_core& c) {
    std::uint64_t before = 0;
    for (std::uint64_t now = 1; before != now; now = runtime::marks_of_progress(c, *c.parked())) {
      before = now;
      std::this_thread::sleep_for(std::chrono::milliseconds{1});  // the patience of a look, which tests nothing
    }
  }

  asks_for_reports const asked_{"3600s"};
  pool pool_{{.workers = 2, .policy = GetParam()}};
  std::array<one_shot<int>, 2> answers_;
};

TEST_P(stalled_pool, says_what_parked_tasks_wait_for_and_who_has_the_places) {
  pool_core& c = core();
  EXPECT_FALSE(runtime::has_work(c, *c.parked()));
  std::future<int> sum = call();
  await_parked(c, 2);
  EXPECT_TRUE(runtime::has_work(c, *c.parked()));
  std::string const text = runtime::describe_stall(c, *c.parked(), runtime::clock_ns());
  EXPECT_PRED2(has, text, "waits for a one_shot at 0x");
  EXPECT_PRED2(has, text, "(only its thread may continue it)");
  EXPECT_PRED2(has, text, "lent to a call from outside, which finds no task");
  EXPECT_PRED2(has, text, "region 1 (" + GetParam() + "): queued: nothing");
  for (one_shot<int>& a : answers_) a.set_value(21);
  EXPECT_EQ(sum.get(), 42);
  await_parked(c, 0);
}

INSTANTIATE_TEST_SUITE_P(policies, stalled_pool, ::testing::Values("random", "adws", "strategies"));

class stall_watches : public stalled_pool {};
INSTANTIATE_TEST_SUITE_P(policies, stall_watches, ::testing::Values("random"));

TEST_P(stall_watches, tell_once_when_nothing_moves_and_something_waits) {
  pool_core& c = core();
  stall_watch probe{c, 10};
  await_rest(c);
  EXPECT_EQ(probe.look(100), "");
  EXPECT_EQ(probe.look(200), "") << "an idle pool is no stall";
  std::future<int> sum = call();
  await_parked(c, 2);
  await_rest(c);
  EXPECT_EQ(probe.look(300), "") << "it has moved";
  EXPECT_EQ(probe.look(309), "");
  EXPECT_PRED2(has, probe.look(310), "skua: nothing has moved for 0 ms in a pool of 2 workers:\n  worker 0");
  EXPECT_EQ(probe.look(400), "") << "it was told";
  answers_[0].set_value(1);
  await_parked(c, 2);  // the other one, and the join
  await_rest(c);
  EXPECT_EQ(probe.look(500), "");
  EXPECT_PRED2(has, probe.look(600), "waits for children of a join");
  answers_[1].set_value(1);
  EXPECT_EQ(sum.get(), 2);
}

/// By one worker, which neither ends a task nor waits, at each look in the same join.
TEST(stall, is_none_while_a_task_forks) {
  asks_for_reports const asked("3600s");
  pool p({.workers = 1, .policy = "random"});
  pool_core& c = runtime::core_of(p);
  p.run([&](auto& h) {
    std::uint64_t before = 0;
    for (int i = 0; i < 5; ++i) {
      auto const [now, again] = h.join(
          [&](auto&) {
            std::uint64_t const first = runtime::marks_of_progress(c, *c.parked());
            return std::pair{first, runtime::marks_of_progress(c, *c.parked())};
          },
          [](auto&) { return 0; });
      EXPECT_NE(now.first, before);
      EXPECT_EQ(now.first, now.second) << "it has not forked between the two";
      before = now.second;
    }
  });
}

TEST(stall, counts_what_a_lent_thread_has_run) {
  asks_for_reports const asked("3600s");
  pool p{1};
  p.run([&](auto&) {
    std::promise<void> answer;
    p.enqueue([&] { answer.set_value(); });
    answer.get_future().wait();
  });
  pool_core& c = runtime::core_of(p);
  EXPECT_PRED2(has, runtime::describe_stall(c, *c.parked(), runtime::clock_ns()),
               "a lent thread: has begun 1 enqueued");
}

/// A task parks, and then one that waits for something else on the same worker: the other worker is busy until that one has begun.
TEST_P(stall_watches, each_task_has_its_own_reason) {
  pool_core& c = core();
  std::atomic<bool> is_held{false};
  std::atomic<bool> has_begun{false};
  std::atomic<bool> is_stolen{false};
  std::atomic<bool> may_end{false};
  auto const until = [](std::atomic<bool>& it) { skua::testing::wait_until("it happens", [&] { return it.load(); }); };
  std::future<void> call = std::async(std::launch::async, [&] {
    pool_.run([&](auto& h) {
      h.join(
          [&](auto& inner) {
            until(is_held);
            inner.join([&](auto& waits) { static_cast<void>(answers_[0].wait(waits)); },
                       [&](auto& next) {
                         has_begun = true;
                         next.join([&](auto&) { until(is_stolen); },
                                   [&](auto&) {
                                     is_stolen = true;
                                     until(may_end);
                                   });
                       });
          },
          [&](auto&) {
            is_held = true;
            until(has_begun);
          });
    });
  });
  await_parked(c, 2);
  std::string const text = runtime::describe_stall(c, *c.parked(), runtime::clock_ns());
  EXPECT_PRED2(has, text, "waits for a one_shot at 0x");
  EXPECT_PRED2(has, text, "waits for children of a join");
  may_end = true;
  answers_[0].set_value(1);
  call.get();
}

/// The address space has no room for another stack; then it has.
TEST(stall, says_what_a_task_waits_for_that_had_to_wait_for_a_stack_first) {
  if (runtime::under_tsan || runtime::under_asan) GTEST_SKIP() << "the sanitizer lives in the address space";
  constexpr std::size_t huge_stack = std::size_t{1} << 40;
  asks_for_reports const asked("3600s");
  pool p{{.workers = 1, .policy = "random", .stack_bytes = huge_stack}};
  pool_core& c = runtime::core_of(p);
  runtime::stack_pool rest(huge_stack);
  std::vector<runtime::stack*> taken;
  while (runtime::stack* const s = rest.try_take()) taken.push_back(s);
  one_shot<> answer;
  std::future<void> call = std::async(std::launch::async, [&] { p.run([&](auto& h) { answer.wait(h); }); });
  auto const says = [&](std::string const& what) {
    return has(runtime::describe_stall(c, *c.parked(), runtime::clock_ns()), what);
  };
  EXPECT_TRUE(skua::testing::wait_until("the task waits on its stack", [&] {
    return says("lent to a call from outside, which waits without leaving its stack for a one_shot");
  }));
  for (runtime::stack* const s : taken) rest.give(s);
  EXPECT_TRUE(skua::testing::wait_until("it parks", [&] { return says("waits for a one_shot at 0x"); }));
  EXPECT_FALSE(says("without leaving its stack"));
  answer.set_value();
  call.get();
}

/// Reads until the text is there, however long that takes.
void read_until(int from, std::string const& text) {
  std::string all;
  std::array<char, 4096> some{};
  while (all.find(text) == std::string::npos) {
    ssize_t const n = ::read(from, some.data(), some.size());
    ASSERT_GT(n, 0) << all;
    all.append(some.data(), static_cast<std::size_t>(n));
  }
}

TEST(stall, is_told_on_stderr) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  int const kept = ::dup(STDERR_FILENO);
  ASSERT_NE(::dup2(ends[1], STDERR_FILENO), -1);
  {
    asks_for_reports const asked("10ms");
    pool p{{.workers = 2, .policy = "random"}};
    one_shot<> never;
    std::thread caller([&] { p.run([&](auto& h) { never.wait(h); }); });
    read_until(ends[0], "waits for a one_shot");
    never.set_value();
    caller.join();
  }
  ASSERT_NE(::dup2(kept, STDERR_FILENO), -1);
  for (int const f : {kept, ends[0], ends[1]}) ::close(f);
}

TEST(stall, limit_that_is_no_time_is_refused) {
  asks_for_reports const asked("soon");
  EXPECT_THROW(pool(1), usage_error);
}

TEST(stall, limits_of_0_and_inf_ask_for_nothing) {
  for (char const* const never : {"0", "inf", " "}) {
    asks_for_reports const asked(never);
    pool p{1};
    EXPECT_EQ(p.run([](auto&) { return runtime::worker::current()->pool().parked(); }), nullptr);
  }
}

TEST(stall, pools_come_and_go_while_others_are_watched) {
  asks_for_reports const asked("1ms");
  pool first{2};
  std::vector<std::thread> makers;
  for (int t = 0; t < 4; ++t) {
    makers.emplace_back([] {
      for (int i = 0; i < 20; ++i) {
        pool p{2};
        p.run([](auto& h) { h.join([](auto&) {}, [](auto&) {}); });
      }
    });
  }
  for (std::thread& m : makers) m.join();
}

}}}  // namespace skua::v0
