// SPDX-License-Identifier: MIT
#include "skua/parts/context/overflow.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csetjmp>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "skua/parts/context/flow_test.hpp"
#include "skua/parts/context/sanitizer.hpp"
#include "skua/parts/context/valgrind.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

using testing::flow;
using testing::worker_thread;

/// Recursion that no optimiser turns into a loop.
[[gnu::noinline]] int recurse(int depth) {
  std::array<char, 512> frame{};
  auto* volatile pinned = frame.data();
  pinned[0] = static_cast<char>(depth);
  if (depth == 0) return 0;
  return recurse(depth - 1) + pinned[0];
}

constexpr int forever = 1 << 30;

/// Each test chooses the next handler in the chain; sanitizers install one of their own.
void take_default_action() { std::signal(SIGSEGV, SIG_DFL); }

void overflow_a_fiber(std::uint32_t number, std::size_t stack_bytes) {
  worker_thread worker(number);
  overflow_watch const watch(worker.record());
  stack_pool pool(stack_bytes);
  flow f(pool, [](flow&) { recurse(forever); });
  f.resume();
}

/// Matches a stderr that holds `text` and no message of ours. An emulator may add a line of its own.
std::string only(std::string const& text) { return "^" + text + "(qemu: .*)?$"; }

/// Valgrind reports every fault as an error; its runs leave out the tests that fault on purpose.
class overflow_DeathTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (valgrind::running()) GTEST_SKIP() << "valgrind reports the faults that these tests make on purpose";
  }
};
using overflow = overflow_DeathTest;

TEST_F(overflow_DeathTest, full_stack_names_worker_size_and_option) {
  EXPECT_EXIT(
      {
        take_default_action();
        overflow_a_fiber(17, 256 << 10);
      },
      ::testing::KilledBySignal(SIGSEGV), "stack overflow on worker 17: .* 256 KiB .*SKUA_STACK.*stack_bytes");
}

TEST_F(overflow_DeathTest, full_stack_of_another_thread_is_noticed_there) {
  EXPECT_EXIT(
      {
        take_default_action();
        worker_thread worker(1);
        overflow_watch const watch(worker.record());
        std::thread([] { overflow_a_fiber(2, 512 << 10); }).join();
      },
      ::testing::KilledBySignal(SIGSEGV), "stack overflow on worker 2: .* 512 KiB");
}

TEST_F(overflow_DeathTest, flow_that_moved_names_the_worker_that_runs_it_now) {
  EXPECT_EXIT(
      {
        take_default_action();
        stack_pool pool(256 << 10);
        flow f(pool, [](flow& me) {
          me.pause();
          recurse(forever);
        });
        {
          worker_thread worker(1);
          overflow_watch const watch(worker.record());
          f.resume();
        }
        std::thread([&] {
          worker_thread worker(2);
          overflow_watch const watch(worker.record());
          f.resume();
        }).join();
      },
      ::testing::KilledBySignal(SIGSEGV), "stack overflow on worker 2: ");
}

TEST_F(overflow_DeathTest, full_native_stack_is_explained_too) {
  EXPECT_EXIT(
      {
        take_default_action();
        std::thread([] {
          worker_thread worker(5);
          overflow_watch const watch(worker.record());
          recurse(forever);
        }).join();
      },
      ::testing::KilledBySignal(SIGSEGV), "stack overflow on worker 5: its thread .* native stack.*ulimit -s");
}

TEST_F(overflow_DeathTest, a_full_stack_of_a_thread_from_outside_is_explained_too) {
  for (bool const on_main : {true, false}) {
    EXPECT_EXIT(
        {
          take_default_action();
          worker_thread worker(5);
          overflow_watch const watch(worker.record());
          auto const call = [] {
            watch_thread_from_outside();
            thread_record record;
            record.worker = 3;
            skua::runtime::thread_owner worker;
            record.owner = &worker;
            set_current_thread(&record);
            recurse(forever);
          };
          on_main ? call() : std::thread(call).join();
        },
        ::testing::KilledBySignal(SIGSEGV), "on worker 3: it works for a thread .* KiB of that thread's own stack");
  }
}

