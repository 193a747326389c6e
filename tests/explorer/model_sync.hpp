// SPDX-License-Identifier: MIT
// The model of base/sync.hpp, in which the explorer makes the choices. Derive from it and hide a member to break it.
#pragma once

#include <array>
#include <atomic>
#include <concepts>
#include <cstring>
#include <mutex>
#include <type_traits>
#include <utility>

#include "skua/parts/base/sync.hpp"
#include "tests/explorer/world.hpp"

namespace skua { inline namespace v0 { namespace explorer {

/// Threads that sleep until they are notified, oldest first. The list runs through their stacks, so that a list that is
/// never destroyed leaks nothing.
class wait_list {
 public:
  /// Sleeps. Nobody else has run between the last operation of the running thread and this call.
  void sleep() noexcept {
    auto& w = *current_world();
    w.compiler_barrier();
    sleeper me{w.thread()};
    *last_of(sleepers_) = &me;
    ++count_;
    w.step([&me] { return me.notified; });
    w.note("wakes", this, 0);
  }
  void notify_one() noexcept {
    auto& w = *current_world();
    w.compiler_barrier();
    w.step();
    sleeper** from = &sleepers_;
    for (std::size_t skip = w.choose(count_); skip > 0; --skip) from = &(*from)->next;
    wake(from, 1);
  }
  void notify_all() noexcept {
    current_world()->compiler_barrier();
    current_world()->step();
    wake(&sleepers_, count_);
  }

 private:
  struct sleeper {
    int thread;
    bool notified = false;
    sleeper* next = nullptr;
  };

  static sleeper** last_of(sleeper*& list) noexcept {
    sleeper** at = &list;
    while (*at != nullptr) at = &(*at)->next;
    return at;
  }

  // Notes who was woken: some thread's history must show whether a sleep began before or after a notification.
  void wake(sleeper** from, std::size_t most) noexcept {
    std::uint64_t woken = 0;
    for (; most > 0 && *from != nullptr; --most) {
      sleeper& s = **from;
      *from = s.next;
      --count_;
      s.notified = true;
      woken |= std::uint64_t{1} << s.thread;
    }
    current_world()->note("notify wakes", this, woken);
  }

