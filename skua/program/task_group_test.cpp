// SPDX-License-Identifier: MIT
#include "skua/program/task_group.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "skua/program/algorithm/for_each.hpp"
#include "skua/program/executor_test.hpp"
#include "skua/program/task_group_context.hpp"
#include "tests/programs/this_thread.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

template <class Executor>
class task_group : public ::testing::Test {
 public:
  using group = basic_task_group<Executor>;

  static long fib(long n) {
    if (n < 2) return n;
    long a = 0;
    long b = 0;
    group g;
    g.run([&a, n] { a = fib(n - 1); });
    g.run_and_wait([&b, n] { b = fib(n - 2); });
    return a + b;
  }
};
using executors = ::testing::Types<testing::serial_executor, testing::toy_executor>;
TYPED_TEST_SUITE(task_group, executors);

TYPED_TEST(task_group, waits_for_everything_it_ran) {
  typename TestFixture::group g;
  EXPECT_EQ(g.wait(), complete);
  for (int round = 0; round < 3; ++round) {
    std::atomic<int> ran{0};
    for (int i = 0; i < 100; ++i) g.run([&] { ran.fetch_add(1, std::memory_order_relaxed); });
    EXPECT_EQ(g.wait(), task_group_status::complete);
    EXPECT_EQ(ran.load(std::memory_order_relaxed), 100);
  }
}

TYPED_TEST(task_group, groups_may_nest_and_recurse) { EXPECT_EQ(TestFixture::fib(12), 144); }

TYPED_TEST(task_group, tasks_may_run_more_tasks_of_their_own_group_and_take_here) {
  typename TestFixture::group g;
  std::atomic<int> ran{0};
  auto spread = [&](auto& self, int depth) -> void {
    ran.fetch_add(1, std::memory_order_relaxed);
    if (depth == 0) return;
    for (int i = 0; i < 2; ++i) g.run(work{1}, [&self, depth](typename TypeParam::here&) { self(self, depth - 1); });
  };
  g.run([&] { spread(spread, 8); });
  EXPECT_EQ(g.wait(), complete);
  EXPECT_EQ(ran.load(std::memory_order_relaxed), 511);
}

TYPED_TEST(task_group, functions_may_only_move_and_are_destroyed_before_wait_returns) {
  typename TestFixture::group g;
  auto shared = std::make_shared<int>(0);
  for (int i = 0; i < 50; ++i) {
    g.run([mine = std::make_unique<int>(i), shared] { EXPECT_GE(*mine, 0); });
  }
  g.wait();
  EXPECT_EQ(shared.use_count(), 1);
  g.cancel();
  for (int i = 0; i < 50; ++i) g.run([shared] { FAIL() << "dropped tasks are not called"; });
  EXPECT_EQ(g.wait(), canceled);
  EXPECT_EQ(shared.use_count(), 1);
}

TYPED_TEST(task_group, one_exception_reaches_wait_and_cancels_the_rest) {
  typename TestFixture::group g;
  auto shared = std::make_shared<int>(0);
  for (int i = 0; i < 100; ++i) {
    g.run([shared] { throw std::runtime_error("from a task"); });
  }
  EXPECT_THROW(g.wait(), std::runtime_error);
  EXPECT_EQ(shared.use_count(), 1);
  EXPECT_FALSE(g.is_canceling());
  std::atomic<int> ran{0};
  g.run([&] { ran.fetch_add(1, std::memory_order_relaxed); });
  EXPECT_EQ(g.wait(), complete) << "after wait the group is as new";
  EXPECT_EQ(ran.load(std::memory_order_relaxed), 1);
}

TYPED_TEST(task_group, a_bound_holds_and_every_task_runs_once) {
  for (std::uint64_t const bound : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{7}}) {
    typename TestFixture::group g{at_most{bound}};
    std::atomic<std::uint64_t> out{0};
    int ran = 0;
    std::atomic<int> added{0};
    for (int i = 0; i < 200; ++i) {
      EXPECT_LE(out.load(), bound) << "those that the caller runs have ended";
      ++out;
      g.run([&] {
        ++added;
        --out;
      });
      ++ran;
    }
    EXPECT_EQ(g.wait(), complete);
    EXPECT_EQ(added.load(), ran);
  }
}

