// SPDX-License-Identifier: MIT
// Enqueued tasks: each runs once, from whichever thread it is enqueued and however many workers there are; the pool waits for them; their
// exceptions reach its handler.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "skua/as_tbb.hpp"
#include "skua/machine/threads/engine/callers/lent_thread.hpp"
#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/skua.hpp"
#include "tests/programs/every_policy.hpp"
#include "tests/programs/fib.hpp"
#include "tests/programs/this_thread.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using skua::testing::fib;
using skua::testing::this_thread_number;
using skua::testing::wait_until;

constexpr int count = skua::runtime::under_tsan ? 6'000 : 99'999;

class enqueued : public skua::testing::under_every_policy {};

/// Enqueues up to three more of its kind, and counts all of them.
void grow(skua::pool& pool, std::atomic<long>& ran, skua::runtime::dice from, int depth) {
  ran.fetch_add(1, std::memory_order_relaxed);
  if (depth == 0) return;
  for (std::uint32_t children = from.below(4); children > 0; --children) {
    skua::runtime::dice const next(from.next());
    pool.enqueue([&pool, &ran, next, depth] { grow(pool, ran, next, depth - 1); });
  }
}
long grown(skua::runtime::dice from, int depth) {
  long all = 1;
  if (depth == 0) return all;
  for (std::uint32_t children = from.below(4); children > 0; --children) {
    all += grown(skua::runtime::dice(from.next()), depth - 1);
  }
  return all;
}

}  // namespace

TEST_P(enqueued, each_task_from_three_threads_runs_once) {
  for (std::uint32_t const n : {1U, 2U, 4U}) {
    std::vector<std::atomic<int>> runs(count);
    {
      skua::pool pool(workers(n));
      std::array<std::thread, 3> users;
      for (std::size_t u = 0; u < users.size(); ++u) {
        users[u] = std::thread([&, u] {
          for (std::size_t i = u; i < runs.size(); i += users.size()) {
            pool.enqueue([&runs, i] { runs[i].fetch_add(1, std::memory_order_relaxed); });
          }
        });
      }
      for (auto& u : users) u.join();
      pool.drain();
      long sum = 0;
      for (auto const& r : runs) sum += r.load(std::memory_order_relaxed);
      EXPECT_EQ(sum, count) << "drain returned too early, with " << n << " workers";
    }
    for (auto const& r : runs) ASSERT_EQ(r.load(), 1);
  }
}

TEST_P(enqueued, tasks_enqueue_tasks) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    skua::pool pool(workers(2));
    std::atomic<long> ran{0};
    skua::runtime::dice const first(seed);
    pool.enqueue([&, first] { grow(pool, ran, first, 7); });
    pool.drain();
    EXPECT_EQ(ran.load(), grown(first, 7)) << "seed " << seed;
  }
}

TEST_P(enqueued, tasks_inside_a_call_use_the_callers_pool) {
  skua::pool pool(workers(2));
  std::atomic<int> ran{0};
  std::atomic<int> elsewhere{0};
  pool.run([&](auto& h) {
    h.join_each(std::vector<int>(100), [&](auto&, int) {
      skua::enqueue([&](auto& own) {
        if (own.num_workers() != 2 || skua::num_workers() != 2) ++elsewhere;
        ran += static_cast<int>(fib(own, 5));
      });
    });
    EXPECT_EQ(fib(h, 12), 144);
  });
  pool.drain();
  EXPECT_EQ(ran.load(), 500);
  EXPECT_EQ(elsewhere.load(), 0);
}

INSTANTIATE_TEST_SUITE_P(policies, enqueued, ::testing::ValuesIn(skua::testing::checked_policies()),
                         skua::testing::policy_in_a_name);

TEST(enqueue, one_worker_runs_tasks_on_its_own_thread_although_nobody_waits) {
  skua::pool pool({.workers = 1});
  for (int round = 0; round < 20; ++round) {
    std::atomic<bool> ran{false};
    long where = 0;
    pool.enqueue([&] {
      where = this_thread_number();
      ran.store(true, std::memory_order_release);
    });
    ASSERT_TRUE(wait_until("the task runs", [&] { return ran.load(std::memory_order_acquire); }));
    EXPECT_NE(where, this_thread_number());
  }
}

