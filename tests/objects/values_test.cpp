// SPDX-License-Identifier: MIT
// What holds values: one_shot, coroutines that wait, worker_local, queues, contexts, once flags, in every use of docs/guide/objects.md.
#include <gtest/gtest.h>

#include <atomic>
#include <coroutine>
#include <csignal>
#include <exception>
#include <stdexcept>
#include <thread>

#include "skua/as_tbb.hpp"
#include "skua/program/collection/task_collection.hpp"
#include "skua/skua.hpp"
#include "tests/objects/object_uses.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using skua::testing::can_move;
using skua::testing::in_two_threads;
using skua::testing::misuse_DeathTest;
using skua::testing::wait_until;

TEST(one_shot_object, two_threads_at_once_work_as_setter_and_waiter) {
  skua::one_shot<int> answer;
  std::thread setter([&] { answer.set_value(3); });
  EXPECT_EQ(answer.wait(), 3);
  setter.join();
}

TEST(one_shot_object, two_threads_at_once_as_two_setters_are_refused) {
  skua::one_shot<int> answer;
  std::atomic<int> refused{0};
  in_two_threads([&] {
    try {
      answer.set_value(3);
    } catch (skua::usage_error const&) {
      ++refused;
    }
  });
  EXPECT_EQ(refused.load(), 1);
  EXPECT_EQ(answer.wait(), 3);
}

TEST(one_shot_object, two_threads_at_once_as_two_waiters_are_refused) {
  skua::pool pool({.workers = 2});
  skua::one_shot<int> answer;
  std::atomic<int> refused{0};
  pool.run([&](auto& here) {
    here.scope([&](auto& s) {
      for (int i = 0; i < 2; ++i) {
        s.spawn([&](auto& h) {
          try {
            EXPECT_EQ(answer.wait(h), 3);
          } catch (skua::usage_error const&) {
            ++refused;
            answer.set_value(3);  // the other one waits
          }
        });
      }
    });
  });
}

TEST(one_shot_object, by_its_own_task_works_once_it_is_set) {
  skua::pool(1).run([](auto& here) {
    skua::one_shot<int> answer;
    answer.set_value(3);
    EXPECT_EQ(answer.wait(here), 3);
  });
}

class one_shot_object_DeathTest : public misuse_DeathTest {};

TEST_F(one_shot_object_DeathTest, while_it_ends_a_waiter_is_named) {
  auto const misuse = [] {
    skua::pool pool(1);
    auto* const answer = new skua::one_shot<int>;
    std::atomic<bool> waits{false};
    pool.enqueue([&](auto& here) { answer->wait(here); });
    pool.enqueue([&] { waits = true; });  // the only worker begins it when the first one has parked
    while (!waits) std::this_thread::yield();
    delete answer;
    std::_Exit(0);
  };
  EXPECT_EXIT(misuse(), ::testing::KilledBySignal(SIGABRT), "one_shot: destroyed while no thread waits for it");
}

TEST(one_shot_object, after_its_end_it_is_refused) {
  skua::one_shot<int> answer;
  answer.set_value(3);
  EXPECT_EQ(answer.wait(), 3);
  EXPECT_THROW(answer.wait(), skua::usage_error);
  EXPECT_THROW(answer.set_value(4), skua::usage_error);
}

TEST(one_shot_object, moved_from_does_not_compile) { EXPECT_FALSE(can_move<skua::one_shot<int>>); }

/// The simplest coroutine: it runs by itself.
struct detached {
  struct promise_type {
    detached get_return_object() const noexcept { return {}; }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    void unhandled_exception() const { throw; }
  };
};

detached doubles(skua::one_shot<int>& question, skua::one_shot<int>& answer) {
  answer.set_value(2 * co_await question);
}

TEST(coroutine_object, two_threads_at_once_resume_it_once) {
  skua::one_shot<int> question;
  skua::one_shot<int> answer;
  doubles(question, answer);
  std::thread setter([&] { question.set_value(4); });
  EXPECT_EQ(answer.wait(), 8);
  setter.join();
}

detached asks_itself(skua::pool& pool, skua::one_shot<int>& answer) {
  skua::one_shot<int> question;
  auto const ask = [&] { question.set_value(4); };
  co_await skua::run_on(pool, ask);
  answer.set_value(co_await question);
}

TEST(coroutine_object, by_its_own_task_works) {
  skua::pool pool(1);
  skua::one_shot<int> answer;
  asks_itself(pool, answer);
  EXPECT_EQ(answer.wait(), 4);
}

