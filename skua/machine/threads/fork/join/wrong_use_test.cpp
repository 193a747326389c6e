// SPDX-License-Identifier: MIT
// Wrong use, as a newcomer would write it, ends with a sentence that names the mistake: in checked builds only.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <csignal>
#include <stdexcept>
#include <thread>

#include "skua/parts/base/platform.hpp"
#include "skua/skua.hpp"
#include "tests/programs/fib.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using skua::testing::fib;
using skua::testing::wait_until;

class wrong_use_DeathTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if constexpr (!skua::runtime::checked) GTEST_SKIP() << "this build checks no preconditions (SKUA_CHECKED=OFF)";
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }
};

/// Two workers; the second child of a join runs misuse(outer here) once it was stolen. (Under `adws` the first one would travel.)
template <class Misuse>
void in_a_stolen_child(Misuse misuse) {
  skua::pool pool({.workers = 2, .policy = "random"});
  pool.run([&](auto& here) {
    std::atomic<bool> stolen{false};
    here.join(
        [&](auto&) {
          while (!stolen) std::this_thread::yield();
        },
        [&](auto&) {
          stolen = true;
          misuse(here);
        });
  });
}

constexpr char const* names_the_here = "precondition broken: a task uses the `here` of another task";

TEST_F(wrong_use_DeathTest, a_join_through_the_outer_here) {
  EXPECT_EXIT(in_a_stolen_child([](auto& outer) { outer.join([](auto&) {}, [](auto&) {}); }),
              ::testing::KilledBySignal(SIGABRT), names_the_here);
}

TEST_F(wrong_use_DeathTest, a_join_of_three_through_the_outer_here) {
  EXPECT_EXIT(in_a_stolen_child([](auto& outer) { outer.join([](auto&) {}, [](auto&) {}, [](auto&) {}); }),
              ::testing::KilledBySignal(SIGABRT), names_the_here);
}

TEST_F(wrong_use_DeathTest, each_through_the_outer_here) {
  EXPECT_EXIT(in_a_stolen_child([](auto& outer) { outer.join_each(std::array{1, 2}, [](auto&, int) {}); }),
              ::testing::KilledBySignal(SIGABRT), names_the_here);
}

TEST_F(wrong_use_DeathTest, a_scope_through_the_outer_here) {
  EXPECT_EXIT(in_a_stolen_child([](auto& outer) { outer.scope([](auto&) {}); }), ::testing::KilledBySignal(SIGABRT),
              names_the_here);
}

TEST_F(wrong_use_DeathTest, a_question_for_a_stop_through_the_outer_here) {
  EXPECT_EXIT(in_a_stolen_child([](auto& outer) { static_cast<void>(outer.stop_requested()); }),
              ::testing::KilledBySignal(SIGABRT), names_the_here);
}

TEST_F(wrong_use_DeathTest, an_algorithm_through_the_outer_here) {
  EXPECT_EXIT(in_a_stolen_child([](auto& outer) { skua::for_each(outer, 0, 1000, [](int) {}); }),
              ::testing::KilledBySignal(SIGABRT), names_the_here);
}

TEST_F(wrong_use_DeathTest, a_fork_of_a_scope_in_a_child) {
  EXPECT_EXIT(skua::pool({.workers = 2}).run([](auto& here) {
    here.scope([&](auto& s) {
      std::atomic<bool> stolen{false};
      s.spawn([&](auto&) {
        stolen = true;
        s.spawn([](auto&) {});
      });
      while (!stolen) std::this_thread::yield();
    });
  }),
              ::testing::KilledBySignal(SIGABRT), names_the_here);
}

TEST_F(wrong_use_DeathTest, the_here_of_a_call_in_another_thread) {
  EXPECT_EXIT(skua::pool({.workers = 1}).run([](auto& here) { std::thread([&] { fib(here, 5); }).join(); }),
              ::testing::KilledBySignal(SIGABRT), names_the_here);
}

TEST_F(wrong_use_DeathTest, a_task_that_destroys_its_own_group) {
  auto const wait_inside = [] {
    auto* const group = new skua::task_group;
    group->run([group] { delete group; });
    group->wait();
  };
  EXPECT_EXIT(wait_inside(), ::testing::KilledBySignal(SIGABRT), "a task of the group must not wait for it");
}

class wrong_use : public wrong_use_DeathTest {};

TEST_F(wrong_use, a_task_group_without_a_wait_is_named) {
  std::atomic<bool> may_end{false};
  std::atomic<bool> ended{false};
  ::testing::internal::CaptureStderr();
  std::thread opener;
  {
    skua::task_group group;
    group.run([&] {
      while (!may_end) std::this_thread::yield();
      ended = true;
    });
    opener = std::thread([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      may_end = true;
    });
  }
  EXPECT_TRUE(ended) << "the destructor waits";
  opener.join();
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("skua: task_group: destroyed while tasks run"),
            std::string::npos);
}

TEST_F(wrong_use, an_exception_that_a_task_group_drops_is_named) {
  ::testing::internal::CaptureStderr();
  {
    skua::task_group group;
    group.run([] { throw std::runtime_error("no space left"); });
  }
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("would have thrown a task's exception: no space left"),
            std::string::npos);
}

TEST_F(wrong_use, a_task_group_that_an_exception_unwinds_says_nothing) {
  ::testing::internal::CaptureStderr();
  try {
    skua::task_group group;
    group.run([] { throw std::runtime_error("no space left"); });
    throw std::logic_error("elsewhere");
  } catch (std::logic_error const&) {}
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(wrong_use_of_a_group, is_found_behind_shields_also_in_a_stolen_child) {
  skua::pool pool({.workers = 2});
  for (bool const is_to_be_stolen : {false, true}) {
    EXPECT_THROW(pool.run([&](auto&) {
      skua::task_group group;
      group.run([&] {
        skua::without_stop([&](auto& shielded) {
          std::atomic<bool> begun{!is_to_be_stolen};
          auto const first = [&](auto&) { wait_until("the other child is stolen", [&] { return begun.load(); }); };
          auto const second = [&](auto&) {
            begun = true;
            skua::without_stop([&] { group.wait(); });
          };
          shielded.join(first, second);
        });
      });
      group.wait();
    }),
                 skua::usage_error);
  }
}

TEST(right_use, a_child_may_use_its_own_here_everywhere) {
  skua::pool pool({.workers = 4});
  std::atomic<int> ran{0};
  pool.run([&](auto& here) {
    here.join_each(std::array{1, 2, 3}, [&](auto& h, int) {
      h.scope([&](auto& s) {
        s.spawn([&](auto& g) {
          skua::task_group group;
          group.run([&](auto& k) { k.join([&](auto&) { ++ran; }, [&](auto&) { ++ran; }); });
          group.wait();
          g.join([&](auto&) { ++ran; }, [&](auto& k) { ran += fib(k, 10) == 55 ? 1 : 0; });
        });
      });
    });
  });
  EXPECT_EQ(ran.load(), 12);
}

}  // namespace