TEST(enqueue, with_one_worker_tasks_begin_in_the_order_in_which_they_were_enqueued) {
  skua::pool pool({.workers = 1});
  std::vector<int> order;
  for (int i = 0; i < 1000; ++i) pool.enqueue([&order, i] { order.push_back(i); });
  pool.drain();
  std::vector<int> expected(1000);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(order, expected);
}

TEST(enqueue, a_task_that_enqueues_itself_starves_nobody) {
  skua::pool pool({.workers = 1});
  std::atomic<bool> stop{false};
  std::atomic<long> rounds{0};
  struct again {
    skua::pool& in;
    std::atomic<bool>& stop;
    std::atomic<long>& rounds;
    void operator()() const {
      ++rounds;
      if (!stop.load(std::memory_order_relaxed)) in.enqueue(*this);
    }
  };
  pool.enqueue(again{pool, stop, rounds});
  wait_until("it goes round", [&] { return rounds.load() > 100; });
  pool.enqueue([&] { stop.store(true, std::memory_order_relaxed); });
  pool.drain();
  EXPECT_GT(rounds.load(), 100);
}

TEST(enqueue, a_task_waits_until_a_worker_is_free) {
  skua::pool pool({.workers = 1});
  std::atomic<bool> ran{false};
  pool.run([&](auto& h) {
    pool.enqueue([&] { ran = true; });
    EXPECT_EQ(fib(h, 15), 610);
    EXPECT_FALSE(ran.load()) << "the only worker was busy";
  });
  pool.drain();
  EXPECT_TRUE(ran.load());
}

TEST(enqueue, the_pool_runs_what_is_left_before_it_ends) {
  for (std::uint32_t const n : {1U, 3U}) {
    for (int round = 0; round < 20; ++round) {
      std::atomic<int> ran{0};
      {
        skua::pool pool({.workers = n});
        for (int i = 0; i < 100; ++i) {
          pool.enqueue([&] {
            ++ran;
            pool.enqueue([&] { ++ran; });
          });
        }
      }
      EXPECT_EQ(ran.load(), 200);
    }
  }
}

TEST(enqueue, a_pool_may_end_in_a_task_of_another_pool) {
  skua::pool outer({.workers = 1});
  std::atomic<int> ran{0};
  outer.run([&](auto&) {
    skua::pool inner({.workers = 1});
    for (int i = 0; i < 50; ++i) inner.enqueue([&] { ++ran; });
  });
  EXPECT_EQ(ran.load(), 50);
}

TEST(enqueue, a_worker_may_drain_another_pool_and_its_own) {
  skua::pool outer({.workers = 1});
  skua::pool inner({.workers = 2});
  std::atomic<int> ran{0};
  outer.run([&](auto&) {
    for (int i = 0; i < 50; ++i) inner.enqueue([&] { ++ran; });
    inner.drain();
    EXPECT_EQ(ran.load(), 50);
    for (int i = 0; i < 50; ++i) outer.enqueue([&] { ++ran; });
    outer.drain();  // the only worker waits, and so is free for the tasks
    EXPECT_EQ(ran.load(), 100);
  });
  outer.drain();
  inner.drain();  // nothing is left: returns at once
}

TEST(enqueue, many_threads_may_drain_while_others_enqueue) {
  skua::pool pool({.workers = 2});
  std::atomic<int> ran{0};
  std::vector<std::thread> users;
  for (int u = 0; u < 3; ++u) {
    users.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        std::atomic<bool> mine{false};
        pool.enqueue([&] {
          ++ran;
          mine.store(true, std::memory_order_release);
        });
        pool.drain();
        EXPECT_TRUE(mine.load(std::memory_order_acquire));
      }
    });
  }
  for (auto& u : users) u.join();
  EXPECT_EQ(ran.load(), 150);
}

TEST(enqueue, exceptions_reach_the_handler_and_the_other_tasks_run) {
  std::mutex changing;
  std::vector<std::string> heard;
  std::atomic<int> ran{0};
  skua::pool pool({.workers = 2, .on_exception = [&](std::exception_ptr why) {
                     try {
                       std::rethrow_exception(std::move(why));
                     } catch (std::exception const& e) {
                       std::lock_guard const hold(changing);
                       heard.emplace_back(e.what());
                     }
                   }});
  for (int i = 0; i < 300; ++i) {
    pool.enqueue([&ran, i] {
      if (i % 3 == 0) throw std::runtime_error(std::to_string(i));
      ++ran;
    });
  }
  pool.enqueue([](auto& h) { h.join([](auto&) { throw std::logic_error("in a join"); }, [](auto&) {}); });
  pool.drain();
  EXPECT_EQ(ran.load(), 200);
  ASSERT_EQ(heard.size(), 101U);
  EXPECT_EQ(std::count(heard.begin(), heard.end(), "in a join"), 1);
}