TYPED_TEST(task_group, at_a_bound_of_zero_the_caller_runs_all_in_order) {
  typename TestFixture::group g{at_most{0}};
  std::vector<int> order;
  long const me = skua::testing::this_thread_number();
  for (int i = 0; i < 5; ++i) {
    g.run([&, i] {
      EXPECT_EQ(skua::testing::this_thread_number(), me);
      order.push_back(i);
    });
  }
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(g.wait(), complete);
}

TYPED_TEST(task_group, what_a_caller_runs_fails_and_is_cancelled_as_any_task) {
  typename TestFixture::group g{at_most{0}};
  bool ran = false;
  g.run([] { throw std::runtime_error("in the caller"); });
  g.run([&] { ran = true; });
  EXPECT_FALSE(ran) << "the group is cancelled";
  EXPECT_THROW(g.wait(), std::runtime_error);
  g.run([&] { ran = true; });
  EXPECT_TRUE(ran);
  EXPECT_EQ(g.wait(), complete);
}

TYPED_TEST(task_group, deferred_tasks_count_at_a_bound) {
  typename TestFixture::group g{at_most{1}};
  auto first = g.defer([] {});
  auto second = g.defer([] {});
  bool ran = false;
  g.run([&] { ran = true; });
  EXPECT_TRUE(ran) << "there is no room";
  g.run(std::move(first));
  g.run(std::move(second));
  EXPECT_EQ(g.wait(), complete);
}

TYPED_TEST(task_group, a_stop_token_and_a_bound_go_together) {
  std::stop_source source;
  typename TestFixture::group g(source.get_token(), at_most{0});
  bool ran = false;
  g.run([&] { ran = true; });
  EXPECT_TRUE(ran);
  source.request_stop();
  g.run([&] { ran = false; });
  EXPECT_TRUE(ran);
  EXPECT_EQ(g.wait(), canceled);
}

TEST(at_most_tasks, of_less_than_none_are_refused) {
  EXPECT_THROW(at_most(-1), usage_error);
  EXPECT_EQ(at_most(3).tasks, 3U);
}

TYPED_TEST(task_group, cancel_is_seen_by_tasks_and_by_the_algorithms_in_them) {
  typename TestFixture::group g;
  std::atomic<int> iterations{0};
  g.run([&](typename TypeParam::here& here) {
    for_each(
        here, 0, 1'000,
        [&](int) {
          iterations.fetch_add(1, std::memory_order_relaxed);
          g.cancel();
          EXPECT_TRUE(g.is_canceling());
        },
        grain{1});
    ADD_FAILURE() << "the loop was cut short, it must not return";
  });
  EXPECT_EQ(g.wait(), canceled) << "a cancellation that was asked for is no failure";
  EXPECT_EQ(iterations.load(std::memory_order_relaxed), 1);
  EXPECT_FALSE(g.is_canceling());
}

TYPED_TEST(task_group, a_stop_token_cancels_the_group_for_good) {
  std::stop_source source;
  typename TestFixture::group g(source.get_token());
  std::atomic<int> ran{0};
  auto const add = [&] { ran.fetch_add(1, std::memory_order_relaxed); };
  g.run(add);
  EXPECT_EQ(g.wait(), complete);
  EXPECT_FALSE(g.is_canceling());
  g.run([&](typename TypeParam::here& here) {
    for_each(here, 0, 1000, [&](int) { source.request_stop(); }, grain{1});
    ADD_FAILURE() << "the loop was cut short, it must not return";
  });
  EXPECT_EQ(g.wait(), canceled);
  for (int round = 0; round < 2; ++round) {
    EXPECT_TRUE(g.is_canceling());
    g.run(add);
    EXPECT_EQ(g.run_and_wait(add), canceled);
  }
  EXPECT_EQ(ran.load(std::memory_order_relaxed), 1);
}

TYPED_TEST(task_group, a_stop_from_elsewhere_is_not_swallowed) {
  typename TestFixture::group g;
  g.run([] { throw cancelled{}; });
  EXPECT_THROW(g.wait(), cancelled);
}

