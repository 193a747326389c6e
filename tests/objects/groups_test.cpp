// SPDX-License-Identifier: MIT
// What tasks are started through: groups and handles, finish regions, scopes, feeders, in every use of docs/guide/objects.md.
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <optional>
#include <thread>
#include <vector>

#include "skua/skua.hpp"
#include "tests/objects/object_uses.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using skua::testing::can_move;
using skua::testing::in_two_threads;
using skua::testing::misuse_DeathTest;
using skua::testing::wait_until;

constexpr char const* another_here = "precondition broken: a task uses the `here` of another task";

TEST(task_group_object, two_threads_at_once_works) {
  skua::task_group group;
  std::atomic<int> ran{0};
  in_two_threads([&] {
    for (int i = 0; i < 50; ++i) group.run([&] { ++ran; });
    group.wait();
  });
  EXPECT_EQ(ran.load(), 100);
}

TEST(task_group_object, by_its_own_task_works) {
  skua::task_group group;
  std::atomic<int> ran{0};
  group.run([&] {
    group.run([&] { ++ran; });
    auto later = group.defer([&] { ++ran; });
    group.run(std::move(later));
    EXPECT_FALSE(group.is_canceling());
  });
  group.wait();
  EXPECT_EQ(ran.load(), 2);
}

TEST(task_group_object, by_its_own_task_a_wait_is_refused) {
  skua::task_group group;
  group.run([&] { group.wait(); });
  EXPECT_THROW(group.wait(), skua::usage_error);
}

TEST(task_group_object, while_it_ends_its_tasks_may_use_it) {
  std::atomic<int> ran{0};
  {
    skua::task_group group;
    group.run([&] { group.run([&] { ++ran; }); });
  }
  EXPECT_EQ(ran.load(), 1);
}

TEST(task_group_object, after_its_end_it_is_as_new) {
  skua::task_group group;
  group.run([] { throw 1; });
  EXPECT_THROW(group.wait(), int);
  bool ran = false;
  group.run([&] { ran = true; });
  EXPECT_EQ(group.wait(), skua::complete);
  EXPECT_TRUE(ran);
}

TEST(task_group_object, moved_from_does_not_compile) { EXPECT_FALSE(can_move<skua::task_group>); }

TEST(task_handle_object, two_threads_at_once_may_pass_it_on) {
  skua::task_group group;
  bool ran = false;
  std::thread([&, handle = group.defer([&] { ran = true; })]() mutable { group.run(std::move(handle)); }).join();
  group.wait();
  EXPECT_TRUE(ran);
}

TEST(task_handle_object, by_its_own_task_works) {
  skua::task_group group;
  std::atomic<int> ran{0};
  skua::task_handle second = group.defer([&] { ++ran; });
  group.run([&] { group.run(std::move(second)); });
  group.wait();
  EXPECT_EQ(ran.load(), 1);
}

TEST(task_handle_object, while_it_ends_its_task_is_dropped) {
  skua::task_group group;
  bool ran = false;
  {
    skua::task_handle const dropped = group.defer([&] { ran = true; });
  }
  EXPECT_EQ(group.wait(), skua::complete);
  EXPECT_FALSE(ran);
}

TEST(task_handle_object, after_its_end_it_is_refused) {
  skua::task_group group;
  skua::task_handle handle = group.defer([] {});
  group.run(std::move(handle));
  EXPECT_THROW(group.run(std::move(handle)), skua::usage_error);           // NOLINT(bugprone-use-after-move)
  EXPECT_THROW(group.run_and_wait(std::move(handle)), skua::usage_error);  // NOLINT(bugprone-use-after-move)
  group.wait();
}

TEST(task_handle_object, moved_from_is_empty_and_refused) {
  skua::task_group group;
  skua::task_handle handle = group.defer([] {});
  skua::task_handle other = std::move(handle);
  EXPECT_FALSE(handle);  // NOLINT(bugprone-use-after-move)
  EXPECT_THROW(group.run(std::move(handle)), skua::usage_error);
  group.run(std::move(other));
  group.wait();
}

TEST(finish_object, by_its_own_task_each_has_its_own) {
  skua::pool pool({.workers = 2});
  std::atomic<int> ran{0};
  pool.run([&](auto& here) {
    here.finish([&](auto& f) {
      f.spawn([&](auto& inner) {
        inner.spawn([&](auto&) { ++ran; });
        ++ran;
      });
    });
  });
  EXPECT_EQ(ran.load(), 2);
}