TEST_F(overflow_DeathTest, a_thread_from_outside_outside_of_its_call_is_none_of_ours) {
  EXPECT_EXIT(
      {
        take_default_action();
        worker_thread worker(5);
        overflow_watch const watch(worker.record());
        std::thread([] {
          watch_thread_from_outside();
          recurse(forever);
        }).join();
      },
      ::testing::KilledBySignal(SIGSEGV), only(""));
}

TEST_F(overflow, a_thread_from_outside_gives_its_signal_stack_back_at_its_end) {
  stack_t before{};
  stack_t after{};
  std::thread([&] {
    watch_thread_from_outside();
    sigaltstack(nullptr, &before);
    watch_thread_from_outside();
    sigaltstack(nullptr, &after);
  }).join();
  EXPECT_EQ(before.ss_flags & SS_DISABLE, 0);
  EXPECT_EQ(before.ss_sp, after.ss_sp);
  EXPECT_NE(msync(before.ss_sp, 1, MS_ASYNC), 0) << "nothing is mapped there any more";
}

TEST_F(overflow_DeathTest, full_main_thread_is_explained_too) {
  EXPECT_EXIT(
      {
        take_default_action();
        worker_thread worker(6);
        overflow_watch const watch(worker.record());
        recurse(forever);
      },
      ::testing::KilledBySignal(SIGSEGV), "stack overflow on worker 6: its thread .* native stack");
}

/// A page that may not be touched, far from every stack.
int volatile* forbidden_page() {
  void* const page = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return static_cast<int volatile*>(page);
}

TEST_F(overflow_DeathTest, other_faults_stay_plain) {
  EXPECT_EXIT(
      {
        take_default_action();
        worker_thread worker(3);
        overflow_watch const watch(worker.record());
        stack_pool pool;
        flow f(pool, [](flow&) {
          if (write(STDERR_FILENO, "before\n", 7) == 7) *forbidden_page() = 1;
        });
        f.resume();
      },
      ::testing::KilledBySignal(SIGSEGV), only("before\n"));
}

TEST_F(overflow_DeathTest, a_wild_write_into_the_guard_stays_plain) {
  EXPECT_EXIT(
      {
        take_default_action();
        worker_thread worker(3);
        overflow_watch const watch(worker.record());
        stack_pool pool;
        flow f(pool, [&](flow&) {
          auto* const guard = reinterpret_cast<int volatile*>(worker.record().running->guard().high - 64);
          if (write(STDERR_FILENO, "before\n", 7) == 7) *guard = 1;
        });
        f.resume();
      },
      ::testing::KilledBySignal(SIGSEGV), only("before\n"));
}

TEST_F(overflow_DeathTest, a_wild_write_into_the_native_guard_stays_plain) {
  EXPECT_EXIT(
      {
        take_default_action();
        std::thread([] {
          worker_thread worker(3);
          overflow_watch const watch(worker.record());
          auto* const guard = reinterpret_cast<int volatile*>(worker.record().native_guard.low + guard_bytes - 64);
          if (write(STDERR_FILENO, "before\n", 7) == 7) *guard = 1;
        }).join();
      },
      ::testing::KilledBySignal(SIGSEGV), only("before\n"));
}

/// Writes at the far end of a frame of `bytes`, far below what the caller has used.
[[gnu::noinline]] int use_a_large_frame(std::size_t bytes) {
  auto* const low = static_cast<char volatile*>(__builtin_alloca(bytes));
  for (std::size_t i = bytes; i > 0; i -= 256) low[i - 1] = 1;
  return low[0];
}

