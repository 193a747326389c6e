// SPDX-License-Identifier: MIT
// What Skua does where oneTBB's things would hang, or promise less. tests/onetbb/things.cpp has what both do.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

#include "skua/as_tbb.hpp"
#include "tests/programs/wait_until.hpp"

namespace skua { inline namespace v0 { namespace {

using skua::testing::wait_until;

TEST(bounded_queue, a_producer_and_a_consumer_share_the_only_worker) {
  tbb::concurrent_bounded_queue<int> queue;
  queue.set_capacity(1);
  constexpr int items = 200;
  long sum = 0;
  tbb::task_arena arena(1);
  arena.execute([&] {
    tbb::task_group group;
    group.run([&] {
      for (int i = 0; i < items; ++i) queue.push(i);
    });
    group.run([&] {
      for (int i = 0; i < items; ++i) {
        int got = 0;
        queue.pop(got);
        EXPECT_EQ(got, i);
        sum += got;
      }
    });
    group.wait();
  });
  EXPECT_EQ(sum, long{items} * (items - 1) / 2);
}

TEST(bounded_queue, tasks_and_threads_exchange_items) {
  tbb::concurrent_bounded_queue<std::vector<int>> queue;
  queue.set_capacity(2);
  std::atomic<long> sum{0};
  std::thread outside([&] {
    for (int i = 1; i <= 100; ++i) queue.push(std::vector<int>(1, i));
  });
  tbb::parallel_for(0, 100, [&](int) {
    std::vector<int> got;
    queue.pop(got);
    sum += got.at(0);
  });
  outside.join();
  EXPECT_EQ(sum.load(), 5050);
}

TEST(bounded_queue, an_abort_reaches_tasks_that_wait) {
  tbb::concurrent_bounded_queue<int> queue;
  queue.set_capacity(0);
  std::atomic<int> aborted{0};
  tbb::task_group group;
  for (int i = 0; i < 4; ++i) {
    group.run([&] {
      try {
        queue.push(1);
      } catch (tbb::user_abort const&) {
        ++aborted;
      }
    });
  }
  std::thread other([&] {
    wait_until("all wait", [&] { return queue.size() == 4; });
    queue.abort();
  });
  group.wait();
  other.join();
  EXPECT_EQ(aborted.load(), 4);
}

TEST(call_once, tasks_that_wait_hold_no_worker) {
  tbb::task_arena arena(1);
  tbb::collaborative_once_flag flag;
  std::atomic<int> calls{0};
  std::atomic<bool> other_ran{false};
  arena.execute([&] {
    tbb::task_group group;
    for (int i = 0; i < 3; ++i) {
      group.run([&] {
        tbb::collaborative_call_once(flag, [&] {
          ++calls;
          tbb::task_group inner;
          inner.run([&] { other_ran = true; });
          inner.wait();
        });
        EXPECT_TRUE(other_ran.load());
      });
    }
    group.wait();
  });
  EXPECT_EQ(calls.load(), 1);
}

TEST(call_once, threads_that_wait_take_over_when_it_throws) {
  tbb::collaborative_once_flag flag;
  std::atomic<int> inside{0};
  std::atomic<int> returned{0};
  std::atomic<int> failed{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      try {
        tbb::collaborative_call_once(flag, [&] {
          if (++inside <= 2) throw std::runtime_error("not yet");
        });
        ++returned;
      } catch (std::runtime_error const&) {
        ++failed;
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(inside.load(), 3);
  EXPECT_EQ(failed.load(), 2);
  EXPECT_EQ(returned.load(), 2);
}

TEST(cache_aligned_allocator, shares_no_line_at_its_end) {
  tbb::cache_aligned_allocator<char> lines;
  char* const a = lines.allocate(1);
  char* const b = lines.allocate(1);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a) % runtime::cache_line_bytes, 0U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b) % runtime::cache_line_bytes, 0U);
  EXPECT_NE(a, b);
  lines.deallocate(a, 1);
  lines.deallocate(b, 1);
  EXPECT_THROW(static_cast<void>(tbb::cache_aligned_allocator<long>().allocate(lines.max_size())), std::bad_alloc);
}

TEST(scheduler_handle, waits_for_what_is_enqueued) {
  tbb::task_scheduler_handle handle{tbb::attach{}};
  std::atomic<int> ran{0};
  for (int i = 0; i < 100; ++i) skua::enqueue([&] { ++ran; });
  tbb::finalize(handle);
  EXPECT_EQ(ran.load(), 100);
  tbb::parallel_for(0, 1, [&](int) {
    tbb::task_scheduler_handle inside{tbb::attach{}};
    EXPECT_THROW(tbb::finalize(inside), tbb::unsafe_wait);
  });
}

TEST(arena_constraints, bind_workers_to_what_they_choose) {
  auto const all = tbb::info::processors_of({});
  tbb::task_arena one_per_core(tbb::constraints{}.set_max_threads_per_core(1).set_max_concurrency(2));
  one_per_core.execute([] { tbb::parallel_for(0, 10, [](int) {}); });
  EXPECT_EQ(one_per_core.max_concurrency(), 2);
  EXPECT_LE(tbb::info::processors_of(tbb::constraints{}.set_max_threads_per_core(1)).size(), all.size());
  for (tbb::core_type_id const t : tbb::info::core_types())
    EXPECT_GE(tbb::info::default_concurrency(tbb::constraints{}.set_core_type(t)), 1);
  EXPECT_THROW(static_cast<void>(tbb::info::processors_of(tbb::constraints{}.set_numa_id(1234))), usage_error);
  tbb::task_arena nowhere(tbb::constraints{}.set_numa_id(1234));
  EXPECT_THROW(nowhere.initialize(), usage_error);
}

TEST(arena_attach, has_nothing_to_attach_to_outside_of_tasks) {
  tbb::task_arena none{tbb::attach{}};
  EXPECT_FALSE(none.is_active());
  EXPECT_FALSE(none.initialize(tbb::attach{}));
  EXPECT_EQ(none.execute([] { return 3; }), 3);
}

// Of the bodies that run at once, each has a number of its own: data per number need no lock.
TEST(arena, bodies_of_more_threads_than_it_has_workers_have_numbers_of_their_own) {
  for (int const workers : {1, 2}) {
    tbb::task_arena arena(workers);
    std::vector<std::atomic<bool>> taken(static_cast<std::size_t>(workers));
    std::atomic<int> wrong{0};
    auto const body = [&](int) {
      int const mine = tbb::this_task_arena::current_thread_index();
      if (mine < 0 || mine >= workers || tbb::this_task_arena::max_concurrency() != workers) {
        ++wrong;
        return;
      }
      std::atomic<bool>& slot = taken[static_cast<std::size_t>(mine)];
      if (slot.exchange(true)) ++wrong;
      std::this_thread::yield();  // so that others come meanwhile
      slot = false;
    };
    std::vector<std::thread> threads;
    for (int t = 0; t < 5; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 10; ++i) {
          arena.execute([&] {
            body(0);
            tbb::parallel_for(0, 10, body, tbb::simple_partitioner());
          });
        }
      });
    }
    for (auto& t : threads) t.join();
    EXPECT_EQ(wrong, 0) << workers << " workers";
  }
}

