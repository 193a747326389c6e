// SPDX-License-Identifier: MIT
// A bell: threads block until it is rung. std::atomic::wait yields the processor four times before it blocks, and on a busy machine each yield may
// cost a time slice.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

namespace skua { inline namespace v0 { namespace openmp {

/// A waiter reads `heard()`, then its condition, and calls `await(heard)`. A ringer makes the condition true, and calls `ring`.
class bell {
 public:
  [[nodiscard]] std::uint32_t heard() const noexcept {
    return rung_.load(std::memory_order_seq_cst);  // seq_cst: before the condition is read
  }
  /// Returns when the bell was rung after `heard` was read, or earlier.
  void await(std::uint32_t heard) noexcept {
    blocked_.fetch_add(1,
                       std::memory_order_seq_cst);  // seq_cst: either the ringer sees us, or the kernel the new number
    ::syscall(SYS_futex, &rung_, FUTEX_WAIT_PRIVATE, heard, nullptr, nullptr, 0);
    blocked_.fetch_sub(
        1, std::memory_order_relaxed);  // relaxed: a ringer that still counts us calls the kernel for nothing
  }
  /// Cost if nobody waits: a read-modify-write.
  void ring() noexcept {
    rung_.fetch_add(1, std::memory_order_seq_cst);  // seq_cst: before blocked_, and after the condition
    if (blocked_.load(std::memory_order_seq_cst) != 0)
      ::syscall(SYS_futex, &rung_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
  }

 private:
  static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
  std::atomic<std::uint32_t> rung_{0};
  std::atomic<std::uint32_t> blocked_{0};
};

}}}  // namespace skua::v0::openmp
