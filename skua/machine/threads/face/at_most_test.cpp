// SPDX-License-Identifier: MIT
// Bounds on tasks in flight, on threads: groups and enqueued calls, started from outside, from tasks, and from tasks of their own.
#include "skua/program/at_most.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "skua/skua.hpp"
#include "tests/programs/fib.hpp"
#include "tests/programs/this_thread.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using skua::at_most;
using skua::testing::fib;
using skua::testing::wait_until;

/// Counts tasks that have been started and have not ended, and the most at once.
class in_flight {
 public:
  void begin() {
    std::int64_t const now = ++out_;
    for (std::int64_t most = most_; now > most && !most_.compare_exchange_weak(most, now);) {}
  }
  void end() {
    --out_;
    ++ended_;
  }
  [[nodiscard]] std::int64_t most() const { return most_; }
  [[nodiscard]] std::int64_t ended() const { return ended_; }

 private:
  std::atomic<std::int64_t> out_{0};
  std::atomic<std::int64_t> most_{0};
  std::atomic<std::int64_t> ended_{0};
};

class bounded_group : public ::testing::TestWithParam<std::uint32_t> {};

// One worker runs both tasks one after the other while the group waits.
TEST(bounded_group_on_one_worker, a_task_that_has_ended_leaves_room_for_the_next) {
  skua::pool pool({.workers = 1});
  pool.run([&](auto&) {
    skua::task_group group{at_most{2}};
    int ran_at_once = 0;
    int began = 0;
    for (int i = 0; i < 2; ++i) {
      group.run([&] {
        int const before = began;
        group.run([&] { ++began; });
        ran_at_once += began - before;
      });
    }
    group.wait();
    EXPECT_EQ(ran_at_once, 1) << "beside another task there is no room, alone there is";
  });
}

TEST_P(bounded_group, holds_producers_outside_and_inside_to_its_bound) {
  skua::pool pool({.workers = GetParam()});
  constexpr int producers = 3;
  constexpr int each = 500;
  constexpr int bound = 10;
  in_flight tasks;
  skua::task_group group(at_most{bound});
  auto const produce = [&] {
    for (int i = 0; i < each; ++i) {
      tasks.begin();
      group.run([&](auto& here) {
        EXPECT_EQ(fib(here, 5), 5);
        tasks.end();
      });
    }
  };
  pool.run([&](auto& here) {
    here.scope([&](auto& s) {
      for (int i = 0; i < producers; ++i) s.spawn([&](auto&) { produce(); });
    });
    group.wait();
  });
  std::thread outside(produce);
  outside.join();
  group.wait();
  EXPECT_EQ(tasks.ended(), (producers + 1) * each);
  EXPECT_LE(tasks.most(), bound + producers);
}

TEST_P(bounded_group, lets_its_own_tasks_start_others) {
  skua::pool pool({.workers = GetParam()});
  pool.run([&](auto&) {
    for (int const bound : {0, 1, 3}) {
      skua::task_group group{at_most{bound}};
      std::atomic<int> ran{0};
      std::function<void(int)> const tree = [&](int depth) {
        ++ran;
        for (int i = 0; depth > 0 && i < 3; ++i) group.run([&tree, depth] { tree(depth - 1); });
      };
      group.run([&] { tree(6); });
      EXPECT_EQ(group.wait(), skua::complete);
      EXPECT_EQ(ran.load(), 1093);
    }
  });
}

TEST_P(bounded_group, carries_a_chain_longer_than_any_stack) {
  skua::pool pool({.workers = GetParam()});
  constexpr int links = 100'000;
  pool.run([&](auto&) {
    for (int const bound : {0, 1}) {
      skua::task_group group{at_most{bound}};
      std::atomic<int> ran{0};
      std::function<void()> const link = [&] {
        if (++ran < links) group.run(link);
      };
      group.run(link);
      group.wait();
      EXPECT_EQ(ran.load(), links);
    }
  });
}

TEST_P(bounded_group, goes_on_while_its_tasks_are_parked) {
  skua::pool pool({.workers = GetParam()});
  pool.run([&](auto&) {
    skua::task_group group{at_most{2}};
    skua::one_shot<> first;
    skua::one_shot<> second;
    group.run([&](auto& here) { first.wait(here); });
    group.run([&](auto& here) { second.wait(here); });
    group.run([&] { first.set_value(); });  // there is no room: it runs here
    group.run([&] { second.set_value(); });
    EXPECT_EQ(group.wait(), skua::complete);
  });
}

INSTANTIATE_TEST_SUITE_P(workers, bounded_group, ::testing::Values(1U, 2U, 5U));

TEST(bounded_group_calls, a_task_that_waits_for_the_group_of_its_caller_is_refused) {
  skua::pool pool({.workers = 1});
  pool.run([&](auto&) {
    skua::task_group outer;
    outer.run([&] {
      skua::task_group inner{at_most{0}};
      inner.run([&] { outer.wait(); });
      EXPECT_THROW(inner.wait(), skua::usage_error);
      EXPECT_THROW(inner.run_and_wait([&] { outer.wait(); }), skua::usage_error);
    });
    EXPECT_EQ(outer.wait(), skua::complete);
  });
}

