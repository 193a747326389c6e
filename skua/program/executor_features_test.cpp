// SPDX-License-Identifier: MIT
// What an executor may offer besides: whether the caller is one of its workers, a shield against stops, whether a task waits for its own group,
// and whether there is stack for a call. What groups and loops make of each.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include "skua/program/executor_test.hpp"
#include "skua/program/parallel.hpp"
#include "skua/program/parallel_reduce.hpp"
#include "skua/program/task_group.hpp"
#include "skua/program/task_group_context.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

struct knowing_executor : testing::serial_executor {
  static inline int staying = 0;                     ///< calls that were told to stay on their thread
  static inline int shielded = 0;                    ///< shields that live
  static inline wait_group const* inside = nullptr;  ///< of which a task runs
  static inline bool has_room = true;

  static here* running() noexcept { return testing::current; }
  struct stays_here {
    explicit stays_here(here&) noexcept { ++staying; }
    ~stays_here() { --staying; }
    stays_here(stays_here const&) = delete;
    stays_here& operator=(stays_here const&) = delete;
  };
  struct shield {
    explicit shield(here&) noexcept { ++shielded; }
    ~shield() { --shielded; }
    shield(shield const&) = delete;
    shield& operator=(shield const&) = delete;
  };
  static bool wait_unless_inside(wait_group& group) noexcept {
    if (inside == &group) return false;
    wait(group);
    return true;
  }
  static bool has_room_for_calls() noexcept { return has_room; }
};
static_assert(task_executor<knowing_executor>);

/// Runs a loop, a reduction and calls; f is called in each.
int use_all(std::function<void()> const& f) {
  using executor = knowing_executor;
  int calls = 0;
  auto const body = [&] {
    ++calls;
    f();
  };
  on::parallel_for<executor>(0, 3, [&](int) { body(); });
  on::parallel_for<executor>(blocked_range<int>(0, 3), [&](auto const& r) {
    for (int i = r.begin(); i != r.end(); ++i) body();
  });
  on::parallel_invoke<executor>(body, body);
  int const sum = on::parallel_reduce<executor>(
      blocked_range<int>(0, 3), 0,
      [&](auto const& r, int so_far) {
        body();
        for (int i = r.begin(); i != r.end(); ++i) so_far += i;
        return so_far;
      },
      std::plus<>{}, simple_partitioner{});
  EXPECT_EQ(sum, 3);
  return calls;
}

TEST(an_executor_that_knows_its_workers, calls_what_they_call_on_their_thread) {
  EXPECT_EQ(use_all([] { EXPECT_EQ(knowing_executor::staying, 0) << "nobody's task"; }), 11);
  EXPECT_EQ(knowing_executor::staying, 0);
  knowing_executor::with_here(
      [&](shuffled&) { EXPECT_EQ(use_all([] { EXPECT_EQ(knowing_executor::staying, 1); }), 11); });
  EXPECT_EQ(knowing_executor::staying, 0);
}

TEST(an_executor_with_shields, puts_one_around_calls_with_an_isolated_context_only) {
  for (auto const kind : {task_group_context::isolated, task_group_context::bound}) {
    task_group_context context(kind);
    EXPECT_EQ(context.is_isolated(), kind == task_group_context::isolated);
    int calls = 0;
    auto const body = [&](int) {
      ++calls;
      EXPECT_EQ(knowing_executor::shielded, context.is_isolated() ? 1 : 0);
    };
    on::parallel_for<knowing_executor>(0, 4, body, context);
    EXPECT_EQ(calls, 4);
    EXPECT_EQ(knowing_executor::shielded, 0);
    EXPECT_THROW(on::parallel_for<knowing_executor>(
                     0, 4, [](int) { throw std::out_of_range("a body"); }, context),
                 std::out_of_range);
    EXPECT_TRUE(context.is_group_execution_cancelled()) << "a failure cancels";
    EXPECT_EQ(knowing_executor::shielded, 0);
    on::parallel_for<knowing_executor>(0, 4, body, context);
    EXPECT_EQ(calls, 4) << "a cancelled context calls nothing";
    context.reset();
    on::parallel_for<knowing_executor>(
        0, 4,
        [&](int) {
          ++calls;
          context.cancel_group_execution();
        },
        simple_partitioner{}, context);
    EXPECT_EQ(calls, 5);
    context.reset();
    std::stop_source around;
    auto const stopped = [&] {
      knowing_executor::with_here([&](shuffled& here) {
        here.with_stop(around.get_token(), [&](shuffled&) {
          on::parallel_for<knowing_executor>(0, 4, [&](int) { around.request_stop(); }, simple_partitioner{}, context);
        });
      });
    };
    EXPECT_THROW(stopped(), cancelled) << "this shield only counts: somebody around has asked, not the context";
    EXPECT_FALSE(context.is_group_execution_cancelled());
  }
}

TEST(an_executor_that_knows_whose_task_runs, refuses_a_wait_for_its_own_end) {
  using group = basic_task_group<knowing_executor>;
  group g;
  int ran = 0;
  g.run([&] { ++ran; });
  knowing_executor::inside = knowing_executor::queue.back()->group;
  try {
    g.wait();
    ADD_FAILURE() << "it is refused";
  } catch (usage_error const& e) {
    EXPECT_NE(std::string(e.what()).find("a task of the group waits for the group"), std::string::npos);
  }
  knowing_executor::inside = nullptr;
  EXPECT_EQ(ran, 0);
  EXPECT_EQ(g.wait(), complete);
  EXPECT_EQ(ran, 1);
}

TEST(an_executor_without_room_for_calls, is_given_tasks_beyond_the_bound) {
  using group = basic_task_group<knowing_executor>;
  for (bool const has_room : {true, false}) {
    knowing_executor::has_room = has_room;
    group g{at_most{2}};
    int ran = 0;
    for (int i = 0; i < 5; ++i) g.run([&] { ++ran; });
    EXPECT_EQ(ran, has_room ? 3 : 0);
    EXPECT_EQ(g.wait(), complete);
    EXPECT_EQ(ran, 5);
  }
  knowing_executor::has_room = true;
}

}}}}  // namespace skua::v0::runtime
