// SPDX-License-Identifier: MIT
// Signals that meet workers: docs/guide/borders.md.
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <thread>
#include <vector>

#include "skua/parts/context/sanitizer.hpp"
#include "skua/skua.hpp"
#include "tests/programs/fib.hpp"
#include "tests/programs/this_thread.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using skua::testing::fib;
using skua::testing::wait_until;

// What the handler touches.
std::atomic<int> handled{0};
std::atomic<bool> handled_on_its_signal_stack{false};

void count(int) {
  int const before = errno;
  stack_t now{};
  ::sigaltstack(nullptr, &now);
  if ((now.ss_flags & SS_ONSTACK) != 0) handled_on_its_signal_stack = true;
  ++handled;
  errno = before;
}

/// While it lives, SIGUSR1 is counted.
class counted_signal {
 public:
  explicit counted_signal(int flags) {
    handled = 0;
    handled_on_its_signal_stack = false;
    struct sigaction act{};
    act.sa_handler = &count;
    act.sa_flags = flags;
    ::sigaction(SIGUSR1, &act, &before_);
  }
  ~counted_signal() { ::sigaction(SIGUSR1, &before_, nullptr); }
  counted_signal(counted_signal const&) = delete;
  counted_signal& operator=(counted_signal const&) = delete;

 private:
  struct sigaction before_{};
};

/// The threads of the pool's workers.
struct worker_threads {
  std::vector<long> all = std::vector<long>(2);
  std::atomic<int> known{0};
  skua::pool_options options() {
    return {.workers = 2, .on_worker_begin = [this](skua::worker_id w) {
              all[index(w)] = skua::testing::this_thread_number();
              ++known;
            }};
  }
};

/// Workers that fork, park, sleep and wake are interrupted all the time.
void storm(int flags) {
  counted_signal const counted(flags);
  worker_threads threads;
  skua::pool pool(threads.options());
  wait_until("the workers begin", [&] { return threads.known == 2; });
  std::atomic<bool> ends{false};
  std::thread sender([&] {
    while (!ends) {
      for (long const thread : threads.all) ::syscall(SYS_tgkill, ::getpid(), thread, SIGUSR1);
      std::this_thread::yield();
    }
  });
  for (int i = 0; i < 50 || handled < 100; ++i) {
    skua::one_shot<int> answer;
    pool.enqueue([&] { answer.set_value(1); });
    EXPECT_EQ(pool.run([&](auto& here) {
      auto const [a, b] = here.join([](auto& h) { return fib(h, 14); }, [&](auto& h) { return answer.wait(h); });
      return a + b;
    }),
              377 + 1);
  }
  ends = true;
  sender.join();
}

TEST(signal_border, a_handler_on_a_worker_disturbs_no_task) {
  storm(0);
  EXPECT_FALSE(handled_on_its_signal_stack);
}

TEST(signal_border, a_handler_may_run_on_the_workers_signal_stack) {
  if (skua::runtime::under_tsan) GTEST_SKIP() << "ThreadSanitizer calls handlers later, from elsewhere";
  storm(SA_ONSTACK);
  EXPECT_TRUE(handled_on_its_signal_stack);
}

TEST(signal_border, workers_have_the_mask_of_the_thread_that_made_the_pool) {
  sigset_t blocked;
  sigset_t before;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGUSR2);
  ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, &blocked, &before), 0);
  std::atomic<int> blocks{0};
  {
    skua::pool pool({.workers = 2, .on_worker_begin = [&](skua::worker_id) {
                       sigset_t mine;
                       ::pthread_sigmask(SIG_BLOCK, nullptr, &mine);
                       blocks += ::sigismember(&mine, SIGUSR2);
                     }});
    ASSERT_EQ(::pthread_sigmask(SIG_SETMASK, &before, nullptr), 0);
  }
  EXPECT_EQ(blocks.load(), 2);
}

}  // namespace
