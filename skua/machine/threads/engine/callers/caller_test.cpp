// SPDX-License-Identifier: MIT
// Threads from outside work themselves: on their own thread, as one of the workers asked for, several at once and more
// than there are workers.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/machine/threads/engine/core/worker.hpp"
#include "skua/parts/context/sanitizer.hpp"
#include "skua/parts/context/valgrind.hpp"
#include "skua/parts/topology/affinity.hpp"
#include "skua/skua.hpp"
#include "tests/programs/every_policy.hpp"
#include "tests/programs/fib.hpp"
#include "tests/programs/this_thread.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using skua::testing::fib;
using skua::testing::this_thread_number;
using skua::testing::wait_until;

class callers : public skua::testing::under_every_policy {};

std::uint64_t sleeps(skua::pool const& p) {
  std::uint64_t n = 0;
  for (auto const& c : p.counters()) n += c.sleeps;
  return n;
}

}  // namespace

TEST_P(callers, a_call_runs_on_the_thread_that_made_it) {
  skua::pool pool(workers(2));
  for (int i = 0; i < 100; ++i) {
    auto const ran_on = pool.run([](auto& h) {
      long const right = fib(h, 12);
      return std::pair(right, this_thread_number());
    });
    EXPECT_EQ(ran_on.first, 144);
    EXPECT_EQ(ran_on.second, this_thread_number());
  }
}

TEST_P(callers, one_worker_is_the_caller_and_no_other_thread_is_woken) {
  skua::pool pool(workers(1));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(pool.run([](auto& h) { return fib(h, 10); }), 55);
  EXPECT_EQ(sleeps(pool), 0U) << "the pool's own thread has never been woken";
  EXPECT_EQ(pool.counters()[0].tasks, 100U);
}

TEST_P(callers, an_exception_reaches_the_caller_and_the_next_call_works) {
  skua::pool pool(workers(2));
  for (int i = 0; i < 20; ++i) {
    EXPECT_THROW(pool.run([](auto& h) {
      h.join([](auto& g) { return fib(g, 8); }, [](auto&) -> long { throw std::runtime_error("no"); });
    }),
                 std::runtime_error);
    EXPECT_EQ(pool.run([](auto& h) { return fib(h, 8); }), 21);
  }
}

TEST_P(callers, more_callers_than_workers_all_finish) {
  for (std::uint32_t const n : {1U, 2U, 3U}) {
    skua::pool pool(workers(n));
    std::atomic<int> right{0};
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < 6; ++t) {
        threads.emplace_back([&] {
          for (int i = 0; i < 50; ++i) {
            auto const id = this_thread_number();
            if (pool.run([](auto& h) { return fib(h, 11); }) == 89 && id == this_thread_number()) ++right;
          }
        });
      }
    }
    EXPECT_EQ(right.load(), 300) << n << " workers";
  }
}

TEST_P(callers, callers_that_wait_for_each_other_meet) {
  for (std::uint32_t const n : {1U, 2U}) {
    skua::pool pool(workers(n));
    for (int round = 0; round < 5; ++round) {
      std::atomic<int> met{0};
      std::vector<std::jthread> threads;
      for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
          pool.run([&](auto&) {
            ++met;
            wait_until("the other callers' tasks run, too", [&] { return met.load() == 4; });
          });
        });
      }
    }
  }
}

TEST_P(callers, calls_and_tasks_from_outside_mix) {
  skua::pool pool(workers(3));
  auto const all = pool.open_region(GetParam(), 2);
  std::vector<std::jthread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 60; ++i) {
        long const got = (i + t) % 2 == 0 ? pool.run([](auto& h) { return fib(h, 10); })
                                          : all.run([](auto& h) { return fib(h, 10); });
        if (got == 55) ++right;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(right.load(), 180);
}

TEST_P(callers, every_task_knows_its_worker) {
  EXPECT_EQ(skua::this_worker(), std::nullopt);
  skua::pool pool(workers(3));
  std::atomic<int> wrong{0};
  pool.run([&](auto& h) {
    EXPECT_EQ(skua::this_worker(), skua::worker_id{0}) << "a caller takes the first worker's place";
    skua::for_each(h, std::size_t{0}, std::size_t{500}, [&](std::size_t) {
      auto const me = skua::this_worker();
      if (!me || static_cast<std::uint32_t>(*me) >= 3 || skua::num_workers() != 3) ++wrong;
    });
  });
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(skua::this_worker(), std::nullopt);
}

