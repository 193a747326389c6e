// SPDX-License-Identifier: MIT
// std::atomic whose ordering ThreadSanitizer also sees if only the program is compiled for it.
//
// The compiler reports the atomics of instrumented code to ThreadSanitizer. If the library is compiled without it and the program
// with it, half of each handshake would be missing: no edge would lead from a program's push to the library's steal, and each
// stolen task would be a race. So the library's half announces the same two edges at the same address. In programs, and without a
// sanitizer, this is std::atomic.
//
// A release announces before the store, an acquire after the load, and a failing exchange as a successful one. So ThreadSanitizer
// knows at least the existing edges, and perhaps the edge of a store that is about to come.
#pragma once

#include <atomic>

#include "skua/parts/base/sanitizers.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Only the operations that the runtime uses, all with a named order. always_inline: what a program compiles must never be
/// replaced by the library's copy.
template <class T>
class announced_atomic : public std::atomic<T> {
  using base = std::atomic<T>;

 public:
  using base::base;

  [[nodiscard, gnu::always_inline]] T load(std::memory_order order) const noexcept {
    T const seen = base::load(order);
    acquired(order);
    return seen;
  }
  /// For a value that is only a hint, such as the size of a queue: a lock or another load orders every read that depends on it, so no
  /// edge is lost if this load is not announced.
  [[nodiscard, gnu::always_inline]] T load_hint(std::memory_order order) const noexcept { return base::load(order); }
  [[gnu::always_inline]] void store(T value, std::memory_order order) noexcept {
    releases(order);
    base::store(value, order);
  }
  [[gnu::always_inline]] T exchange(T value, std::memory_order order) noexcept {
    releases(order);
    T const seen = base::exchange(value, order);
    acquired(order);
    return seen;
  }
  /// `failing` as in std::atomic: one order, or none.
  template <class... Failing>
  [[gnu::always_inline]] bool compare_exchange_strong(T& seen, T wanted, std::memory_order order,
                                                      Failing... failing) noexcept {
    releases(order);
    bool const exchanged = base::compare_exchange_strong(seen, wanted, order, failing...);
    acquired(order);
    return exchanged;
  }
  template <class... Failing>
  [[gnu::always_inline]] bool compare_exchange_weak(T& seen, T wanted, std::memory_order order,
                                                    Failing... failing) noexcept {
    releases(order);
    bool const exchanged = base::compare_exchange_weak(seen, wanted, order, failing...);
    acquired(order);
    return exchanged;
  }
  [[gnu::always_inline]] T fetch_add(T value, std::memory_order order) noexcept {
    releases(order);
    T const seen = base::fetch_add(value, order);
    acquired(order);
    return seen;
  }
  [[gnu::always_inline]] T fetch_sub(T value, std::memory_order order) noexcept {
    releases(order);
    T const seen = base::fetch_sub(value, order);
    acquired(order);
    return seen;
  }
  [[gnu::always_inline]] T fetch_or(T value, std::memory_order order) noexcept {
    releases(order);
    T const seen = base::fetch_or(value, order);
    acquired(order);
    return seen;
  }
  [[gnu::always_inline]] T fetch_and(T value, std::memory_order order) noexcept {
    releases(order);
    T const seen = base::fetch_and(value, order);
    acquired(order);
    return seen;
  }

 private:
  [[gnu::always_inline]] void releases(std::memory_order order) const noexcept {
    if (order != std::memory_order_relaxed && order != std::memory_order_acquire && tsan::watches_from_outside())
        [[unlikely]]
      __tsan_release(address());
  }
  [[gnu::always_inline]] void acquired(std::memory_order order) const noexcept {
    if (order != std::memory_order_relaxed && order != std::memory_order_release && tsan::watches_from_outside())
        [[unlikely]]
      __tsan_acquire(address());
  }
  [[gnu::always_inline]] void* address() const noexcept { return const_cast<announced_atomic*>(this); }
};

}}}  // namespace skua::v0::runtime
