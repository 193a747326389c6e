// SPDX-License-Identifier: MIT
// Who hears of the threads of a pool: their names, the functions that a pool's options name, and observers.
#include <gtest/gtest.h>
#include <sys/prctl.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "skua/as_tbb.hpp"
#include "skua/skua.hpp"
#include "tests/programs/this_thread.hpp"
#include "tests/programs/wait_until.hpp"

namespace skua { inline namespace v0 { namespace {

using skua::testing::this_thread_number;
using skua::testing::wait_until;

std::string name_of_this_thread() {
  std::array<char, 16> name{};
  ::prctl(PR_GET_NAME, name.data());
  return name.data();
}

/// The names that the pool's own threads have while they run its enqueued tasks.
std::set<std::string> names_in(pool& p) {
  std::mutex changing;
  std::set<std::string> found;
  for (int i = 0; i < 20; ++i) {
    p.enqueue([&] {
      std::scoped_lock const alone(changing);
      found.insert(name_of_this_thread());
    });
  }
  wait_until("a worker has said its name", [&] {
    std::scoped_lock const alone(changing);
    return !found.empty();
  });
  std::string const mine = name_of_this_thread();
  p.drain();
  found.erase(mine);
  return found;
}

TEST(worker_names, say_the_pool_and_the_number) {
  pool one(1);
  EXPECT_EQ(names_in(one), std::set<std::string>{"skua/0"});
  pool named({.workers = 1, .name = "render"});
  EXPECT_EQ(names_in(named), std::set<std::string>{"render/0"});
  pool cut({.workers = 1, .name = "a name that is too long"});
  EXPECT_EQ(names_in(cut), std::set<std::string>{"a name that i/0"});
}

TEST(worker_functions, are_called_in_each_workers_thread_at_its_begin_and_end) {
  std::mutex changing;
  std::multiset<std::uint32_t> began;
  std::multiset<std::uint32_t> ended;
  std::set<long> threads;
  {
    pool p({.workers = 3,
            .on_worker_begin =
                [&](worker_id w) {
                  std::scoped_lock const alone(changing);
                  began.insert(static_cast<std::uint32_t>(w));
                  threads.insert(this_thread_number());
                },
            .on_worker_end =
                [&](worker_id w) {
                  std::scoped_lock const alone(changing);
                  ended.insert(static_cast<std::uint32_t>(w));
                  EXPECT_EQ(threads.count(this_thread_number()), 1U);
                }});
    std::scoped_lock const alone(changing);
    EXPECT_EQ(began, (std::multiset<std::uint32_t>{0, 1, 2})) << "before the constructor returns";
    EXPECT_EQ(threads.size(), 3U);
    EXPECT_TRUE(ended.empty());
  }
  EXPECT_EQ(ended, began);
}

TEST(worker_functions, an_exception_at_the_begin_reaches_the_constructor) {
  std::atomic<int> ended{0};
  EXPECT_THROW(pool({.workers = 2,
                     .on_worker_begin =
                         [](worker_id w) {
                           if (w == worker_id{1}) throw std::runtime_error("no");
                         },
                     .on_worker_end = [&](worker_id) { ++ended; }}),
               std::runtime_error);
  EXPECT_EQ(ended.load(), 1) << "of the worker that had begun";
}

class counting : public tbb::task_scheduler_observer {
 public:
  using task_scheduler_observer::task_scheduler_observer;
  ~counting() override { observe(false); }
  void on_scheduler_entry(bool is_worker) override {
    ++(is_worker ? workers : callers);
    std::scoped_lock const alone(changing_);
    EXPECT_TRUE(inside_.insert(this_thread_number()).second) << "who is inside enters";
  }
  void on_scheduler_exit(bool is_worker) override {
    ++(is_worker ? workers_left : callers_left);
    std::scoped_lock const alone(changing_);
    EXPECT_EQ(inside_.erase(this_thread_number()), 1U) << "who is outside leaves";
  }
  bool has_this_thread() {
    std::scoped_lock const alone(changing_);
    return inside_.count(this_thread_number()) == 1;
  }
  std::atomic<int> workers{0};
  std::atomic<int> callers{0};
  std::atomic<int> workers_left{0};
  std::atomic<int> callers_left{0};