TEST_F(overflow_DeathTest, a_frame_larger_than_what_is_left_is_an_overflow) {
  EXPECT_EXIT(
      {
        take_default_action();
        worker_thread worker(8);
        overflow_watch const watch(worker.record());
        stack_pool pool(256 << 10);
        flow f(pool, [](flow&) { use_a_large_frame(400 << 10); });
        f.resume();
      },
      ::testing::KilledBySignal(SIGSEGV), "stack overflow on worker 8: .* 256 KiB");
}

TEST_F(overflow_DeathTest, faults_of_threads_that_are_no_workers_stay_plain) {
  EXPECT_EXIT(
      {
        take_default_action();
        worker_thread worker(3);
        overflow_watch const watch(worker.record());
        std::thread([] {
          if (write(STDERR_FILENO, "before\n", 7) == 7) *forbidden_page() = 1;
        }).join();
      },
      ::testing::KilledBySignal(SIGSEGV), only("before\n"));
}

TEST_F(overflow_DeathTest, signal_that_somebody_sent_still_kills) {
  EXPECT_EXIT(
      {
        take_default_action();
        worker_thread worker;
        overflow_watch const watch(worker.record());
        raise(SIGSEGV);
      },
      ::testing::KilledBySignal(SIGSEGV), only(""));
}

void install(void (*act)(int, siginfo_t*, void*), int more_flags = 0) {
  struct sigaction action = {};
  action.sa_sigaction = act;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | more_flags;
  sigaction(SIGSEGV, &action, nullptr);
}

TEST_F(overflow_DeathTest, ignored_signal_stays_ignored_but_a_fault_does_not) {
  EXPECT_EXIT(
      {
        std::signal(SIGSEGV, SIG_IGN);
        worker_thread worker;
        overflow_watch const watch(worker.record());
        raise(SIGSEGV);
        if (write(STDERR_FILENO, "survived\n", 9) == 9) *forbidden_page() = 1;
      },
      ::testing::KilledBySignal(SIGSEGV), only("survived\n"));
}

TEST_F(overflow_DeathTest, earlier_handler_hears_of_an_overflow_after_the_message) {
  EXPECT_EXIT(
      {
        install([](int, siginfo_t*, void*) { _exit(write(STDERR_FILENO, "crash reporter\n", 15) == 15 ? 42 : 1); });
        overflow_a_fiber(9, 256 << 10);
      },
      ::testing::ExitedWithCode(42), "stack overflow on worker 9: .*\ncrash reporter\n$");
}

TEST_F(overflow_DeathTest, one_shot_handler_is_called_once) {
  EXPECT_EXIT(
      {
        install([](int, siginfo_t*, void*) { static_cast<void>(!write(STDERR_FILENO, "once\n", 5)); },
                static_cast<int>(SA_RESETHAND));
        worker_thread worker;
        overflow_watch const watch(worker.record());
        *forbidden_page() = 1;
      },
      ::testing::KilledBySignal(SIGSEGV), only("once\n"));
}

sigjmp_buf back;
void* volatile fault_address = nullptr;
int volatile signals_heard = 0;

void jump_back(int, siginfo_t* info, void*) {
  fault_address = info->si_addr;
  signals_heard = signals_heard + 1;
  siglongjmp(back, 1);
}

/// Restores the disposition that it found.
class saved_disposition {
 public:
  saved_disposition() { sigaction(SIGSEGV, nullptr, &before_); }
  ~saved_disposition() { sigaction(SIGSEGV, &before_, nullptr); }
  saved_disposition(saved_disposition const&) = delete;
  saved_disposition& operator=(saved_disposition const&) = delete;

 private:
  struct sigaction before_ = {};
};

