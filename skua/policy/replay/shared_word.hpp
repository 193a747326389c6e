// SPDX-License-Identifier: MIT
// A number that the workers of a region share, and that orders nothing.
#pragma once

#include "skua/parts/base/sync.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace replay {

/// Relaxed at every use, and that is enough: what is kept so is written at the begin of an iteration by the one who runs
/// the root, or is a count or a permission. Who sees an old value steals once more, or once less.
template <class T>
class shared_word {
 public:
  constexpr explicit shared_word(T first) noexcept : word_(first) {}
  [[nodiscard]] T get() const noexcept { return word_.load(std::memory_order_relaxed); }
  void set(T to) noexcept { word_.store(to, std::memory_order_relaxed); }
  /// Returns what was there before; as does `add`.
  T replace(T to) noexcept { return word_.exchange(to, std::memory_order_relaxed); }
  T add(T n) noexcept { return word_.fetch_add(n, std::memory_order_relaxed); }
  void subtract(T n) noexcept { word_.fetch_sub(n, std::memory_order_relaxed); }

 private:
  runtime::real_sync::atomic<T> word_;
};

}}}}  // namespace skua::v0::policies::replay