TYPED_TEST(task_group, deferred_tasks_are_counted_run_or_dropped) {
  typename TestFixture::group g;
  std::atomic<int> ran{0};
  auto shared = std::make_shared<int>(0);
  auto add = [&ran, shared] { ran.fetch_add(1, std::memory_order_relaxed); };
  {
    auto first = g.defer(add);
    auto second = g.defer(add);
    auto never = g.defer(add);
    EXPECT_TRUE(first);
    g.run(std::move(first));
    EXPECT_TRUE(first == nullptr);
    never = {};
    EXPECT_EQ(g.run_and_wait(std::move(second)), complete);
  }
  EXPECT_EQ(ran.load(std::memory_order_relaxed), 2);
  EXPECT_EQ(shared.use_count(), 2) << "ours and that of `add`";
}

TYPED_TEST(task_group, destructor_waits_and_drops_exceptions) {
  std::atomic<int> ran{0};
  {
    typename TestFixture::group g;
    for (int i = 0; i < 20; ++i) g.run([&] { ran.fetch_add(1, std::memory_order_relaxed); });
  }
  EXPECT_EQ(ran.load(std::memory_order_relaxed), 20);
  {
    typename TestFixture::group g;
    g.run([] { throw std::runtime_error("nobody will ask"); });
  }
  try {
    typename TestFixture::group g;
    g.run([] {});
    throw 1;
  } catch (int) {}
}

TYPED_TEST(task_group, a_function_whose_copy_throws_starts_nothing) {
  struct uncopyable_now {
    uncopyable_now() = default;
    uncopyable_now(uncopyable_now const&) { throw std::runtime_error("copy"); }
    void operator()() const {}
  };
  typename TestFixture::group g;
  uncopyable_now const f;
  EXPECT_THROW(g.run(f), std::runtime_error);
  EXPECT_EQ(g.wait(), complete);
}

TEST(task_group_bound, is_the_number_that_may_wait_and_no_less) {
  using group = basic_task_group<testing::serial_executor>;  // begins no task before somebody waits
  int ran = 0;
  auto const add = [&] { ++ran; };
  group g{at_most{3}};
  for (int i = 0; i < 3; ++i) g.run(add);
  EXPECT_EQ(ran, 0);
  g.run(add);
  EXPECT_EQ(ran, 1) << "there was no room for it";
  EXPECT_EQ(g.wait(), complete);
  EXPECT_EQ(ran, 4);
  group one{at_most{1}};
  one.run(one.defer(add));
  EXPECT_EQ(ran, 4) << "it is the only one";
  EXPECT_EQ(one.wait(), complete);
  EXPECT_EQ(ran, 5);
}

TEST(task_group_handle, is_empty_once_its_task_was_run) {
  using group = basic_task_group<testing::serial_executor>;
  group g;
  auto handle = g.defer([] {});
  EXPECT_TRUE(handle.release() != nullptr);
  EXPECT_TRUE(handle == nullptr);
  EXPECT_FALSE(handle);
  EXPECT_EQ(g.wait(), complete) << "whoever has the task and drops it tells the group";
}

TEST(a_task_group_context, is_as_new_after_a_reset) {
  task_group_context context;
  for (int round = 0; round < 3; ++round) {
    std::stop_token const token = context.token();
    EXPECT_FALSE(token.stop_requested());
    context.cancel_group_execution();
    EXPECT_TRUE(context.is_group_execution_cancelled());
    context.reset();
    EXPECT_FALSE(context.is_group_execution_cancelled());
    EXPECT_TRUE(token.stop_requested()) << "who watched the context before keeps what it saw";
  }
}

TEST(task_group_destructor, under_an_exception_drops_what_has_not_begun) {
  int ran = 0;
  try {
    basic_task_group<testing::serial_executor> g;
    g.run([&] { ++ran; });
    throw 1;
  } catch (int) {}
  EXPECT_EQ(ran, 0);
  {
    basic_task_group<testing::serial_executor> g;
    g.run([&] { ++ran; });
  }
  EXPECT_EQ(ran, 1);
}

/// What a group's end says on stderr when it began with one task and nobody waited for it.
template <class F>
std::string remarks_on(F const& task, bool is_done = true) {
  ::testing::internal::CaptureStderr();
  if (is_done) {
    basic_task_group<testing::eager_executor> g;
    g.run(task);
  } else {
    basic_task_group<testing::serial_executor> g;
    g.run(task);
  }
  return ::testing::internal::GetCapturedStderr();
}