bool installed(void (*act)(int, siginfo_t*, void*)) {
  struct sigaction now = {};
  sigaction(SIGSEGV, nullptr, &now);
  return (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == act;
}

TEST_F(overflow, earlier_handler_gets_foreign_faults_unchanged) {
  saved_disposition const around;
  install(jump_back);
  worker_thread worker;
  overflow_watch const watch(worker.record());
  EXPECT_FALSE(installed(jump_back));
  signals_heard = 0;
  int volatile* const page = forbidden_page();
  auto const fault_once = [page] {
    if (sigsetjmp(back, 1) == 0) *page = 1;
    EXPECT_EQ(fault_address, page);
  };
  for (int i = 0; i < 3; ++i) fault_once();
  EXPECT_EQ(signals_heard, 3);
}

void hear(int) { signals_heard = signals_heard + 1; }

TEST_F(overflow, earlier_handler_of_the_plain_kind_is_called) {
  saved_disposition const around;
  std::signal(SIGSEGV, hear);
  worker_thread worker;
  overflow_watch const watch(worker.record());
  signals_heard = 0;
  raise(SIGSEGV);
  EXPECT_EQ(signals_heard, 1);
}

TEST_F(overflow, handler_comes_with_the_first_watch_and_goes_with_the_last) {
  saved_disposition const around;
  install(jump_back);
  worker_thread worker;
  {
    overflow_watch const first(worker.record());
    EXPECT_FALSE(installed(jump_back));
    std::thread([] {
      worker_thread other(1);
      overflow_watch const second(other.record());
    }).join();
    EXPECT_FALSE(installed(jump_back)) << "one watch is left";
  }
  EXPECT_TRUE(installed(jump_back));
}

/// Whatever the other threads of its parent were doing: watches come and go there all the time.
TEST_F(overflow, a_child_of_fork_can_be_watched) {
  if (under_tsan) GTEST_SKIP() << "ThreadSanitizer allows no new threads in a child of fork()";
  std::atomic<bool> ends{false};
  std::vector<std::jthread> others;
  for (std::uint32_t i = 0; i < 3; ++i) {
    others.emplace_back([&ends, i] {
      worker_thread worker(i + 1);
      while (!ends) overflow_watch const watch(worker.record());
    });
  }
  for (int i = 0; i < 100 && !HasFailure(); ++i) {
    pid_t const child = ::fork();
    if (child == 0) {
      ::alarm(20);
      worker_thread worker;
      { overflow_watch const watch(worker.record()); }
      std::thread([] { static_cast<void>(watch_thread_from_outside()); }).join();
      ::_exit(0);
    }
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "child " << i << " hangs";
  }
  ends = true;
}

TEST_F(overflow, later_handler_is_not_taken_out) {
  saved_disposition const around;
  install(jump_back);
  worker_thread worker;
  struct sigaction ours = {};
  {
    overflow_watch const watch(worker.record());
    sigaction(SIGSEGV, nullptr, &ours);
    std::signal(SIGSEGV, hear);
  }
  struct sigaction now = {};
  sigaction(SIGSEGV, nullptr, &now);
  EXPECT_EQ(now.sa_handler, hear);
  // When the later handler goes, ours is at the head again and still passes faults on; the next last watch removes it.
  sigaction(SIGSEGV, &ours, nullptr);
  signals_heard = 0;
  if (sigsetjmp(back, 1) == 0) *forbidden_page() = 1;
  EXPECT_EQ(signals_heard, 1);
  { overflow_watch const again(worker.record()); }
  EXPECT_TRUE(installed(jump_back));
}

TEST_F(overflow, signal_stack_is_the_threads_own_if_it_has_one) {
  std::thread([] {
    stack_t before{};
    sigaltstack(nullptr, &before);
    worker_thread worker;
    {
      overflow_watch const watch(worker.record());
      stack_t during{};
      sigaltstack(nullptr, &during);
      EXPECT_EQ(during.ss_flags & SS_DISABLE, 0);
      if ((before.ss_flags & SS_DISABLE) == 0) {
        EXPECT_EQ(during.ss_sp, before.ss_sp);
      }
    }
    stack_t after{};
    sigaltstack(nullptr, &after);
    EXPECT_EQ(after.ss_flags & SS_DISABLE, before.ss_flags & SS_DISABLE);
  }).join();
}

}}}}  // namespace skua::v0::runtime