detached drains(skua::pool& pool, skua::one_shot<bool>& refused) {
  auto const nothing = [] {};
  co_await skua::run_on(pool, nothing);
  bool threw = false;
  try {
    pool.drain();
  } catch (skua::usage_error const&) {
    threw = true;
  }
  refused.set_value(threw);
}

TEST(coroutine_object, by_its_own_task_a_drain_is_refused) {
  skua::pool pool(1);
  skua::one_shot<bool> refused;
  drains(pool, refused);
  EXPECT_TRUE(refused.wait());
}

TEST(coroutine_object, while_it_ends_the_pool_waits_for_it) {
  skua::one_shot<int> question;
  skua::one_shot<int> answer;
  std::thread setter;
  {
    skua::pool pool(1);
    pool.run([&] { doubles(question, answer); });
    setter = std::thread([&] { question.set_value(4); });
  }
  EXPECT_TRUE(answer.is_set());
  setter.join();
}

TEST(worker_local_object, two_threads_at_once_work) {
  skua::worker_local<int> each;
  in_two_threads([&] {
    for (int i = 0; i < 100; ++i) ++each.local();
  });
  EXPECT_EQ(each.size(), 2U);
  EXPECT_EQ(each.combine(std::plus<>{}), 200);
}

TEST(worker_local_object, by_its_own_task_works) {
  skua::worker_local<int> each;
  skua::parallel_for(0, 100, [&](int) { ++each.local(); });
  EXPECT_EQ(each.combine(std::plus<>{}), 100);
}

TEST(worker_local_object, after_its_end_clear_leaves_it_as_new) {
  skua::worker_local<int> each;
  each.local() = 3;
  each.clear();
  EXPECT_EQ(each.local(), 0);
}

TEST(worker_local_object, moved_from_does_not_compile) {
  EXPECT_FALSE(can_move<skua::worker_local<int>>);
  EXPECT_FALSE(can_move<skua::tbb::enumerable_thread_specific<int>>);
  EXPECT_FALSE(can_move<skua::tbb::combinable<int>>);
}

using queue = skua::tbb::concurrent_bounded_queue<int>;

TEST(concurrent_bounded_queue_object, two_threads_at_once_works) {
  queue items;
  items.set_capacity(1);
  std::thread other([&] {
    for (int i = 0; i < 100; ++i) items.push(i);
  });
  for (int i = 0; i < 100; ++i) {
    int got = -1;
    items.pop(got);
    EXPECT_EQ(got, i);
  }
  other.join();
}

/// It pushes another item when it is destroyed.
struct nested_push {
  skua::tbb::concurrent_bounded_queue<nested_push>* into = nullptr;
  nested_push() = default;
  explicit nested_push(skua::tbb::concurrent_bounded_queue<nested_push>& q) : into(&q) {}
  nested_push(nested_push&& other) noexcept : into(std::exchange(other.into, nullptr)) {}
  nested_push& operator=(nested_push&& other) noexcept {
    into = std::exchange(other.into, nullptr);
    return *this;
  }
  ~nested_push() {
    if (into != nullptr) into->push(nested_push());
  }
};

TEST(concurrent_bounded_queue_object, by_its_own_task_works_in_an_items_destructor) {
  skua::tbb::concurrent_bounded_queue<nested_push> items;
  items.push(nested_push(items));
  {
    nested_push got;
    items.pop(got);
  }
  EXPECT_EQ(items.size(), 1);
  items.push(nested_push(items));
  items.clear();
  EXPECT_EQ(items.size(), 1);
}

TEST(concurrent_bounded_queue_object, while_it_ends_an_abort_frees_who_waits) {
  skua::pool pool({.workers = 1});
  std::atomic<bool> freed{false};
  {
    queue items;
    pool.enqueue([&] {
      int got = 0;
      EXPECT_THROW(items.pop(got), skua::tbb::user_abort);
      freed = true;
    });
    wait_until("the task waits", [&] { return items.size() == -1; });
    items.abort();
    pool.drain();
  }
  EXPECT_TRUE(freed);
}

class concurrent_bounded_queue_object_DeathTest : public misuse_DeathTest {};

TEST_F(concurrent_bounded_queue_object_DeathTest, while_it_ends_a_waiter_is_named) {
  auto const misuse = [] {
    skua::pool pool({.workers = 1});
    auto* const items = new queue;
    pool.enqueue([&] {
      int got = 0;
      items->pop(got);
    });
    while (items->size() != -1) std::this_thread::yield();
    delete items;
    std::_Exit(0);
  };
  EXPECT_EXIT(misuse(), ::testing::KilledBySignal(SIGABRT),
              "concurrent_bounded_queue: destroyed while no thread waits");
}

