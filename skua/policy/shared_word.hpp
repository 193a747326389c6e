// SPDX-License-Identifier: MIT
// A number that the workers of a region share, without any ordering.
#pragma once

#include "skua/parts/base/sync.hpp"

namespace skua { inline namespace v0 { namespace policies {

/// Relaxed at every use. That suffices for a count, a permission or a hint, and for a word whose readers have acquired the store
/// with a task. A worker that reads an old value steals once more, or once less.
template <class T>
class shared_word {
 public:
  constexpr explicit shared_word(T first) noexcept : word_(first) {}
  [[nodiscard]] T get() const noexcept { return word_.load(std::memory_order_relaxed); }
  void set(T to) noexcept { word_.store(to, std::memory_order_relaxed); }
  /// Returns the old value; so does `add`.
  T replace(T to) noexcept { return word_.exchange(to, std::memory_order_relaxed); }
  T add(T n) noexcept { return word_.fetch_add(n, std::memory_order_relaxed); }
  void subtract(T n) noexcept { word_.fetch_sub(n, std::memory_order_relaxed); }

 private:
  runtime::real_sync::atomic<T> word_;
};

}}}  // namespace skua::v0::policies