// A body that computes for longer than a pool has patience looks like one that waits: no thread is lent to a call that waits for a place.
TEST(arena, a_call_that_waits_for_a_place_gets_no_lent_thread) {
  tbb::task_arena arena(1);
  std::atomic<bool> is_in{false};
  std::atomic<bool> has_left{false};
  std::thread first([&] {
    arena.execute([&] {
      is_in = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      has_left = true;
    });
  });
  wait_until("the only place is taken", [&] { return is_in.load(); });
  EXPECT_TRUE(arena.execute([&] { return has_left.load(); }));
  first.join();
}

TEST(arena, a_call_that_waits_for_a_place_throws_what_its_body_throws) {
  tbb::task_arena arena(1);
  std::atomic<int> caught{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        try {
          arena.execute([] { throw std::runtime_error("inside"); });
        } catch (std::runtime_error const&) {
          ++caught;
        }
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(caught, 200);
}

TEST(arena, an_isolated_task_that_calls_it_waits_alone) {
  tbb::task_arena arena(1);
  skua::pool pool({.workers = 2});
  std::atomic<int> wrong{0};
  pool.run([&](auto& here) {
    skua::for_each(here, 0, 20, [&](int) {
      skua::isolate([&] {
        if (arena.execute([] { return tbb::this_task_arena::current_thread_index(); }) != 0) ++wrong;
      });
    });
  });
  EXPECT_EQ(wrong, 0);
}

}}}  // namespace skua::v0
