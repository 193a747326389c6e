// SPDX-License-Identifier: MIT
// When a thread is lent (lent_thread.md): again where the system had refused one, and not while the workers get on. And what enqueue
// refuses in a child of fork().
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>

#include "skua/machine/threads/engine/callers/lent_thread.hpp"
#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/machine/threads/engine/core/region.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/skua.hpp"
#include "tests/programs/refused_threads.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using namespace std::chrono_literals;
using skua::testing::wait_until;

skua::runtime::lent_thread const& lent_of(skua::pool& pool) { return *skua::runtime::core_of(pool).lent(); }

/// At least one of these rounds ends without a lent thread, although a task was enqueued and the worker runs nothing else.
template <class Work>
bool is_left_alone_once(Work const& work) {
  bool was_left_alone = false;
  for (int round = 0; round < 20 && !was_left_alone; ++round) {
    skua::pool pool({.workers = 1});
    pool.run([&](auto& here) {
      pool.enqueue([] {});
      auto const end = std::chrono::steady_clock::now() + 200ms;
      while (std::chrono::steady_clock::now() < end && lent_of(pool).ran() == 0) work(here);
      was_left_alone = lent_of(pool).ran() == 0;
    });
    pool.drain();
  }
  return was_left_alone;
}

}  // namespace

TEST(lent_later, where_the_system_had_refused_a_thread_and_says_that_it_runs_a_task) {
  if (skua::runtime::under_tsan || skua::runtime::under_asan) GTEST_SKIP() << "the sanitizer makes the threads";
  skua::pool pool({.workers = 1});
  std::atomic<int> ran{0};
  pool.run([&](auto&) {
    {
      skua::testing::threads_are_refused const for_now;
      pool.enqueue([&] { ++ran; });
    }
    EXPECT_EQ(ran, 0);
    std::atomic<bool> said_so{false};
    std::array<char, 16> name{};
    pool.enqueue([&] {
      said_so = lent_of(pool).runs_one();
      ::prctl(PR_GET_NAME, name.data());
      ++ran;
    });
    wait_until("a lent thread runs both", [&] { return ran == 2; });
    EXPECT_TRUE(said_so);
    EXPECT_STREQ(name.data(), "skua/lent");
    wait_until("it rests", [&] { return !lent_of(pool).runs_one(); });
  });
}

/// The worker does nothing but spawn and call, so that it never takes what is enqueued. That takes several times as long as the lent
/// thread's patience with a worker that does not get on; on a busy machine the worker may be kept off its processor for so long.
TEST(lent_later, not_while_the_only_worker_gets_on) {
  auto const spawn = [](auto& here) { here.finish([](auto& f) { f.spawn([](auto&) {}); }); };
  auto const fork = [](auto& here) {
    for (int i = 0; i < 1000; ++i) here.join([](auto&) {}, [](auto&) {});
  };
  EXPECT_TRUE(is_left_alone_once(spawn));
  EXPECT_TRUE(is_left_alone_once(fork));
}

TEST(lent_later, or_never_in_a_child_of_fork_where_enqueue_refuses) {
  if (skua::runtime::under_tsan) GTEST_SKIP() << "ThreadSanitizer does not follow a fork of a process with threads";
  skua::pool pool({.workers = 1});
  pool.drain();
  pid_t const child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    int refused = 0;
    for (bool const is_bounded : {false, true}) {
      try {
        is_bounded ? pool.enqueue(skua::at_most{1}, [] {}) : pool.enqueue([] {});
      } catch (skua::error const&) {
        ++refused;
      }
    }
    ::_exit(refused == 2 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}
