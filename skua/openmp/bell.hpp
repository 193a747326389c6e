// SPDX-License-Identifier: MIT
// A bell: threads block until it is rung. std::atomic::wait yields the processor four times before it blocks, and on a busy machine each yield may
// cost a time slice. Every schedule: waits_model.cpp.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

#include "skua/parts/base/sync.hpp"

namespace skua { inline namespace v0 { namespace openmp {

/// Blocks while a word has a value, as Linux does it.
struct futex {
  static void wait(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept {
    ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
  }
  static void wake_all(std::atomic<std::uint32_t>& word) noexcept {
    ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
  }
  static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
};

/// A waiter reads `heard()`, then its condition, and calls `await(heard)`. A ringer makes the condition true, and calls `ring`.
template <class Kernel, runtime::synchronisation Sync = runtime::real_sync>
class basic_bell {
 public:
  [[nodiscard]] std::uint32_t heard() const noexcept {
    return rung_.load(std::memory_order_acquire);  // acquire: the condition is read later. Pairs with: ring
  }
  /// Returns when the bell was rung after `heard` was read, or earlier.
  void await(std::uint32_t heard) noexcept {
    blocked_.fetch_add(1,
                       std::memory_order_seq_cst);  // seq_cst: either the ringer sees us, or the kernel the new number
    Kernel::wait(rung_, heard);
    blocked_.fetch_sub(
        1, std::memory_order_relaxed);  // relaxed: a ringer that still counts us calls the kernel for nothing
  }
  /// Cost if nobody waits: a read-modify-write.
  void ring() noexcept {
    rung_.fetch_add(1, std::memory_order_seq_cst);  // seq_cst: before the look at blocked_; release: the condition
    if (blocked_.load(std::memory_order_seq_cst) != 0) Kernel::wake_all(rung_);  // seq_cst: as above
  }

 private:
  typename Sync::template atomic<std::uint32_t> rung_{0};
  typename Sync::template atomic<std::uint32_t> blocked_{0};
};

using bell = basic_bell<futex>;

}}}  // namespace skua::v0::openmp
