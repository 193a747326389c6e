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

/// The ringer makes a condition true, and then looks whether anybody is blocked; a waiter counts itself, and then looks at the condition. Between both pairs
/// stands a full fence, so one of them sees the other.
template <class Kernel, runtime::synchronisation Sync = runtime::real_sync>
class basic_bell {
 public:
  /// Blocks the thread until is_true(), which may be called often.
  template <class Condition>
  void wait(Condition const& is_true) {
    blocked_.fetch_add(1, std::memory_order_relaxed);  // relaxed: the fence orders it
    Sync::full_fence_after_rmw();
    for (;;) {
      std::uint32_t const heard = rung_.load(std::memory_order_acquire);  // acquire: the condition. Pairs with: ring
      if (is_true()) break;
      Kernel::wait(rung_, heard);
    }
    blocked_.fetch_sub(
        1, std::memory_order_relaxed);  // relaxed: a ringer that still counts us calls the kernel for nothing
  }
  [[nodiscard]] bool is_waited_for() const noexcept {
    return blocked_.load(std::memory_order_relaxed) != 0;  // relaxed: as in ring_after_fence
  }
  /// After the condition was made true, and a full fence. Cost if nobody waits: a load.
  void ring_after_fence() noexcept {
    if (blocked_.load(std::memory_order_relaxed) == 0) return;  // relaxed: the fence orders it
    rung_.fetch_add(1, std::memory_order_release);              // release: the condition. Pairs with: wait
    Kernel::wake_all(rung_);
  }

 private:
  typename Sync::template atomic<std::uint32_t> rung_{0};
  typename Sync::template atomic<std::uint32_t> blocked_{0};
};

using bell = basic_bell<futex>;

}}}  // namespace skua::v0::openmp
