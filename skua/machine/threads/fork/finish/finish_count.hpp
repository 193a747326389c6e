// SPDX-License-Identifier: MIT
// How a finish region detects that its tasks have ended: each worker counts for itself, and adds its count to the region's when it
// turns to other work. Invariants and proof: finish.md. Every schedule: finish_count_model.cpp.
#pragma once

#include <cstdint>
#include <utility>

#include "skua/parts/base/sync.hpp"

namespace skua { inline namespace v0 { namespace runtime {

template <synchronisation Sync = real_sync>
class finish_count {
 public:
  /// Call it before a worker counts. The caller holds something that is counted already: a task, or the body.
  void enter() noexcept {
    word_.fetch_add(one_worker, std::memory_order_relaxed);  // relaxed: leave orders
  }
  /// A worker leaves, with a balance of `balance` tasks. True: the region has ended; what all tasks did is visible, and no worker enters
  /// any more.
  [[nodiscard]] bool leave(std::int64_t balance) noexcept {
    std::uint64_t const change = static_cast<std::uint64_t>(balance) - one_worker;
    // acq_rel: publishes what our tasks did to the last worker that leaves, which acquires all of it. Pairs with: itself.
    return word_.fetch_add(change, std::memory_order_acq_rel) + change == 0;
  }

 private:
  static constexpr std::uint64_t one_worker = std::uint64_t{1} << 40;
  typename Sync::template atomic<std::uint64_t> word_{1};  ///< the body
};

/// A worker's share of the region that it is inside of. A Region has `finish_count& count()`, and `ended()`, which the last worker
/// to leave calls; `leave` and `add` return its result, or else a default value.
template <class Region>
class finish_share {
 public:
  using ended = decltype(std::declval<Region&>().ended());

  /// Counts n tasks more, or less, of a region. Leaves another region for it first, and returns what that `leave` returns.
  [[nodiscard]] ended add(Region& region, std::int64_t n) noexcept {
    ended left{};
    if (region_ != &region) [[unlikely]] {
      left = leave();
      region.count().enter();
      region_ = &region;
    }
    balance_ += n;
    return left;
  }
  [[nodiscard]] ended leave() noexcept {
    if (region_ == nullptr) return {};
    Region& left = *std::exchange(region_, nullptr);
    return left.count().leave(std::exchange(balance_, 0)) ? left.ended() : ended{};
  }
  /// Null: the worker is inside of no region.
  [[nodiscard]] Region const* inside_of() const noexcept { return region_; }

 private:
  Region* region_ = nullptr;
  std::int64_t balance_ = 0;
};

}}}  // namespace skua::v0::runtime
