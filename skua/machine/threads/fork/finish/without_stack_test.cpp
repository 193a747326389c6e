// SPDX-License-Identifier: MIT
// Tasks of a finish region that run on top of a fiber that waits without a stack: they count as ended before that fiber continues.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "skua/machine/threads/engine/loop/no_more_stacks_for_test.hpp"
#include "skua/skua.hpp"
#include "tests/programs/wait_until.hpp"

using skua::testing::no_more_stacks, skua::testing::wait_until;

/// A caller waits for an answer, without a stack. A task of another caller's region runs on top of it, and gives the answer. The caller
/// leaves, and its worker's own thread has nothing to do; the region ends all the same.
TEST(finish_without_stack, ends_when_a_caller_has_left_on_top_of_which_its_last_task_ran) {
  if (!no_more_stacks::is_possible) GTEST_SKIP() << "the sanitizer lives in the address space";
  skua::pool pool({.workers = 2, .stack_bytes = no_more_stacks::bytes});
  no_more_stacks const refused;
  skua::one_shot<> answer;
  std::atomic<int> callers{0};
  std::atomic<bool> has_begun{false};
  std::atomic<bool> has_ended{false};
  auto const come = [&] {
    callers.fetch_add(1);
    EXPECT_TRUE(wait_until("both callers are in a worker's place", [&] { return callers.load() == 2; }));
  };
  std::thread owner([&] {
    pool.run([&](auto& here) {
      come();
      here.finish([&](auto& f) {
        f.spawn([&](auto&) {
          has_begun = true;
          answer.set_value();
        });
        EXPECT_TRUE(wait_until("the other caller takes the task", [&] { return has_begun.load(); }));
      });
      has_ended = true;
    });
  });
  pool.run([&](auto& here) {
    come();
    answer.wait(here);
  });
  bool const ends = wait_until("the region ends", [&] { return has_ended.load(); });
  EXPECT_TRUE(ends);
  if (!ends) pool.run([](auto& here) { here.finish([](auto&) {}); });  // lets go of what was not counted
  owner.join();
}
