// SPDX-License-Identifier: MIT
// Forks of code that is given no `here`: they stay in the pool and the region of their caller, and are joins in every respect.
#include "skua/machine/threads/face/ambient.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <type_traits>

#include "skua/skua.hpp"
#include "tests/programs/every_policy.hpp"
#include "tests/programs/this_thread.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using here = skua::task_context;
using skua::testing::this_thread_number;
using skua::testing::wait_until;

/// As a library writes it that knows nothing of its caller's `here`.
long fib(int n) {
  if (n < 2) return n;
  long first = 0;
  long second = 0;
  skua::join([&] { first = fib(n - 1); }, [&] { second = fib(n - 2); });
  return first + second;
}

class ambient : public skua::testing::under_every_policy {
 protected:
  skua::pool of_three_{workers(3)};
};
INSTANTIATE_TEST_SUITE_P(policies, ambient, ::testing::ValuesIn(skua::testing::checked_policies()),
                         skua::testing::policy_in_a_name);

}  // namespace

TEST_P(ambient, forks_stay_in_the_pool_of_their_caller) {
  of_three_.run([&] {
    EXPECT_EQ(&skua::current_pool(), &of_three_);
    skua::join([&](here& h) { EXPECT_EQ(h.num_workers(), 3U); }, [&] { EXPECT_EQ(&skua::current_pool(), &of_three_); });
    EXPECT_EQ(fib(15), 610);
    EXPECT_EQ(&skua::current_pool(), &of_three_);
  });
}

TEST_P(ambient, forks_stay_in_the_region_of_their_caller) {
  auto const two = of_three_.open_region("random", 2);
  two.run([&] {
    skua::with_here([](here& h) { EXPECT_EQ(h.num_workers(), 2U); });
    skua::join([] { skua::with_here([](here& h) { EXPECT_EQ(h.num_workers(), 2U); }); },
               [](here& h) { EXPECT_EQ(h.num_workers(), 2U); });
    EXPECT_EQ(&skua::current_pool(), &of_three_);
    EXPECT_EQ(fib(12), 144);
  });
}

TEST_P(ambient, enqueued_tasks_find_their_own_pool) {
  skua::one_shot<bool> found;
  of_three_.enqueue([&] { found.set_value(&skua::current_pool() == &of_three_ && fib(10) == 55); });
  EXPECT_TRUE(found.wait());
}

TEST_P(ambient, callers_for_whom_no_place_is_free_find_their_host) {
  skua::pool alone(workers(1));
  skua::one_shot<> asked;
  std::atomic<bool> holds{false};
  std::jthread const holder([&] {
    alone.run([&] {
      skua::isolate([&] {
        holds = true;
        asked.wait();
      });
    });
  });
  wait_until("the only worker is taken", [&] { return holds.load(); });
  alone.run([&] {
    EXPECT_EQ(&skua::current_pool(), &alone);
    EXPECT_EQ(fib(10), 55);
  });
  asked.set_value();
}

TEST_P(ambient, conventional_calls_around_them_return_on_their_thread) {
  of_three_.run([&] {
    auto const me = this_thread_number();
    skua::parallel_for(0, 50, [](int) { EXPECT_EQ(fib(8), 21); });
    EXPECT_EQ(this_thread_number(), me);
    skua::isolate([] {
      auto const before = this_thread_number();
      EXPECT_EQ(fib(8), 21);
      EXPECT_EQ(this_thread_number(), before);
    });
  });
}

TEST_P(ambient, failures_and_stops_go_where_those_of_a_join_go) {
  of_three_.run([&](here& h) {
    EXPECT_THROW(skua::join([] { throw std::runtime_error("first"); }, [] {}), std::runtime_error);
    EXPECT_THROW(skua::join([] {}, [](here&) { throw std::logic_error("second"); }), std::logic_error);
    std::stop_source stop;
    EXPECT_THROW(h.with_stop(stop.get_token(),
                             [&](here&) {
                               stop.request_stop();
                               skua::join([] {}, [] {});
                             }),
                 skua::cancelled);
  });
}

TEST(ambient_joins, return_what_their_children_return) {
  auto const own = std::make_unique<int>(4);
  auto const [a, b] = skua::join([] { return 1; }, [](here&) { return std::string("two"); });
  EXPECT_EQ(a, 1);
  EXPECT_EQ(b, "two");
  auto const [c, d, e] =
      skua::join([&] { return *own; }, [] { return 5; }, [](here& h) { return static_cast<int>(h.num_workers() > 0); });
  EXPECT_EQ(c + d + e, 10);
  static_assert(std::is_void_v<decltype(skua::join([] {}, [](here&) {}))>);
}

TEST(ambient_joins, take_hints_and_what_can_be_moved_only) {
  auto text = std::make_unique<std::string>("moved");
  auto const move_only = [text = std::move(text)]() { return text->size(); };
  auto const [a, b] =
      skua::join(skua::work{1}, std::move(move_only), skua::work{3}, skua::at{skua::anywhere}, [] { return 2; });
  EXPECT_EQ(a, 5U);
  EXPECT_EQ(b, 2);
}

/// A program's own.
namespace program {
using namespace skua;
std::string join(std::string const& first, std::string const& second) { return first + second; }
std::string both(std::string first, std::string second) { return join(first, second); }
}  // namespace program

TEST(ambient_joins, leave_a_join_of_the_program_alone) { EXPECT_EQ(program::both("a", "b"), "ab"); }

struct rvalue_only {
  int operator()() && { return 7; }
};
struct lvalue_only {
  int operator()(here&) & { return 8; }
};

TEST(ambient_joins, take_what_other_calls_take) {
  auto const [a, b] = skua::join(rvalue_only{}, lvalue_only{});
  EXPECT_EQ(a + b, 15);
  EXPECT_EQ(skua::with_here(rvalue_only{}), 7);
  EXPECT_EQ(skua::with_here([] { return 9; }), 9);
}

TEST(ambient_joins, of_a_thread_that_runs_no_task_are_calls_of_the_default_pool) {
  EXPECT_EQ(&skua::current_pool(), &skua::default_pool());
  auto const before = this_thread_number();
  skua::join([] { EXPECT_EQ(&skua::current_pool(), &skua::default_pool()); },
             [](here& h) { EXPECT_EQ(h.num_workers(), skua::default_pool().num_workers()); });
  EXPECT_EQ(this_thread_number(), before);
  EXPECT_EQ(skua::with_here([](here& h) { return h.num_workers(); }), skua::default_pool().num_workers());
  EXPECT_EQ(fib(15), 610);
  EXPECT_THROW(skua::join([] { throw std::runtime_error("outside"); }, [] {}), std::runtime_error);
}