class bounded_calls : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(bounded_calls, hold_producers_to_their_bound) {
  skua::pool pool({.workers = GetParam()});
  constexpr int producers = 3;
  constexpr int each = 500;
  constexpr int bound = 10;
  in_flight tasks;
  auto const produce = [&] {
    for (int i = 0; i < each; ++i) {
      tasks.begin();
      pool.enqueue(at_most{bound}, [&](auto& here) {
        EXPECT_EQ(fib(here, 5), 5);
        tasks.end();
      });
    }
  };
  pool.run([&](auto& here) { here.join([&](auto&) { produce(); }, [&](auto&) { produce(); }); });
  std::thread outside(produce);
  outside.join();
  pool.drain();
  EXPECT_EQ(tasks.ended(), producers * each);
  EXPECT_LE(tasks.most(), bound + producers);
}

TEST_P(bounded_calls, enqueue_others_in_a_chain) {
  skua::pool pool({.workers = GetParam()});
  constexpr int links = 20'000;
  for (int const bound : {0, 1}) {
    std::atomic<int> ran{0};
    std::function<void()> const link = [&] {
      if (++ran < links) skua::enqueue(at_most{bound}, link);
    };
    pool.enqueue(at_most{bound}, link);
    pool.drain();
    EXPECT_EQ(ran.load(), links);
  }
}

TEST_P(bounded_calls, of_tasks_of_another_pool_run_in_theirs) {
  skua::pool other({.workers = 2});
  skua::pool pool({.workers = GetParam(), .name = "bounded"});
  other.run([&](auto&) {
    long const me = skua::testing::this_thread_number();
    std::atomic<int> ran{0};
    for (int i = 0; i < 20; ++i) {
      pool.enqueue(at_most{0}, [&](auto& here) {
        EXPECT_EQ(here.num_workers(), GetParam());
        ++ran;
      });
      EXPECT_EQ(ran.load(), i + 1) << "it has run";
      EXPECT_EQ(skua::testing::this_thread_number(), me);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(workers, bounded_calls, ::testing::Values(1U, 2U, 5U));

TEST(bounded_call, reports_its_exception_as_any_enqueued_task) {
  std::atomic<int> heard{0};
  skua::pool pool({.workers = 1, .on_exception = [&](std::exception_ptr const& why) {
                     EXPECT_THROW(std::rethrow_exception(why), std::runtime_error);
                     ++heard;
                   }});
  pool.enqueue(at_most{0}, [] { throw std::runtime_error("in the caller"); });
  EXPECT_EQ(heard.load(), 1);
  pool.run([&] { pool.enqueue(at_most{0}, [] { throw std::runtime_error("in a task"); }); });
  EXPECT_EQ(heard.load(), 2);
}

TEST(bounded_call, is_not_cut_short_by_what_surrounds_its_caller) {
  skua::pool pool({.workers = 1});
  std::stop_source source;
  bool ran = false;
  pool.run([&](auto& here) {
    here.with_stop(source.get_token(), [&](auto& h) {
      source.request_stop();
      pool.enqueue(at_most{0}, [&](auto& mine) {
        EXPECT_FALSE(mine.stop_requested());
        ran = fib(mine, 10) == 55;
      });
      EXPECT_TRUE(h.stop_requested());
    });
  });
  EXPECT_TRUE(ran);
}

/// It counts since it was deferred, so its start takes no room from other tasks.
TEST(deferred_task, that_a_bounded_group_counts_has_room) {
  skua::pool pool({.workers = 1});
  pool.run([](auto&) {
    skua::task_group group{at_most{1}};
    bool ran = false;
    auto task = group.defer([&] { ran = true; });
    group.run(std::move(task));
    EXPECT_FALSE(ran) << "the only worker is here";
    EXPECT_EQ(group.wait(), skua::complete);
    EXPECT_TRUE(ran);
  });
}

TEST(bounded_call, may_not_drain_its_pool) {
  std::atomic<int> refused{0};
  skua::pool pool({.workers = 1, .on_exception = [&](std::exception_ptr const& why) {
                     EXPECT_THROW(std::rethrow_exception(why), skua::usage_error);
                     ++refused;
                   }});
  pool.enqueue(at_most{0}, [&] { pool.drain(); });
  pool.enqueue([&] { pool.enqueue(at_most{0}, [&] { pool.drain(); }); });
  pool.drain();
  EXPECT_EQ(refused.load(), 2);
}

/// The caller is still inside of the call when the pool may end.
TEST(bounded_call, may_let_another_thread_end_the_pool) {
  for (int i = 0; i < 50; ++i) {
    auto pool = std::make_unique<skua::pool>(skua::pool_options{.workers = 2});
    std::atomic<bool> runs{false};
    std::thread caller([&, to = pool.get()] { to->enqueue(at_most{0}, [&] { runs = true; }); });
    wait_until("the call runs", [&] { return runs.load(); });
    pool.reset();
    caller.join();
  }
}

}  // namespace