TEST_P(callers, a_caller_of_a_pinned_worker_keeps_its_processor_and_gets_its_mask_back) {
  auto const allowed = skua::runtime::affinity_of_this_thread();
  if (allowed.size() < 2) GTEST_SKIP() << "needs two processors";
  skua::pool_options options = workers(2);
  options.pin = true;
  skua::pool pool(options);
  int bound = 0;
  for (int i = 0; i < 20; ++i) {
    pool.run([&](auto& h) {
      std::atomic<bool> stolen{false};
      h.join([&](auto&) { wait_until("the other child is stolen", [&] { return stolen.load(); }); },
             [&](auto&) { stolen = true; });
      if (skua::runtime::affinity_of_this_thread().size() == 1) ++bound;
    });
    EXPECT_EQ(skua::runtime::affinity_of_this_thread(), allowed);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // so that the worker sleeps again
  }
  EXPECT_GE(bound, 1) << "the first call at least wakes a worker";
}

INSTANTIATE_TEST_SUITE_P(policies, callers, ::testing::ValuesIn(skua::testing::checked_policies()),
                         skua::testing::policy_in_a_name);

namespace {

long chain(auto& h, long n) {
  if (n == 0) return 0;
  auto const [a, b] = h.join([n](auto& k) { return chain(k, n - 1); }, [](auto&) { return 1L; });
  return a + b;
}

}  // namespace

/// The place knows the regions that were open when the caller came. A leaving caller must also check regions that were opened later.
TEST(caller, that_leaves_sees_tasks_of_regions_that_were_opened_during_its_call) {
  for (int round = 0; round < 100; ++round) {
    skua::pool pool(1);
    skua::pool other(1);
    std::atomic<bool> has_place{false};
    std::thread submits([&] {
      has_place.wait(false);
      // From a worker of another pool, which waits as a fiber: so the call is a task of the region, and not a guest's.
      EXPECT_EQ(other.run([&](auto&) { return pool.open_region("random").run([](auto&) { return 7; }); }), 7);
    });
    pool.run([&](auto&) {
      has_place = true;
      has_place.notify_one();
      skua::runtime::pool_core& core = skua::runtime::worker::current()->pool();
      for (bool waits = false; !waits; std::this_thread::yield()) {
        std::shared_ptr<skua::runtime::region_list const> open;
        static_cast<void>(core.share_regions(open));
        waits = std::ranges::any_of(*open, [](auto const& r) { return r->has_injected(); });
      }
    });
    submits.join();
  }
}

TEST(caller_DeathTest, a_recursion_too_deep_for_the_callers_stack_ends_with_a_line) {
  if (skua::runtime::under_tsan) GTEST_SKIP() << "ThreadSanitizer's own record of calls ends before the stack does";
  if (skua::runtime::valgrind::running()) GTEST_SKIP() << "valgrind reports the fault that this test makes on purpose";
  for (bool const on_main : {true, false}) {
    EXPECT_EXIT(
        {
          std::signal(SIGSEGV, SIG_DFL);                        // sanitizers have handlers of their own
          skua::pool pool({.workers = 2, .policy = "random"});  // adws may send the chain to a fiber
          auto const call = [&pool] { static_cast<void>(pool.run([](auto& h) { return chain(h, 1L << 40); })); };
          on_main ? call() : std::thread(call).join();
        },
        ::testing::KilledBySignal(SIGSEGV), "skua: stack overflow on worker 0: .* KiB of that thread's own stack");
  }
}