class finish_object_DeathTest : public misuse_DeathTest {};

TEST_F(finish_object_DeathTest, two_threads_at_once_are_named) {
  auto const misuse = [] {
    skua::pool(2).run(
        [](auto& here) { here.finish([](auto& f) { std::thread([&] { f.spawn([](auto&) {}); }).join(); }); });
  };
  EXPECT_EXIT(misuse(), ::testing::KilledBySignal(SIGABRT), another_here);
}

TEST_F(finish_object_DeathTest, by_its_own_task_the_outer_one_is_named) {
  auto const misuse = [] {
    skua::pool(2).run([](auto& here) {
      here.finish([](auto& f) {
        std::atomic<bool> stolen{false};
        f.spawn([&](auto&) {
          stolen = true;
          f.spawn([](auto&) {});
        });
        while (!stolen) std::this_thread::yield();
      });
    });
  };
  EXPECT_EXIT(misuse(), ::testing::KilledBySignal(SIGABRT), another_here);
}

TEST(finish_object, while_it_ends_its_tasks_may_spawn) {
  skua::pool pool({.workers = 2});
  std::atomic<int> ran{0};
  pool.run([&](auto& here) {
    here.finish([&](auto& f) {
      f.spawn([&](auto& a) { a.spawn([&](auto& b) { b.spawn([&](auto&) { ++ran; }); }); });
    });  // the body has returned
  });
  EXPECT_EQ(ran.load(), 1);
}

TEST(finish_object, moved_from_does_not_compile) {
  skua::pool(1).run(
      [](auto& here) { here.finish([](auto& f) { EXPECT_FALSE(can_move<std::remove_reference_t<decltype(f)>>); }); });
}

class scope_object_DeathTest : public misuse_DeathTest {};

TEST_F(scope_object_DeathTest, two_threads_at_once_are_named) {
  auto const misuse = [] {
    skua::pool(2).run(
        [](auto& here) { here.scope([](auto& s) { std::thread([&] { s.spawn([](auto&) {}); }).join(); }); });
  };
  EXPECT_EXIT(misuse(), ::testing::KilledBySignal(SIGABRT), another_here);
}

TEST_F(scope_object_DeathTest, by_its_own_task_a_fork_is_named) {
  auto const misuse = [] {
    skua::pool(2).run([](auto& here) {
      here.scope([](auto& s) {
        std::atomic<bool> stolen{false};
        s.spawn([&](auto&) {
          stolen = true;
          s.spawn([](auto&) {});
        });
        while (!stolen) std::this_thread::yield();
      });
    });
  };
  EXPECT_EXIT(misuse(), ::testing::KilledBySignal(SIGABRT), another_here);
}

TEST(scope_object, moved_from_does_not_compile) {
  skua::pool(1).run(
      [](auto& here) { here.scope([](auto& s) { EXPECT_FALSE(can_move<std::remove_reference_t<decltype(s)>>); }); });
}

TEST(feeder_object, two_threads_at_once_works) {
  std::vector<int> const first(20, 3);
  std::atomic<int> calls{0};
  skua::parallel_for_each(first, [&](int n, skua::feeder<int>& more) {
    ++calls;
    if (n > 0) more.add(n - 1);
  });
  EXPECT_EQ(calls.load(), 80);
}

TEST(feeder_object, by_its_own_task_works_in_a_loop_of_the_body) {
  std::vector<int> const first{1};
  std::atomic<int> calls{0};
  skua::parallel_for_each(first, [&](int n, skua::feeder<int>& more) {
    ++calls;
    if (n > 0) skua::parallel_for(0, 10, [&](int) { more.add(0); });
  });
  EXPECT_EQ(calls.load(), 11);
}

TEST(feeder_object, while_it_ends_items_may_add_items) {
  std::vector<int> const first{100};
  std::atomic<int> calls{0};
  skua::parallel_for_each(first, [&](int n, skua::feeder<int>& more) {
    ++calls;
    if (n > 0) more.add(n - 1);  // the elements are done
  });
  EXPECT_EQ(calls.load(), 101);
}

TEST(feeder_object, moved_from_does_not_compile) { EXPECT_FALSE(can_move<skua::feeder<int>>); }

}  // namespace