TEST(enqueue_death, an_exception_without_a_handler_ends_the_process) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        skua::pool pool({.workers = 1});
        pool.enqueue([] { throw std::runtime_error("nobody hears this"); });
        pool.drain();
      },
      "nobody hears this");
}

TEST(enqueue, what_a_task_owns_is_destroyed_before_drain_returns) {
  skua::pool pool({.workers = 2});
  auto const owned = std::make_shared<int>(7);
  for (int i = 0; i < 100; ++i) pool.enqueue([owned] { EXPECT_EQ(*owned, 7); });
  pool.enqueue([only = std::make_unique<int>(1)] { EXPECT_EQ(*only, 1); });
  pool.drain();
  EXPECT_EQ(owned.use_count(), 1);
}

TEST(enqueue, a_function_that_cannot_be_copied_in_is_not_counted) {
  struct refuses {
    refuses() = default;
    refuses(refuses const&) { throw std::runtime_error("no copy"); }
    void operator()() const { ADD_FAILURE() << "it was never enqueued"; }
  };
  skua::pool pool({.workers = 1});
  refuses const function;
  EXPECT_THROW(pool.enqueue(function), std::runtime_error);
  pool.drain();
}

TEST(enqueue, a_task_may_park_and_use_all_of_the_library) {
  skua::pool pool({.workers = 2});
  std::atomic<long> sum{0};
  for (int i = 0; i < 50; ++i) {
    pool.enqueue(skua::at{skua::place_id{0}}, [&](auto& h) {
      auto const [a, b] = h.join([](auto& g) { return fib(g, 10); }, [](auto& g) { return fib(g, 11); });
      skua::task_group group;
      group.run([&] { sum += a; });
      group.run([&] { sum += b; });
      group.wait();
    });
  }
  pool.drain();
  EXPECT_EQ(sum.load(), 50 * (55 + 89));
}

TEST(enqueue, guests_enqueue_into_their_host) {
  skua::pool pool({.workers = 1});
  std::atomic<int> ran{0};
  std::atomic<int> in{0};
  std::vector<std::thread> users;
  for (int u = 0; u < 3; ++u) {
    users.emplace_back([&] {
      pool.run([&](auto&) {
        ++in;
        wait_until("all callers are in, two of them as guests", [&] { return in.load() == 3; });
        skua::enqueue([&] { ++ran; });
      });
    });
  }
  for (auto& u : users) u.join();
  pool.drain();
  EXPECT_EQ(ran.load(), 3);
}

TEST(enqueue, the_default_pool_takes_tasks_of_threads_that_are_no_workers) {
  std::atomic<int> ran{0};
  for (int i = 0; i < 100; ++i) skua::enqueue([&] { ++ran; });
  skua::default_pool().drain();
  EXPECT_EQ(ran.load(), 100);
}

/// Enqueues itself until `left` is 0.
void go_on(skua::tbb::task_arena& arena, std::atomic<int>& left) {
  if (--left == 0) return;
  arena.enqueue([&] { go_on(arena, left); });
}

TEST(task_arena, runs_what_is_enqueued_while_it_terminates) {
  for (int const workers : {1, 2, 4}) {
    for (int round = 0; round < 20; ++round) {
      skua::tbb::task_arena arena(workers);
      std::atomic<int> left{500};
      arena.enqueue([&] { go_on(arena, left); });
      arena.terminate();
      EXPECT_EQ(left.load(), 0);
      EXPECT_FALSE(arena.is_active());
    }
  }
}

TEST(task_arena, several_threads_use_it_and_terminate_it) {
  skua::tbb::task_arena arena(2);
  std::atomic<int> ran{0};
  std::vector<std::thread> users;
  for (int u = 0; u < 4; ++u) {
    users.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        arena.enqueue([&] { ran.fetch_add(arena.execute([] { return 1; })); });
        arena.terminate();
      }
    });
  }
  for (auto& u : users) u.join();
  arena.terminate();
  EXPECT_EQ(ran.load(), 80);
}

