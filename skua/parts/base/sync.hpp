// SPDX-License-Identifier: MIT
// The interface that lock-free code is written against: `template <synchronisation Sync = real_sync>`. real_sync is the
// standard library plus the asymmetric fences. tests/explorer models the same names; its checker chooses every
// interleaving and every moment at which a store becomes visible.
#pragma once

#include <sched.h>

#include <atomic>
#include <concepts>
#include <mutex>
#include <utility>

#include "skua/parts/base/announced_atomic.hpp"
#include "skua/parts/base/fence.hpp"
#include "skua/parts/base/platform.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Laws. Let W be a store and R a later load of one thread, with F between them; W' and R' with F' in another thread;
/// R reads what W' writes, and R' what W writes. If (F, F') is (light, heavy) and `fence_kind()` was asymmetric when
/// the queue was made, or (full, full), or (full, heavy), then R sees W' or R' sees W. No fence orders anything else.
/// After a heavy fence, a thread that acquires what the fence's caller releases sees the same stores of the light side as the caller.
/// A condition::short_wait that is not notified acts as a heavy fence of its caller: it lets enough time pass.
template <class Sync>
concept synchronisation = requires(typename Sync::template atomic<int>& word) {
  typename Sync::template plain<int>;
  typename Sync::mutex;
  typename Sync::condition;
  { word.load(std::memory_order_relaxed) } -> std::same_as<int>;
  { word.load_hint(std::memory_order_relaxed) } -> std::same_as<int>;
  { Sync::kind() } -> std::same_as<fences>;
  Sync::light_fence();
  Sync::full_fence();
  Sync::full_fence_after_rmw();
  Sync::heavy_fence();
  Sync::pause(word, 0, 0);
  { Sync::await_briefly(word, 0) } -> std::same_as<bool>;
};

/// A non-atomic variable, unset at first. Something else must order the threads that touch it; the explorer's model
/// checks that. Costs nothing.
template <class T>
class plain_variable {
 public:
  [[nodiscard]] T get() const noexcept { return value_; }
  void set(T value) noexcept { value_ = std::move(value); }

 private:
  T value_;
};

/// std::condition_variable, whose header only code that sleeps includes: condition.hpp.
class real_condition;

struct real_sync {
  template <class T>
  using atomic = announced_atomic<T>;
  template <class T>
  using plain = plain_variable<T>;
  using mutex = std::mutex;
  using condition = real_condition;

  /// The fences that a new queue uses.
  [[nodiscard]] static fences kind() noexcept { return fence_kind(); }

  /// The frequent side: keeps the compiler from reordering; emits no instruction.
  static void light_fence() noexcept { std::atomic_signal_fence(std::memory_order_seq_cst); }  // see heavy_fence
  static void full_fence() noexcept { skua::runtime::full_fence(); }
  static void full_fence_after_rmw() noexcept { skua::runtime::full_fence_after_rmw(); }
  static void heavy_fence() noexcept { skua::runtime::heavy_fence(); }

  /// Lets time pass after `tries` looks at `word` that all found `seen`: spins first, then yields the processor.
  template <class T>
  static void pause(std::atomic<T> const&, T, int tries) noexcept {
    if (tries < patience) {
      relax();
    } else {
      ::sched_yield();
    }
  }

  /// Looks at `word`, which was `seen`, for as long as a heavy fence takes; true as soon as it is something else.
  /// Relaxed: a caller that acts on the new value acquires it.
  template <class T>
  static bool await_briefly(std::atomic<T> const& word, T seen) noexcept {
    heavy_fence_time const limit;
    do {
      for (int looks = 0; looks < 8; ++looks) {
        if (word.load(std::memory_order_relaxed) != seen) return true;
        relax();
      }
    } while (!limit.is_over());
    return false;
  }

 private:
  static constexpr int patience = 64;
};

static_assert(synchronisation<real_sync>);

}}}  // namespace skua::v0::runtime