/// A call that holds a worker's place until it is told to leave it.
class call_in_place {
 public:
  explicit call_in_place(skua::pool& in) {
    thread_ = std::thread([this, &in] {
      in.run([this](auto&) {
        is_in_ = true;
        wait_until("the call may leave", [this] { return may_leave_.load(); });
      });
    });
    wait_until("the call has the worker's place", [this] { return is_in_.load(); });
  }
  void leave() {
    may_leave_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> is_in_{false};
  std::atomic<bool> may_leave_{false};
  std::thread thread_;
};

/// No worker sleeps while the task is started, so none is woken for it, and no thread waits for it afterwards.
TEST(leaving_callers, leave_free_tasks_of_other_threads_to_a_thread_that_comes_for_them) {
  skua::pool& pool = skua::default_pool();
  for (int round = 0; round < 20; ++round) {
    std::atomic<bool> ran{false};
    std::deque<call_in_place> everywhere;
    for (std::uint32_t w = 0; w < pool.num_workers(); ++w) everywhere.emplace_back(pool);
    skua::task_group group;
    group.run([&] { ran = true; });
    for (call_in_place& one : everywhere) one.leave();
    bool const came = wait_until("a free task runs although nobody waits for it", [&] { return ran.load(); });
    group.wait();
    if (!came) return;
  }
}

TEST(leaving_callers, leave_the_free_tasks_of_a_guest_to_the_workers) {
  skua::pool pool({.workers = 1});
  for (int round = 0; round < 20; ++round) {
    std::atomic<bool> ran{false};
    auto group = std::make_unique<skua::task_group>();
    call_in_place beside(pool);
    std::thread([&] { pool.run([&](auto&) { group->run([&] { ran = true; }); }); }).join();  // no place: a guest
    beside.leave();
    if (wait_until("a free task of a guest runs", [&] { return ran.load(); })) {
      group->wait();
      continue;
    }
    static_cast<void>(group.release());  // it waits for its task for ever
    return;
  }
}

TEST(conventional_calls, a_group_waits_on_its_own_thread_everywhere) {
  // A lock, a thread_local and a thread id held across a wait stay right: on main, and in tasks on workers.
  std::atomic<int> moved{0};
  skua::parallel_for(0, 200, [&](int) {
    auto const before = this_thread_number();
    skua::task_group group;
    std::atomic<int> done{0};
    for (int i = 0; i < 4; ++i) {
      group.run([&] {
        for (int spin = 0; spin < 300; ++spin) done.fetch_add(spin == 0 ? 1 : 0);
      });
    }
    group.wait();
    skua::parallel_for(0, 16, [&](int) { done.fetch_add(1); });
    if (this_thread_number() != before || done.load() != 20) ++moved;
  });
  EXPECT_EQ(moved.load(), 0);
}

/// The other worker has the group's task, this one turns to `other` while its task waits. When the group's task has ended, the other worker
/// is free and this one is not: the task that waits must not go on there.
TEST(conventional_calls, a_group_waits_for_its_thread_although_another_worker_is_free) {
  skua::pool pool({.workers = 2});
  for (int round = 0; round < 20; ++round) {
    std::atomic<bool> child_runs{false};
    std::atomic<bool> other_runs{false};
    std::atomic<bool> is_free{false};
    std::atomic<long> moved{-1};
    pool.enqueue([&] {
      auto const before = this_thread_number();
      skua::task_group group;
      group.run([&] {
        child_runs = true;
        wait_until("the worker of the task that waits turns to another one", [&] { return other_runs.load(); });
        pool.enqueue([&] { is_free = true; });
      });
      wait_until("the other worker has the group's task", [&] { return child_runs.load(); });
      pool.enqueue([&] {
        other_runs = true;
        wait_until("the other worker has nothing to do", [&] { return is_free.load(); });
      });
      group.wait();
      moved = this_thread_number() - before;
    });
    pool.drain();
    EXPECT_EQ(moved.load(), 0) << "round " << round;
  }
}

TEST(conventional_calls, a_flow_that_asks_for_its_worker_races_with_no_other_flow_of_the_thread) {
  // For ThreadSanitizer: nothing orders what the thread's own flow writes after the start of the other flow before that
  // flow's question. So it was with a caller's record, which lies on the caller's stack.
  using skua::runtime::worker;
  auto const record = std::make_unique<skua::runtime::thread_record>();
  skua::runtime::stack_pool stacks;
  struct flows {
    skua::runtime::context own;
    skua::runtime::context other;
    worker* answer = nullptr;
  } both;
  skua::pool pool({.workers = 1});
  record->owner = skua::runtime::core_of(pool).worker_at(skua::worker_id{0}).owner;  // some worker: it is not used
  skua::runtime::set_current_thread(record.get());
  skua::runtime::start(
      both.other, *stacks.take(),
      [](void* of) noexcept {
        auto* const mine = static_cast<flows*>(of);
        worker* const answer = worker::current();
        {
          skua::runtime::tsan::unseen const handed_over;
          mine->answer = answer;
        }
        skua::runtime::leave_to(mine->other, mine->own, nullptr, nullptr);
      },
      &both);
  skua::runtime::stack* const lent = both.other.stack;
  skua::runtime::switch_to(both.own, both.other, nullptr, nullptr);
  skua::runtime::set_current_thread(nullptr);
  stacks.give(lent);
  EXPECT_NE(both.answer, nullptr);
}

TEST(conventional_calls, run_and_wait_runs_on_the_calling_thread) {
  auto const me = this_thread_number();
  for (int i = 0; i < 50; ++i) {
    skua::task_group group;
    long ran = 0;
    group.run_and_wait([&] { ran = this_thread_number(); });
    EXPECT_EQ(ran, me);
  }
}
