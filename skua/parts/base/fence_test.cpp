// SPDX-License-Identifier: MIT
#include "skua/parts/base/fence.hpp"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <thread>

#include "skua/parts/base/sync.hpp"

namespace {

constexpr int seccomp_refused = 77;

// Makes membarrier(2) fail with ENOSYS for this process, as on a kernel that was built without it.
bool take_membarrier_away() {
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_membarrier, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog const program{4, rules};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

bool ended_with(int status, int code) { return WIFEXITED(status) && WEXITSTATUS(status) == code; }

[[noreturn]] void leave(bool good) { std::_Exit(good ? 0 : 1); }

// Store buffering: each side writes its word, fences, reads the other's. Counts the rounds in which both read zero.
template <class FrequentFence, class RareFence>
int rounds_where_both_missed(int rounds, FrequentFence frequent_fence, RareFence rare_fence) {
  std::atomic<int> go{0}, done{0}, x{0}, y{0};
  int saw_y = 0;
  int missed = 0;
  std::jthread const frequent([&] {
    for (int round = 1; round <= rounds; ++round) {
      while (go.load(std::memory_order_acquire) != round) std::this_thread::yield();  // pairs with the other side's go
      x.store(round, std::memory_order_relaxed);
      frequent_fence();
      saw_y = y.load(std::memory_order_relaxed);
      done.store(round, std::memory_order_release);  // publishes saw_y
    }
  });
  for (int round = 1; round <= rounds; ++round) {
    go.store(round, std::memory_order_release);  // starts the round
    // The other side sees the new round some 100 ns later: vary the delay, so that the two meet at every distance.
    for (int i = round % 512; i > 0; --i) std::atomic_signal_fence(std::memory_order_seq_cst);  // keeps the loop
    y.store(round, std::memory_order_relaxed);
    rare_fence();
    int const saw_x = x.load(std::memory_order_relaxed);
    while (done.load(std::memory_order_acquire) != round) std::this_thread::yield();  // pairs with done above
    missed += saw_x != round && saw_y != round ? 1 : 0;
  }
  return missed;
}

}  // namespace

TEST(fence, the_answer_stays_and_has_a_reason) {
  auto const first = skua::runtime::fence_kind();
  EXPECT_EQ(first, skua::runtime::fence_kind());
  std::string const expected = first == skua::runtime::fences::asymmetric ? "asymmetric:" : "full:";
  EXPECT_EQ(skua::runtime::fence_reason().substr(0, expected.size()), expected) << skua::runtime::fence_reason();
  std::puts(skua::runtime::fence_reason().c_str());
}

TEST(fence, heavy_and_its_partner_never_both_miss) {
  using skua::runtime::real_sync;
  EXPECT_EQ(rounds_where_both_missed(100'000, real_sync::full_fence, real_sync::heavy_fence), 0);
  EXPECT_EQ(rounds_where_both_missed(100'000, real_sync::full_fence, real_sync::full_fence), 0);
}

TEST(fence, heavy_and_light_never_both_miss) {
  using skua::runtime::real_sync;
  if (real_sync::kind() != skua::runtime::fences::asymmetric) GTEST_SKIP() << skua::runtime::fence_reason();
  EXPECT_EQ(rounds_where_both_missed(100'000, real_sync::light_fence, real_sync::heavy_fence), 0);
}

TEST(fence, a_forked_child_can_still_fence) {
  skua::runtime::heavy_fence();
  pid_t const child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    skua::runtime::heavy_fence();
    std::_Exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

// These tests run in a fresh process, because the decision must still be open.
class fence_in_a_fresh_process : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  // How the process must end; if the kernel did not let it take membarrier(2) away, `impossible_` is set instead.
  auto passes_unless_impossible() {
    return [this](int status) {
      impossible_ = ended_with(status, seccomp_refused);
      return impossible_ || ended_with(status, 0);
    };
  }
  auto dies_unless_impossible() {
    return [this](int status) {
      impossible_ = ended_with(status, seccomp_refused);
      return impossible_ || WIFSIGNALED(status);
    };
  }

  bool impossible_ = false;
  static constexpr auto why_impossible = "this kernel does not let a process take membarrier(2) away from itself";
};

TEST_F(fence_in_a_fresh_process, full_fences_can_be_forced) {
  EXPECT_EXIT(
      {
        skua::runtime::force_full_fences();
        skua::runtime::heavy_fence();
        leave(skua::runtime::fence_kind() == skua::runtime::fences::full &&
              skua::runtime::fence_reason() == "full: asked for");
      },
      ::testing::ExitedWithCode(0), "");
}

TEST_F(fence_in_a_fresh_process, without_membarrier_fences_are_full_and_the_reason_says_so) {
  EXPECT_EXIT(
      {
        if (!take_membarrier_away()) std::_Exit(seccomp_refused);
        skua::runtime::heavy_fence();
        leave(skua::runtime::fence_kind() == skua::runtime::fences::full &&
              skua::runtime::fence_reason() == "full: the kernel refused membarrier(2): Function not implemented");
      },
      passes_unless_impossible(), "");
  if (impossible_) GTEST_SKIP() << why_impossible;
}

TEST_F(fence_in_a_fresh_process, losing_membarrier_later_is_fatal_not_silent) {
  if (skua::runtime::fence_kind() != skua::runtime::fences::asymmetric) GTEST_SKIP() << skua::runtime::fence_reason();
  EXPECT_EXIT(
      {
        if (skua::runtime::fence_kind() != skua::runtime::fences::asymmetric || !take_membarrier_away())
          std::_Exit(seccomp_refused);
        skua::runtime::heavy_fence();
      },
      dies_unless_impossible(), "");
  if (impossible_) GTEST_SKIP() << why_impossible;
}