TEST(concurrent_bounded_queue_object, after_its_end_an_abort_leaves_it_usable) {
  queue items;
  items.abort();
  items.push(3);
  int got = 0;
  items.pop(got);
  EXPECT_EQ(got, 3);
}

TEST(concurrent_bounded_queue_object, moved_from_does_not_compile) { EXPECT_FALSE(can_move<queue>); }

TEST(collaborative_once_flag_object, two_threads_at_once_works) {
  skua::tbb::collaborative_once_flag flag;
  std::atomic<int> calls{0};
  in_two_threads([&] {
    skua::tbb::collaborative_call_once(flag, [&] { ++calls; });
    EXPECT_EQ(calls.load(), 1);
  });
}

TEST(collaborative_once_flag_object, by_its_own_task_is_refused) {
  skua::tbb::collaborative_once_flag flag;
  auto const calls_itself = [&] { skua::tbb::collaborative_call_once(flag, [] {}); };
  EXPECT_THROW(skua::tbb::collaborative_call_once(flag, calls_itself), skua::usage_error);
  skua::pool(1).run([&] { EXPECT_THROW(skua::tbb::collaborative_call_once(flag, calls_itself), skua::usage_error); });
  bool called = false;
  skua::tbb::collaborative_call_once(flag, [&] { called = true; });  // an exception leaves it as new
  EXPECT_TRUE(called);
}

TEST(collaborative_once_flag_object, after_its_end_nothing_is_called) {
  skua::tbb::collaborative_once_flag flag;
  int calls = 0;
  for (int i = 0; i < 2; ++i) skua::tbb::collaborative_call_once(flag, [&] { ++calls; });
  EXPECT_EQ(calls, 1);
}

TEST(collaborative_once_flag_object, moved_from_does_not_compile) {
  EXPECT_FALSE(can_move<skua::tbb::collaborative_once_flag>);
}

TEST(task_group_context_object, two_threads_at_once_works) {
  skua::task_group_context context;
  std::atomic<int> first{0};
  in_two_threads([&] { first += context.cancel_group_execution() ? 1 : 0; });
  EXPECT_EQ(first.load(), 1);
}

TEST(task_group_context_object, by_its_own_task_works) {
  skua::task_group_context context;
  skua::parallel_for(0, 1000, [&](int) { context.cancel_group_execution(); }, context);
  EXPECT_TRUE(context.is_group_execution_cancelled());
}

TEST(task_group_context_object, after_its_end_calls_do_nothing_until_reset) {
  skua::task_group_context context;
  context.cancel_group_execution();
  std::atomic<int> calls{0};
  skua::parallel_for(0, 10, [&](int) { ++calls; }, context);
  EXPECT_EQ(calls.load(), 0);
  context.reset();
  skua::parallel_for(0, 10, [&](int) { ++calls; }, context);
  EXPECT_EQ(calls.load(), 10);
}

TEST(task_group_context_object, moved_from_does_not_compile) { EXPECT_FALSE(can_move<skua::task_group_context>); }

TEST(task_scheduler_handle_object, two_threads_at_once_may_have_one_each) {
  in_two_threads([] {
    skua::tbb::task_scheduler_handle handle{skua::tbb::attach{}};
    skua::tbb::finalize(handle);
    EXPECT_FALSE(handle);
  });
}

TEST(task_scheduler_handle_object, by_its_own_task_is_refused) {
  skua::parallel_for(0, 2, [](int) {
    skua::tbb::task_scheduler_handle handle{skua::tbb::attach{}};
    EXPECT_THROW(skua::tbb::finalize(handle), skua::tbb::unsafe_wait);
  });
}

TEST(task_scheduler_handle_object, after_its_end_it_is_empty) {
  skua::tbb::task_scheduler_handle handle{skua::tbb::attach{}};
  skua::tbb::finalize(handle);
  EXPECT_TRUE(skua::tbb::finalize(handle, std::nothrow));
}

TEST(task_scheduler_handle_object, moved_from_is_empty) {
  skua::tbb::task_scheduler_handle handle{skua::tbb::attach{}};
  skua::tbb::task_scheduler_handle other = std::move(handle);
  EXPECT_FALSE(handle);  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(other);
}

TEST(task_collection_object, moved_from_does_not_compile) { EXPECT_FALSE(can_move<skua::task_collection<int>>); }

}  // namespace