TEST(task_group_destructor, remarks_in_checked_builds_on_what_nobody_has_waited_for) {
  if (!checked) GTEST_SKIP() << "this build is not checked, and remarks on nothing";
  EXPECT_EQ(remarks_on([] {}), "");
  EXPECT_NE(remarks_on([] {}, false).find("destroyed while tasks run"), std::string::npos);
  EXPECT_NE(remarks_on([] { throw std::runtime_error("nobody will ask"); }).find("exception: nobody will ask"),
            std::string::npos);
  EXPECT_NE(remarks_on([] { throw 7; }).find("a task's exception"), std::string::npos);
  ::testing::internal::CaptureStderr();
  try {
    basic_task_group<testing::serial_executor> g;
    g.run([] { throw 7; });
    throw 1;
  } catch (int) {}
  try {
    basic_task_group<testing::eager_executor> g;
    g.run([] { throw 7; });
    throw 1;
  } catch (int) {}
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "") << "the exception that unwinds says enough";
}

TEST(task_group_refused, a_task_that_no_thread_can_be_had_for_is_not_counted) {
  using eager = testing::eager_executor;
  auto const shared = std::make_shared<int>(0);
  int ran = 0;
  auto const add = [&ran, shared] { ++ran; };
  basic_task_group<eager> g;
  auto deferred = g.defer(add);
  auto waited_for = g.defer(add);
  eager::has_no_threads = true;
  EXPECT_THROW(g.run(add), std::bad_alloc);
  EXPECT_THROW(g.run(std::move(deferred)), std::bad_alloc);
  EXPECT_THROW(static_cast<void>(g.run_and_wait(add)), std::bad_alloc);
  EXPECT_THROW(static_cast<void>(g.run_and_wait(std::move(waited_for))), std::bad_alloc);
  eager::has_no_threads = false;
  EXPECT_EQ(ran, 0);
  EXPECT_EQ(shared.use_count(), 2) << "ours and that of `add`";
  EXPECT_EQ(g.run_and_wait(add), complete);
  EXPECT_EQ(ran, 1);
}

TEST(task_group_refused, a_handle_of_another_group_or_of_none_is_dropped) {
  using group = basic_task_group<testing::serial_executor>;
  group g;
  group other;
  int ran = 0;
  group::task_handle empty;
  EXPECT_THROW(g.run(std::move(empty)), usage_error);
  EXPECT_THROW(g.run(other.defer([&] { ++ran; })), usage_error);
  EXPECT_THROW(static_cast<void>(g.run_and_wait(other.defer([&] { ++ran; }))), usage_error);
  EXPECT_EQ(other.wait(), complete);
  EXPECT_EQ(g.wait(), complete);
  EXPECT_EQ(ran, 0);
}

TEST(task_group_threads, several_threads_run_and_wait_on_one_group) {
  basic_task_group<testing::toy_executor> g;
  std::atomic<int> ran{0};
  std::vector<std::thread> outside;
  for (int t = 0; t < 3; ++t) {
    outside.emplace_back([&] {
      for (int i = 0; i < 300; ++i) {
        g.run([&] { ran.fetch_add(1, std::memory_order_relaxed); });
        if (i % 10 == 0) g.wait();
      }
      g.wait();
    });
  }
  for (std::thread& t : outside) t.join();
  EXPECT_EQ(g.wait(), complete);
  EXPECT_EQ(ran.load(std::memory_order_relaxed), 900);
}

TEST(task_group_threads, groups_come_and_go_fast) {
  for (int i = 0; i < 2000; ++i) {
    auto g = std::make_unique<basic_task_group<testing::toy_executor>>();
    std::atomic<int> ran{0};
    g->run([&] { ran.fetch_add(1, std::memory_order_relaxed); });
    g->run([&] { ran.fetch_add(1, std::memory_order_relaxed); });
    g->wait();
    EXPECT_EQ(ran.load(std::memory_order_relaxed), 2);
  }
}

}}}}  // namespace skua::v0::runtime