 private:
  std::mutex changing_;
  std::set<long> inside_;
};

TEST(observer, hears_of_callers_and_workers_before_their_tasks) {
  tbb::task_arena arena(3);
  counting seen(arena);
  seen.observe(true);
  EXPECT_TRUE(seen.is_observing());
  for (int round = 0; round < 20; ++round) {
    arena.execute([&] {
      EXPECT_TRUE(seen.has_this_thread());
      tbb::parallel_for(0, 100, [&](int) { EXPECT_TRUE(seen.has_this_thread()); });
    });
    EXPECT_FALSE(seen.has_this_thread());
  }
  EXPECT_EQ(seen.callers.load(), 20);
  EXPECT_EQ(seen.callers_left.load(), 20);
  arena.terminate();
  EXPECT_EQ(seen.workers.load(), seen.workers_left.load()) << "ended threads have left";
}

TEST(observer, who_works_when_it_begins_enters_at_once_or_before_its_next_task) {
  tbb::task_arena arena(2);
  counting seen(arena);
  arena.execute([&] {
    seen.observe(true);
    EXPECT_TRUE(seen.has_this_thread());
    seen.observe(false);
    EXPECT_FALSE(seen.has_this_thread());
    seen.observe(true);
    seen.observe(true);
    EXPECT_EQ(seen.callers.load(), 2);
  });
  EXPECT_EQ(seen.callers_left.load(), 2);
}

TEST(observer, hears_nothing_after_its_end_nor_of_other_arenas) {
  tbb::task_arena one(2);
  tbb::task_arena two(2);
  auto of_two = std::make_unique<counting>(two);
  of_two->observe(true);
  counting of_one(one);
  of_one.observe(true);
  two.execute([&] { tbb::parallel_for(0, 100, [](int) {}); });
  EXPECT_EQ(of_two->callers.load(), 1);
  EXPECT_EQ(of_one.callers.load() + of_one.workers.load(), 0);
  two.terminate();
  of_two = nullptr;  // after its pool
  counting again(two);
  again.observe(true);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) two.execute([&] { tbb::parallel_for(0, 10, [](int) {}); });
    });
  }
  for (int i = 0; i < 50; ++i) {
    counting passing(two);
    passing.observe(true);
    std::this_thread::yield();
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(again.callers.load(), again.callers_left.load());
  EXPECT_GE(again.callers.load(), 1);
}

/// The last look at the list of observers is that of a thread which ends, after its observer: ThreadSanitizer must not take it for a race with
/// the end of the list.
TEST(observer, hears_nothing_of_who_leaves_after_its_end) {
  for (int round = 0; round < 20; ++round) {
    tbb::task_arena arena(1);
    counting seen(arena);
    seen.observe(true);
    std::atomic<bool> is_over{false};
    arena.enqueue([&] { wait_until("the observer is gone", [&] { return is_over.load(); }); });
    wait_until("the worker has entered", [&] { return seen.workers.load() == 1; });
    seen.observe(false);
    is_over = true;
    arena.terminate();
    EXPECT_EQ(seen.workers_left.load(), 0);
  }
}

TEST(observer, hears_that_a_worker_leaves_before_it_sleeps) {
  tbb::task_arena arena(2);
  counting seen(arena);
  seen.observe(true);
  for (int round = 1; round <= 3; ++round) {
    std::atomic<bool> is_taken{false};
    arena.enqueue([&] { is_taken = true; });
    wait_until("a worker has the task", [&] { return is_taken.load(); });
    wait_until("it leaves", [&] { return seen.workers_left.load() == seen.workers.load(); });
    EXPECT_GE(seen.workers_left.load(), round);
  }
}

TEST(observer, without_an_arena_hears_of_the_default_pool) {
  counting seen;
  seen.observe(true);
  tbb::parallel_for(0, 10, [&](int) { EXPECT_TRUE(seen.has_this_thread()); });
  EXPECT_EQ(seen.callers.load(), 1);
}

}}}  // namespace skua::v0
