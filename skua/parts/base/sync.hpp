// SPDX-License-Identifier: MIT
// What lock-free code is written against: `template <synchronisation Sync = real_sync>`. The real one is the standard
// library plus the asymmetric fences; tests/explorer offers a modelled one with the same names, in which a checker
// chooses every interleaving and every moment at which a store becomes visible.
#pragma once

#include <sched.h>

#include <atomic>
#include <concepts>
#include <mutex>

#include "skua/parts/base/fence.hpp"
#include "skua/parts/base/platform.hpp"

namespace skua {

/// Laws. Let W be a store and R a later load of one thread, with F between them; W' and R' with F' in another thread;
/// R reads what W' writes and R' what W. If (F, F') is (light, heavy) and `fence_kind()` was asymmetric when the queue
/// was made, or (full, full), or (full, heavy), then R sees W' or R' sees W. No fence orders anything else.
template <class Sync>
concept synchronisation = requires(typename Sync::template atomic<int>& word) {
  typename Sync::template plain<int>;
  typename Sync::mutex;
  typename Sync::condition;
  { word.load(std::memory_order_relaxed) } -> std::same_as<int>;
  { Sync::kind() } -> std::same_as<fences>;
  Sync::light_fence();
  Sync::full_fence();
  Sync::heavy_fence();
  Sync::pause(word, 0, 0);
};

/// A variable that is no atomic, and holds nothing until it is set. Threads touch it only in an order that something
/// else gives: its modelled twin checks that. Free of cost.
template <class T>
class plain_variable {
 public:
  [[nodiscard]] T get() const noexcept { return value_; }
  void set(T value) noexcept { value_ = value; }

 private:
  T value_;
};

/// std::condition_variable, whose header only those who sleep include: condition.hpp.
class real_condition;

struct real_sync {
  template <class T>
  using atomic = std::atomic<T>;
  template <class T>
  using plain = plain_variable<T>;
  using mutex = std::mutex;
  using condition = real_condition;

  /// What a queue made now shall use.
  [[nodiscard]] static fences kind() noexcept { return fence_kind(); }

  /// The frequent side: forbids the compiler to reorder; no instruction.
  static void light_fence() noexcept { std::atomic_signal_fence(std::memory_order_seq_cst); }  // see heavy_fence
  static void full_fence() noexcept { skua::full_fence(); }
  static void heavy_fence() noexcept { skua::heavy_fence(); }

  /// `word` was seen to be `seen`, after so many vain tries before: some time passes in which it may change.
  template <class T>
  static void pause(std::atomic<T> const&, T, int tries) noexcept {
    if (tries < patience) {
      relax();
    } else {
      ::sched_yield();
    }
  }

 private:
  static constexpr int patience = 64;
};

static_assert(synchronisation<real_sync>);

}  // namespace skua