TEST(task_arena, a_call_inside_of_it_may_terminate_it) {
  skua::tbb::task_arena arena(2);
  EXPECT_EQ(arena.execute([&] {
    arena.terminate();
    return 7;
  }),
            7);
  EXPECT_EQ(arena.execute([] { return 8; }), 8) << "it starts again";
}

TEST(enqueue, a_child_of_fork_cannot_enqueue_into_its_parents_pool) {
  if (skua::runtime::under_tsan) GTEST_SKIP() << "ThreadSanitizer does not follow a child of fork() with threads";
  skua::pool pool({.workers = 1});
  pid_t const child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    try {
      pool.enqueue([] {});
    } catch (skua::error const&) {
      ::_exit(17);
    }
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 17);
}

// A thread is lent while all workers wait for something that is none of Skua's (lent_thread.md). Each of these tests ends
// only if it is.

TEST(lent_thread, runs_what_is_enqueued_beside_the_only_place_while_that_waits) {
  skua::pool pool({.workers = 1});
  EXPECT_EQ(pool.run([&](auto&) {
    std::promise<int> answer;
    pool.enqueue([&] { answer.set_value(7); });
    return answer.get_future().get();
  }),
            7);
  skua::tbb::task_arena arena(1);
  EXPECT_EQ(arena.execute([&] {
    std::promise<int> answer;
    arena.enqueue([&] { answer.set_value(8); });
    return answer.get_future().get();
  }),
            8);
}

TEST(lent_thread, is_one_and_counted) {
  skua::pool pool({.workers = 1});
  constexpr int tasks = 10;
  std::atomic<int> at_once{0};
  std::atomic<int> most{0};
  pool.run([&](auto&) {
    std::promise<void> all;
    std::atomic<int> left{tasks};
    for (int i = 0; i < tasks; ++i) {
      pool.enqueue([&] {
        most = std::max(most.load(), ++at_once);
        std::this_thread::yield();
        --at_once;
        if (--left == 0) all.set_value();
      });
    }
    all.get_future().wait();
  });
  EXPECT_EQ(most.load(), 1);
  EXPECT_EQ(skua::runtime::core_of(pool).lent()->ran(), std::uint64_t{tasks});
}

TEST(lent_thread, comes_when_all_of_several_workers_wait) {
  for (std::uint32_t const n : {2U, 4U}) {
    skua::pool pool({.workers = n});
    std::promise<void> answer;
    std::shared_future<void> const given = answer.get_future().share();
    std::atomic<std::uint32_t> waiting{0};
    std::atomic<int> ran{0};
    for (std::uint32_t i = 0; i < n; ++i) {
      pool.enqueue([&] {
        if (++waiting == n) pool.enqueue([&] { answer.set_value(); });
        given.wait();
        ++ran;
      });
    }
    pool.drain();
    EXPECT_EQ(ran.load(), static_cast<int>(n));
  }
}

/// Three workers sleep when four tasks are enqueued, so no thread asks; each begins one, and only the last searcher can ask.
TEST(lent_thread, comes_for_a_task_that_a_searcher_has_left) {
  for (int round = 0; round < 10; ++round) {
    skua::pool pool({.workers = 4});
    std::promise<void> answer;
    std::shared_future<void> const given = answer.get_future().share();
    pool.run([&](auto&) {
      for (int i = 0; i < 3; ++i) pool.enqueue([given] { given.wait(); });
      pool.enqueue([&] { answer.set_value(); });
      given.wait();
    });
  }
}

TEST_P(enqueued, tasks_that_fork_wait_and_enqueue_run_on_the_lent_thread) {
  skua::pool pool(workers(1));
  EXPECT_EQ(pool.run([&](auto&) {
    std::promise<long> answer;
    pool.enqueue([&](auto& h) {
      long const found = fib(h, 10);
      skua::task_group group;
      std::atomic<long> sum{found};
      for (int i = 0; i < 10; ++i) group.run([&] { ++sum; });
      group.wait();
      skua::enqueue([&answer, all = sum.load()] { answer.set_value(all); });
    });
    return answer.get_future().get();
  }),
            65);
}

TEST(lent_thread, comes_for_a_region_of_fewer_workers_than_its_pool) {
  skua::tbb::global_control const one(skua::tbb::global_control::max_allowed_parallelism, 1);
  skua::parallel_for(0, 1, [&](int) {
    std::promise<void> answer;
    std::thread([&] { skua::enqueue([&] { answer.set_value(); }); }).join();
    answer.get_future().wait();
  });
}
