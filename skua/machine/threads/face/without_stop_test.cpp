// SPDX-License-Identifier: MIT
// What forks in a destructor, or in a function that is noexcept, can be shielded from what happens around it.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <stdexcept>
#include <stop_token>

#include "skua/policy/combinations_for_test.hpp"
#include "skua/skua.hpp"

namespace {

constexpr int all = 100;

/// Calls test() in a task around which a stop has been requested, and in one whose sibling has failed, under every policy.
void where_all_was_asked_to_end(std::function<void(skua::runtime::here&)> const& test) {
  for (std::string const& policy : skua::testing::whole_policies()) {
    for (std::uint32_t const workers : {1U, 2U, 4U}) {
      SCOPED_TRACE(::testing::Message() << policy << " on " << workers);
      skua::pool pool({.workers = workers, .policy = policy});
      std::stop_source stop;
      pool.run([&](auto& here) {
        try {
          here.with_stop(stop.get_token(), [&](auto& inside) {
            stop.request_stop();
            test(inside);
            EXPECT_TRUE(inside.stop_requested()) << "behind the shield all is as it was";
          });
        } catch (skua::cancelled const&) {}
        skua::task_group group;
        group.run([&](auto& h) {
          group.cancel();
          test(h);
          EXPECT_TRUE(h.stop_requested());
        });
        group.wait();
      });
    }
  }
}

/// Each visits `all` elements.
void loops(std::atomic<int>& ran) {
  skua::parallel_for(0, all, [&](int) { ++ran; }, skua::simple_partitioner{});
}

TEST(without_stop, runs_loops_to_their_end) {
  where_all_was_asked_to_end([](auto&) {
    std::atomic<int> ran{0};
    skua::without_stop([&] { loops(ran); });
    EXPECT_EQ(ran, all);
  });
}

TEST(without_stop, runs_native_forks_to_their_end) {
  where_all_was_asked_to_end([](auto& outer) {
    std::atomic<int> ran{0};
    skua::without_stop([&](auto& here) {
      EXPECT_FALSE(here.stop_requested());
      skua::for_each(here, 0, all, [&](int) { ++ran; }, skua::grain{1});
      auto [a, b] = here.join([](auto&) { return 1; }, [](auto&) { return 2; });
      EXPECT_EQ(a + b, 3);
    });
    skua::without_stop([&] { outer.join([&](auto&) { ++ran; }, [&](auto&) { ++ran; }); });
    EXPECT_EQ(ran, all + 2);
  });
}

TEST(without_stop, ends_at_its_own_stops_and_failures) {
  where_all_was_asked_to_end([](auto&) {
    skua::without_stop([&](auto& here) {
      std::stop_source own;
      own.request_stop();
      EXPECT_THROW(here.with_stop(own.get_token(), [](auto&) {}), skua::cancelled);
      EXPECT_THROW(here.join([](auto&) { throw std::runtime_error("own"); }, [](auto&) {}), std::runtime_error);
    });
  });
}

TEST(without_stop, may_be_called_by_a_thread_from_outside) {
  EXPECT_EQ(skua::without_stop([] { return 3; }), 3);
}

TEST(isolated_contexts, run_loops_to_their_end) {
  where_all_was_asked_to_end([](auto&) {
    std::atomic<int> ran{0};
    skua::task_group_context alone(skua::task_group_context::isolated);
    skua::parallel_for(0, all, [&](int) { ++ran; }, skua::simple_partitioner{}, alone);
    EXPECT_EQ(ran, all);
    EXPECT_FALSE(alone.is_group_execution_cancelled());
  });
}

TEST(isolated_contexts, can_be_cancelled_themselves) {
  where_all_was_asked_to_end([](auto&) {
    skua::task_group_context alone(skua::task_group_context::isolated);
    alone.cancel_group_execution();
    skua::parallel_for(0, all, [](int) { FAIL(); }, alone);
  });
}

/// Loops when it is destroyed.
struct flush_at_end {
  ~flush_at_end() { loops(ran); }
  std::atomic<int>& ran;
};

TEST(destructors, that_run_while_an_exception_unwinds_finish_their_loops) {
  where_all_was_asked_to_end([](auto&) {
    std::atomic<int> ran{0};
    try {
      flush_at_end const last{ran};
      throw std::runtime_error("unwinds");
    } catch (std::runtime_error const&) {}
    EXPECT_EQ(ran, all);
  });
}

TEST(destructors, of_a_loops_bodies_finish_behind_a_shield_whoever_fails) {
  struct shielded_flush {
    ~shielded_flush() {
      skua::without_stop([&] { loops(ran); });
    }
    std::atomic<int>& ran;
  };
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> ran{0};
    std::atomic<int> begun{0};
    EXPECT_THROW(skua::parallel_for(
                     0, 8,
                     [&](int i) {
                       ++begun;
                       shielded_flush const at_end{ran};
                       if (i == 7) throw std::runtime_error("a sibling fails");
                     },
                     skua::simple_partitioner{}),
                 std::runtime_error);
    EXPECT_EQ(ran, all * begun);
  }
}

}  // namespace
