// SPDX-License-Identifier: MIT
// The façade of base/sync.hpp in which the explorer chooses. Derive from it and hide a member to break something.
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstring>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "skua/parts/base/sync.hpp"
#include "tests/explorer/world.hpp"

namespace skua::explorer {

/// Threads that sleep until they are notified. Who sleeps is the world's to know: scripts may put a wait list where it is
/// never destroyed, and a ring wants its slots small.
class wait_list {
 public:
  /// Sleeps; from the last operation of the running thread until now nobody else has run.
  void sleep() noexcept {
    auto& w = *current_world();
    bool notified = false;
    w.sleepers().push_back({this, w.thread(), &notified});
    w.step([&notified] { return notified; });
    w.note("wakes", this, 0);
  }
  void notify_one() noexcept {
    auto& w = *current_world();
    w.step();
    auto const asleep = static_cast<std::size_t>(std::ranges::count(w.sleepers(), this, &world::sleeper::where));
    wake(w.choose(asleep), asleep == 0 ? 0 : 1);
  }
  void notify_all() noexcept {
    current_world()->step();
    wake(0, current_world()->sleepers().size());
  }

 private:
  // Notes who was woken: whether a sleep began before or after a notification must show in somebody's history.
  void wake(std::size_t first, std::size_t count) noexcept {
    std::uint64_t woken = 0;
    std::size_t seen = 0;
    std::erase_if(current_world()->sleepers(), [&](world::sleeper const& s) {
      if (s.where != this || seen++ < first || seen > first + count) return false;
      *s.notified = true;
      woken |= std::uint64_t{1} << s.thread;
      return true;
    });
    current_world()->note("notify wakes", this, woken);
  }
};

/// std::atomic of up to eight bytes, modelled. compare_exchange_weak never fails spuriously.
template <class T>
class model_atomic {
 public:
  static_assert(sizeof(T) <= sizeof(std::uint64_t) && std::is_trivially_copyable_v<T>);

  model_atomic() noexcept : model_atomic(T{}) {}
  model_atomic(T value) noexcept { cell_.value = pack(value); }  // NOLINT: implicit, as std::atomic
  model_atomic(model_atomic const&) = delete;
  model_atomic& operator=(model_atomic const&) = delete;

  T load(std::memory_order) const noexcept {
    w().step();
    auto const seen = w().load(cell_);
    w().note("load", this, seen);
    return unpack(seen);
  }

  void store(T value, std::memory_order order) noexcept {
    w().step();
    w().note("store", this, pack(value));
    w().store(cell_, pack(value), order != std::memory_order_relaxed);
    if (order == std::memory_order_seq_cst) w().drain_own();
  }

  T exchange(T value, std::memory_order) noexcept {
    return update("exchange", [value](T) { return value; });
  }
  T fetch_add(T by, std::memory_order) noexcept {
    return update("fetch_add", [by](T old) { return static_cast<T>(old + by); });
  }
  T fetch_sub(T by, std::memory_order) noexcept {
    return update("fetch_sub", [by](T old) { return static_cast<T>(old - by); });
  }
  T fetch_or(T bits, std::memory_order) noexcept {
    return update("fetch_or", [bits](T old) { return static_cast<T>(old | bits); });
  }
  T fetch_and(T bits, std::memory_order) noexcept {
    return update("fetch_and", [bits](T old) { return static_cast<T>(old & bits); });
  }

  bool compare_exchange_strong(T& expected, T desired, std::memory_order, std::memory_order) noexcept {
    auto const wanted = pack(expected);
    auto const old = update("compare_exchange", [&](T now) { return pack(now) == wanted ? desired : now; });
    expected = old;
    return pack(old) == wanted;
  }
  bool compare_exchange_weak(T& expected, T desired, std::memory_order yes, std::memory_order no) noexcept {
    return compare_exchange_strong(expected, desired, yes, no);
  }

  /// Returns only when the value differs; sleeps between notifications.
  void wait(T old, std::memory_order) const noexcept {
    while (true) {
      w().step();
      w().drain_own();
      auto const seen = w().load(cell_);
      w().note("wait sees", this, seen);
      if (seen != pack(old)) return;
      waiters_.sleep();
    }
  }
  void notify_one() noexcept { waiters_.notify_one(); }
  void notify_all() noexcept { waiters_.notify_all(); }

 private:
  static world& w() noexcept { return *current_world(); }

  template <class F>
  T update(char const* what, F change) noexcept {
    w().step();
    w().drain_own();
    auto const old = cell_.value;
    w().note(what, this, old);
    w().write(cell_, pack(change(unpack(old))));
    return unpack(old);
  }

  static std::uint64_t pack(T value) noexcept {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
  }
  static T unpack(std::uint64_t bits) noexcept {
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    return value;
  }

  cell cell_;
  mutable wait_list waiters_;
};

/// Unlocking is no more than a release store, as the standard promises no more.
class model_mutex {
 public:
  void lock() noexcept {
    auto& w = *current_world();
    w.step([this] { return held_.value == 0; });
    w.drain_own();
    w.note("lock", this, story_.value);
    w.write(held_, 1);
  }
  bool try_lock() noexcept {
    auto& w = *current_world();
    w.step();
    w.drain_own();
    bool const is_free = held_.value == 0;
    w.note("try_lock", this, is_free ? story_.value : 0);
    w.write(held_, 1);
    return is_free;
  }
  void unlock() noexcept {
    auto& w = *current_world();
    w.step();
    w.note("unlock", this, 0);
    w.write(story_, mix(story_.value, w.history()));
    w.store(held_, 0, true);
  }

 private:
  cell held_;
  cell story_;  // who held it, in which order, in which state: what plain data under the lock are a function of
};

/// std::condition_variable without time and without spurious wake-ups (so that a missing loop is not hidden by luck,
/// and a lost wake-up is a deadlock).
class model_condition {
 public:
  void wait(std::unique_lock<model_mutex>& held) noexcept {
    held.unlock();  // and sleeps in the same step
    waiters_.sleep();
    held.lock();
  }
  template <class Predicate>
  void wait(std::unique_lock<model_mutex>& held, Predicate done) noexcept {
    while (!done()) wait(held);
  }
  void notify_one() noexcept { waiters_.notify_one(); }
  void notify_all() noexcept { waiters_.notify_all(); }

 private:
  wait_list waiters_;
};

/// A kernel with membarrier: light at the owner, heavy at the thief.
struct model_sync {
  template <class T>
  using atomic = model_atomic<T>;
  using mutex = model_mutex;
  using condition = model_condition;

  static fences kind() noexcept { return fences::asymmetric; }
  static void light_fence() noexcept {}
  static void full_fence() noexcept {
    current_world()->step();
    current_world()->drain_own();
    current_world()->note("full fence", nullptr, 0);
  }
  static void heavy_fence() noexcept {
    full_fence();
    current_world()->step();
    current_world()->drain_others();
  }
};

/// A kernel without.
struct full_model_sync : model_sync {
  static fences kind() noexcept { return fences::full; }
  static void heavy_fence() noexcept { full_fence(); }
};

static_assert(synchronisation<model_sync> && synchronisation<full_model_sync>);

}  // namespace skua::explorer