  sleeper* sleepers_ = nullptr;
  std::size_t count_ = 0;
};

/// Cells store values as words.
template <class T>
std::uint64_t pack(T value) noexcept {
  static_assert(sizeof(T) <= sizeof(std::uint64_t) && std::is_trivially_copyable_v<T>);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}
template <class T>
T unpacked(std::uint64_t bits) noexcept {
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

/// std::atomic of up to eight bytes, modelled. compare_exchange_weak never fails spuriously.
template <class T>
class alignas(64) model_atomic {  // a power of two: queues divide by the size of slots made of it
 public:
  model_atomic() noexcept : model_atomic(T{}) {}
  model_atomic(T value) noexcept {  // NOLINT: implicit, as std::atomic
    cell_.value = pack(value);
    if (current_world() != nullptr) current_world()->begin(life_);
  }
  model_atomic(model_atomic const&) = delete;
  model_atomic& operator=(model_atomic const&) = delete;
  ~model_atomic() {
    if (current_world() != nullptr) w().end(life_);
  }

  T load(std::memory_order order) const noexcept {
    w().step();
    w().use(life_);
    auto const seen = w().load(cell_, order);
    w().note("load", this, seen);
    return unpacked<T>(seen);
  }

  T load_hint(std::memory_order order) const noexcept { return load(order); }

  void store(T value, std::memory_order order) noexcept {
    w().step();
    w().use(life_);
    w().note("store", this, pack(value));
    w().store(cell_, pack(value), order);
  }

  T exchange(T value, std::memory_order order) noexcept {
    return update("exchange", order, [value](T) { return value; });
  }
  T fetch_add(T by, std::memory_order order) noexcept {
    return update("fetch_add", order, [by](T old) { return static_cast<T>(old + by); });
  }
  T fetch_sub(T by, std::memory_order order) noexcept {
    return update("fetch_sub", order, [by](T old) { return static_cast<T>(old - by); });
  }
  T fetch_or(T bits, std::memory_order order) noexcept {
    return update("fetch_or", order, [bits](T old) { return static_cast<T>(old | bits); });
  }
  T fetch_and(T bits, std::memory_order order) noexcept {
    return update("fetch_and", order, [bits](T old) { return static_cast<T>(old & bits); });
  }

  bool compare_exchange_strong(T& expected, T desired, std::memory_order yes, std::memory_order no) noexcept {
    auto const wanted = pack(expected);
    step_to_memory();
    auto const seen = w().compare_exchange(cell_, wanted, pack(desired), yes, no);
    w().note("compare_exchange", this, seen);
    expected = unpacked<T>(seen);
    return seen == wanted;
  }
  bool compare_exchange_weak(T& expected, T desired, std::memory_order yes, std::memory_order no) noexcept {
    return compare_exchange_strong(expected, desired, yes, no);
  }

  /// Returns only when the value differs; sleeps between notifications.
  void wait(T old, std::memory_order order) const noexcept {
    while (true) {
      step_to_memory();
      auto const seen = w().load_newest(cell_, order);
      w().note("wait sees", this, seen);
      if (seen != pack(old)) return;
      waiters_.sleep();
    }
  }
  void notify_one() noexcept { waiters_.notify_one(); }
  void notify_all() noexcept { waiters_.notify_all(); }

  /// Instead of spinning, the thread goes on when the word in memory has another value.
  void pause(T seen) const noexcept {
    w().step([this, seen] { return cell_.value != pack(seen); });
    w().use(life_);
  }

 private:
  static world& w() noexcept { return *current_world(); }

  void step_to_memory() const noexcept {
    w().step();
    w().drain_own();
    w().use(life_);
  }
  template <class F>
  T update(char const* what, std::memory_order order, F change) noexcept {
    step_to_memory();
    auto const old = w().update(cell_, order, [&](std::uint64_t seen) { return pack(change(unpacked<T>(seen))); });
    w().note(what, this, old);
    return unpacked<T>(old);
  }

  mutable cell cell_;
  mutable lifetime life_;
  mutable wait_list waiters_;
};

/// A non-atomic variable. With `options::races` two accesses that nothing orders are a violation, as is an access after
/// its end. Not a point at which others may run: where the order is proved there is nothing to choose.
template <class T>
class model_plain {
 public:
  model_plain() noexcept = default;
  explicit model_plain(T value) noexcept { set(value); }
  model_plain(model_plain const&) = delete;
  model_plain& operator=(model_plain const&) = delete;
  ~model_plain() {
    if (current_world() != nullptr) current_world()->end(cell_.life);
  }

  [[nodiscard]] T get() const noexcept {
    current_world()->note("get", this, current_world()->get(cell_));
    return value_;
  }
  void set(T value) noexcept {
    value_ = value;
    current_world()->set(cell_, word_of(value));
  }

 private:
  /// Tells different values apart, almost certainly. Without padding in T.
  static std::uint64_t word_of(T const& value) noexcept {
    if constexpr (sizeof(T) <= sizeof(std::uint64_t)) {
      return pack(value);
    } else {
      static_assert(sizeof(T) % sizeof(std::uint64_t) == 0 && std::is_trivially_copyable_v<T>);
      std::array<std::uint64_t, sizeof(T) / sizeof(std::uint64_t)> words;
      std::memcpy(words.data(), &value, sizeof(T));
      std::uint64_t all = 0;
      for (std::uint64_t const w : words) all = mix(all, w);
      return all;
    }
  }

  mutable plain_cell cell_;
  T value_{};
};

/// Unlocking is only a release store, because the standard promises no more.
class model_mutex {
 public:
  void lock() noexcept {
    auto& w = *current_world();
    w.step([this] { return held_.value == 0; });
    w.drain_own();
    w.compiler_barrier();
    w.note("lock", this, story_.value);
    w.update_newest(held_, std::memory_order_acquire, [](std::uint64_t) { return std::uint64_t{1}; });
  }
  bool try_lock() noexcept {
    auto& w = *current_world();
    w.step();
    w.drain_own();
    bool const is_free = held_.value == 0;
    w.note("try_lock", this, is_free ? story_.value : 0);
    auto const order = is_free ? std::memory_order_acquire : std::memory_order_relaxed;
    w.update_newest(held_, order, [](std::uint64_t) { return std::uint64_t{1}; });
    return is_free;
  }
  void unlock() noexcept {
    auto& w = *current_world();
    w.step();
    w.compiler_barrier();
    w.note("unlock", this, 0);
    w.write(story_, mix(story_.value, w.history()));
    w.store(held_, 0, std::memory_order_release);
  }

 private:
  cell held_;
  cell story_;  // who held it, in which order, in which state: determines the plain data under the lock
};

/// std::condition_variable without time and without spurious wake-ups, so that luck does not hide a missing loop, and a
/// lost wake-up is a deadlock.
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

  /// Time passes at once: nobody relies on being notified meanwhile.
  [[nodiscard]] bool short_wait(std::unique_lock<model_mutex>& held) noexcept {
    held.unlock();
    current_world()->step();
    current_world()->time_passes();
    held.lock();
    return false;
  }

 private:
  wait_list waiters_;
};

/// A kernel with membarrier: light fence at the owner, heavy fence at the thief.
struct model_sync {
  template <class T>
  using atomic = model_atomic<T>;
  template <class T>
  using plain = model_plain<T>;
  using mutex = model_mutex;
  using condition = model_condition;

  template <class T>
  static void pause(model_atomic<T> const& word, T seen, int) noexcept {
    word.pause(seen);
  }

  /// One look: time does not pass in the model, so the word may change at any later moment, too.
  template <class T>
  static bool await_briefly(model_atomic<T> const& word, T seen) noexcept {
    return word.load(std::memory_order_relaxed) != seen;
  }

  static runtime::fences kind() noexcept { return runtime::fences::asymmetric; }
  /// A compiler barrier, which orders nothing until another thread's heavy fence comes.
  static void light_fence() noexcept { current_world()->compiler_barrier(); }
  static void full_fence() noexcept {
    current_world()->step();
    current_world()->full_fence();
    current_world()->note("full fence", nullptr, 0);
  }
  static void full_fence_after_rmw() noexcept { full_fence(); }
  static void heavy_fence() noexcept {
    full_fence();
    current_world()->step();
    current_world()->heavy_fence();
  }
};

/// A kernel without membarrier.
struct full_model_sync : model_sync {
  static runtime::fences kind() noexcept { return runtime::fences::full; }
  static void heavy_fence() noexcept { full_fence(); }
};

static_assert(runtime::synchronisation<model_sync> && runtime::synchronisation<full_model_sync>);

}}}  // namespace skua::v0::explorer
