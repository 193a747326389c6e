// SPDX-License-Identifier: MIT
// What can end the conventional calls early: stop tokens, contexts, and groups around them; and what they leave behind.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <numeric>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

#include "skua/skua.hpp"
#include "tests/programs/this_thread.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using skua::blocked_range;
using skua::grain;
using skua::simple_partitioner;

/// Every conventional call with an option at its end. Each calls `touch`, which outlives them, for every element, unless
/// it is stopped.
template <class Stop>
std::vector<std::function<void()>> every_call(Stop& stop, std::function<void()> const& touch) {
  static std::vector<int> all(100, 1);
  static std::list<int> linked(100, 1);
  auto const index = [&touch](int) { touch(); };
  auto const element = [&touch](int) { touch(); };
  auto const piece = [&touch](auto const& r) {
    for (auto i = r.begin(); i != r.end(); ++i) touch();
  };
  auto const fold = [piece](auto const& r, int sum) {
    piece(r);
    return sum;
  };
  auto const scan = [piece](auto const& r, int sum, bool) {
    piece(r);
    return sum;
  };
  return {
      [&stop, index] { skua::parallel_for(0, 100, index, stop); },
      [&stop, index] { skua::parallel_for(0, 100, index, grain{3}, simple_partitioner{}, stop); },
      [&stop, index] { skua::parallel_for(0, 100, 1, index, grain{3}, stop); },
      [&stop, piece] { skua::parallel_for(blocked_range<int>(0, 100), piece, stop); },
      [&stop, &touch] {
        skua::parallel_for(
            skua::blocked_range2d<int>(0, 10, 0, 10),
            [&touch](auto const& r) {
              for (std::size_t i = 0; i != r.rows().size() * r.cols().size(); ++i) touch();
            },
            skua::auto_partitioner{}, stop);
      },
      [&stop, element] { skua::parallel_for_each(all, element, stop); },
      [&stop, element] { skua::parallel_for_each(linked, element, stop); },
      [&stop, fold] {
        static_cast<void>(skua::parallel_reduce(blocked_range<int>(0, 100), 0, fold, std::plus<>{}, stop));
      },
      [&stop, fold] {
        static_cast<void>(
            skua::parallel_deterministic_reduce(blocked_range<int>(0, 100), 0, fold, std::plus<>{}, stop));
      },
      [&stop, fold] {
        static_cast<void>(skua::parallel_deterministic_reduce(blocked_range<int>(0, 100), 0, fold, std::plus<>{},
                                                              simple_partitioner{}, stop));
      },
      [&stop, scan] {
        static_cast<void>(skua::parallel_scan(blocked_range<int>(0, 100), 0, scan, std::plus<>{}, stop));
      },
      [&stop, &touch] {
        skua::parallel_sort(
            all,
            [&touch](int a, int b) {
              touch();
              return a < b;
            },
            stop);
      },
      [&stop, &touch] { skua::parallel_invoke([&] { touch(); }, [&] { touch(); }, [&] { touch(); }, stop); },
  };
}

TEST(stopping, a_stopped_token_makes_every_call_throw_and_touch_nothing) {
  std::stop_source source;
  std::stop_token const token = source.get_token();
  std::atomic<int> touched{0};
  std::function<void()> const touch = [&] { ++touched; };
  auto const calls = every_call(token, touch);
  for (auto const& call : calls) {
    touched = 0;
    EXPECT_NO_THROW(call());
    EXPECT_GE(touched, 3);
  }
  source.request_stop();
  touched = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) EXPECT_THROW(calls[i](), skua::cancelled) << i;
  skua::pool pool({.workers = 2});
  for (std::size_t i = 0; i < calls.size(); ++i) {
    pool.run([&](auto&) { EXPECT_THROW(calls[i](), skua::cancelled) << i; });
  }
  EXPECT_EQ(touched, 0);
}

TEST(stopping, a_cancelled_context_makes_every_call_return_and_touch_nothing) {
  skua::task_group_context context;
  std::atomic<int> touched{0};
  std::function<void()> const touch = [&] { ++touched; };
  auto const calls = every_call(context, touch);
  for (auto const& call : calls) {
    touched = 0;
    call();
    EXPECT_GE(touched, 3);
  }
  touched = 0;
  EXPECT_TRUE(context.cancel_group_execution());
  for (auto const& call : calls) call();
  EXPECT_EQ(touched, 0);
  EXPECT_EQ(skua::parallel_reduce(
                blocked_range<int>(0, 100), 7, [](auto const&, int) { return 8; }, std::plus<>{}, context),
            7);
}

