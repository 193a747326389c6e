// SPDX-License-Identifier: MIT
#include "skua/parts/context/overflow.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <csetjmp>
#include <csignal>
#include <string>
#include <thread>

#include "skua/parts/context/flow_test.hpp"
#include "skua/parts/context/valgrind.hpp"

namespace skua {
namespace {

using testing::flow;
using testing::seat;

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
  seat worker(number);
  overflow_watch const watch(worker.record());
  stack_pool pool(stack_bytes);
  flow f(pool, [](flow&) { recurse(forever); });
  f.resume();
}

/// Matches a stderr that holds `text` and no message of ours. An emulator may add a line of its own.
std::string only(std::string const& text) { return "^" + text + "(qemu: .*)?$"; }

/// Valgrind reports every fault as an error; its runs leave out the tests that fault on purpose.
class OverflowDeathTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (valgrind::running()) GTEST_SKIP() << "faults on purpose";
  }
};
using Overflow = OverflowDeathTest;

TEST_F(OverflowDeathTest, FullStackNamesWorkerSizeAndOption) {
  EXPECT_EXIT(
      {
        take_default_action();
        overflow_a_fiber(17, 256 << 10);
      },
      ::testing::KilledBySignal(SIGSEGV), "stack overflow on worker 17: .* 256 KiB .*SKUA_STACK.*stack_bytes");
}

TEST_F(OverflowDeathTest, FullStackOfAnotherThreadIsNoticedThere) {
  EXPECT_EXIT(
      {
        take_default_action();
        seat worker(1);
        overflow_watch const watch(worker.record());
        std::thread([] { overflow_a_fiber(2, 512 << 10); }).join();
      },
      ::testing::KilledBySignal(SIGSEGV), "stack overflow on worker 2: .* 512 KiB");
}

TEST_F(OverflowDeathTest, FlowThatMovedNamesTheWorkerThatRunsItNow) {
  EXPECT_EXIT(
      {
        take_default_action();
        stack_pool pool(256 << 10);
        flow f(pool, [](flow& me) {
          me.pause();
          recurse(forever);
        });
        {
          seat worker(1);
          overflow_watch const watch(worker.record());
          f.resume();
        }
        std::thread([&] {
          seat worker(2);
          overflow_watch const watch(worker.record());
          f.resume();
        }).join();
      },
      ::testing::KilledBySignal(SIGSEGV), "stack overflow on worker 2: ");
}

TEST_F(OverflowDeathTest, FullNativeStackIsExplainedToo) {
  EXPECT_EXIT(
      {
        take_default_action();
        std::thread([] {
          seat worker(5);
          overflow_watch const watch(worker.record());
          recurse(forever);
        }).join();
      },
      ::testing::KilledBySignal(SIGSEGV), "stack overflow on worker 5: its thread .* native stack.*ulimit -s");
}

TEST_F(OverflowDeathTest, FullMainThreadIsExplainedToo) {
  EXPECT_EXIT(
      {
        take_default_action();
        seat worker(6);
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

TEST_F(OverflowDeathTest, OtherFaultsStayPlain) {
  EXPECT_EXIT(
      {
        take_default_action();
        seat worker(3);
        overflow_watch const watch(worker.record());
        stack_pool pool;
        flow f(pool, [](flow&) {
          if (write(STDERR_FILENO, "before\n", 7) == 7) *forbidden_page() = 1;
        });
        f.resume();
      },
      ::testing::KilledBySignal(SIGSEGV), only("before\n"));
}

TEST_F(OverflowDeathTest, FaultsOfThreadsThatAreNoWorkersStayPlain) {
  EXPECT_EXIT(
      {
        take_default_action();
        seat worker(3);
        overflow_watch const watch(worker.record());
        std::thread([] {
          if (write(STDERR_FILENO, "before\n", 7) == 7) *forbidden_page() = 1;
        }).join();
      },
      ::testing::KilledBySignal(SIGSEGV), only("before\n"));
}

TEST_F(OverflowDeathTest, SignalThatSomebodySentStillKills) {
  EXPECT_EXIT(
      {
        take_default_action();
        seat worker;
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

TEST_F(OverflowDeathTest, IgnoredSignalStaysIgnoredButAFaultDoesNot) {
  EXPECT_EXIT(
      {
        std::signal(SIGSEGV, SIG_IGN);
        seat worker;
        overflow_watch const watch(worker.record());
        raise(SIGSEGV);
        if (write(STDERR_FILENO, "survived\n", 9) == 9) *forbidden_page() = 1;
      },
      ::testing::KilledBySignal(SIGSEGV), only("survived\n"));
}

TEST_F(OverflowDeathTest, EarlierHandlerHearsOfAnOverflowAfterTheMessage) {
  EXPECT_EXIT(
      {
        install([](int, siginfo_t*, void*) { _exit(write(STDERR_FILENO, "crash reporter\n", 15) == 15 ? 42 : 1); });
        overflow_a_fiber(9, 256 << 10);
      },
      ::testing::ExitedWithCode(42), "stack overflow on worker 9: .*\ncrash reporter\n$");
}

TEST_F(OverflowDeathTest, OneShotHandlerIsCalledOnce) {
  EXPECT_EXIT(
      {
        install([](int, siginfo_t*, void*) { static_cast<void>(!write(STDERR_FILENO, "once\n", 5)); },
                static_cast<int>(SA_RESETHAND));
        seat worker;
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

TEST_F(Overflow, EarlierHandlerGetsForeignFaultsUnchanged) {
  saved_disposition const around;
  install(jump_back);
  seat worker;
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

TEST_F(Overflow, EarlierHandlerOfThePlainKindIsCalled) {
  saved_disposition const around;
  std::signal(SIGSEGV, hear);
  seat worker;
  overflow_watch const watch(worker.record());
  signals_heard = 0;
  raise(SIGSEGV);
  EXPECT_EQ(signals_heard, 1);
}

TEST_F(Overflow, HandlerComesWithTheFirstWatchAndGoesWithTheLast) {
  saved_disposition const around;
  install(jump_back);
  seat worker;
  {
    overflow_watch const first(worker.record());
    EXPECT_FALSE(installed(jump_back));
    std::thread([] {
      seat other(1);
      overflow_watch const second(other.record());
    }).join();
    EXPECT_FALSE(installed(jump_back)) << "one watch is left";
  }
  EXPECT_TRUE(installed(jump_back));
}

TEST_F(Overflow, LaterHandlerIsNotTakenOut) {
  saved_disposition const around;
  install(jump_back);
  seat worker;
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

TEST_F(Overflow, SignalStackIsTheThreadsOwnIfItHasOne) {
  std::thread([] {
    stack_t before{};
    sigaltstack(nullptr, &before);
    seat worker;
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

}  // namespace
}  // namespace skua