TEST(stopping, a_request_from_elsewhere_ends_a_loop_on_any_number_of_workers) {
  for (std::uint32_t const workers : {1U, 2U, 3U, 8U}) {
    SCOPED_TRACE(workers);
    skua::pool pool({.workers = workers});
    for (int round = 0; round < 5; ++round) {
      std::stop_source source;
      std::atomic<long> calls{0};
      std::jthread const other([&] {
        skua::testing::wait_until("the loop has begun", [&] { return calls.load() > 0; });
        source.request_stop();
      });
      // Without the stop, this would not end within the test's time.
      EXPECT_THROW(pool.run([&](auto&) {
        skua::parallel_for(0L, 1L << 40, [&](long) { ++calls; }, simple_partitioner{}, source.get_token());
      }),
                   skua::cancelled);
      EXPECT_GT(calls, 0);
    }
  }
}

TEST(stopping, a_loop_in_a_task_ends_when_its_group_is_cancelled) {
  for (std::uint32_t const workers : {1U, 2U, 4U}) {
    SCOPED_TRACE(workers);
    skua::pool pool({.workers = workers});
    pool.run([&](auto&) {
      skua::task_group group;
      std::atomic<long> calls{0};
      group.run([&] {
        skua::parallel_for(
            0L, 1L << 40,
            [&](long i) {
              ++calls;
              if (i % 1000 == 999) group.cancel();
            },
            simple_partitioner{});
        ADD_FAILURE() << "the loop was cut short, it must not return";
      });
      EXPECT_EQ(group.wait(), skua::canceled);
      EXPECT_GT(calls, 0);
    });
  }
}

TEST(stopping, a_context_does_not_hide_a_stop_around_it) {
  std::stop_source source;
  skua::task_group_context inner;
  EXPECT_THROW(skua::parallel_for(
                   0, 1,
                   [&](int) {
                     skua::parallel_for(0, 1000, [&](int) { source.request_stop(); }, simple_partitioner{}, inner);
                     ADD_FAILURE() << "nobody has cancelled the inner context";
                   },
                   source.get_token()),
               skua::cancelled);
  EXPECT_FALSE(inner.is_group_execution_cancelled());
}

TEST(stopping, a_token_that_is_not_used_changes_nothing) {
  EXPECT_EQ(skua::parallel_reduce(
                blocked_range<int>(0, 1000), 0,
                [](blocked_range<int> const& r, int sum) { return sum + static_cast<int>(r.size()); }, std::plus<>{},
                std::stop_token{}),
            1000);
  EXPECT_FALSE(skua::is_current_task_group_canceling());
}

TEST(stopping, calls_on_workers_return_on_their_thread) {
  // Children that another worker takes call loops, whose last pieces a third one has when they wait.
  auto const while_others_steal = [](auto const&) { std::this_thread::sleep_for(std::chrono::microseconds(20)); };
  auto const fold = [&](auto const& r, int n) {
    while_others_steal(r);
    return n;
  };
  std::stop_source source;
  skua::task_group_context context;
  std::vector<std::function<void()>> const calls{
      [&] { skua::parallel_for(0, 6, while_others_steal, simple_partitioner{}); },
      [&] { skua::parallel_for(0, 6, while_others_steal, simple_partitioner{}, source.get_token()); },
      [&] { skua::parallel_for(0, 6, while_others_steal, simple_partitioner{}, context); },
      [&] { static_cast<void>(skua::parallel_reduce(blocked_range<int>(0, 6), 0, fold, std::plus<>{})); },
      [&] { skua::parallel_invoke([&] { while_others_steal(0); }, [&] { while_others_steal(0); }); },
      [&] { skua::parallel_for_each(std::vector<int>(6), while_others_steal); }};
  std::vector<std::atomic<int>> moved(calls.size());
  skua::pool pool({.workers = 4});
  pool.run([&](auto& here) {
    std::vector<int> const rounds(60);
    here.join_each(rounds, [&](auto&, int) {
      for (std::size_t i = 0; i < calls.size(); ++i) {
        auto const before = skua::testing::this_thread_number();
        calls[i]();
        if (before != skua::testing::this_thread_number()) ++moved[i];
      }
    });
  });
  for (std::size_t i = 0; i < calls.size(); ++i) EXPECT_EQ(moved[i], 0) << "call " << i;
}

}  // namespace
