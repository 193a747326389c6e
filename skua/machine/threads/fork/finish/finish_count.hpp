// SPDX-License-Identifier: MIT
// How a finish region knows that its tasks have ended: workers count for themselves, and add up when they turn to something
// else. Invariants and proof: finish.md. Every schedule: finish_count_model.cpp.
#pragma once

#include <cstdint>
#include <utility>

#include "skua/parts/base/sync.hpp"

namespace skua { inline namespace v0 { namespace runtime {

template <synchronisation Sync = real_sync>
class finish_count {
 public:
  /// A worker will count. The caller holds something that is counted: a task, or the body.
  void enter() noexcept {
    word_.fetch_add(one_worker, std::memory_order_relaxed);  // relaxed: leave orders
  }
  /// A worker has counted so much. True: nothing is left, and what all tasks did is visible; nobody enters any more.
  [[nodiscard]] bool leave(std::int64_t balance) noexcept {
    std::uint64_t const change = static_cast<std::uint64_t>(balance) - one_worker;
    // acq_rel: what our tasks did, for the last to leave; what others did, if that is us. Pairs with: itself.
    return word_.fetch_add(change, std::memory_order_acq_rel) + change == 0;
  }

 private:
  static constexpr std::uint64_t one_worker = std::uint64_t{1} << 40;
  typename Sync::template atomic<std::uint64_t> word_{1};  ///< the body
};

/// A worker's share of the region that it is inside of. Region: `finish_count& count()`, and `ended()`, which the last to
/// leave calls; its result, or a default one, is what `leave` and `add` return.
template <class Region>
class finish_share {
 public:
  using ended = decltype(std::declval<Region&>().ended());

  /// Counts n tasks more, or less, of a region. What is returned comes from a region that was left for it.
  [[nodiscard]] ended add(Region& to, std::int64_t n) noexcept {
    ended left{};
    if (of_ != &to) [[unlikely]] {
      left = leave();
      to.count().enter();
      of_ = &to;
    }
    balance_ += n;
    return left;
  }
  [[nodiscard]] ended leave() noexcept {
    if (of_ == nullptr) return {};
    Region& left = *std::exchange(of_, nullptr);
    return left.count().leave(std::exchange(balance_, 0)) ? left.ended() : ended{};
  }
  /// Null: of none.
  [[nodiscard]] Region const* inside_of() const noexcept { return of_; }

 private:
  Region* of_ = nullptr;
  std::int64_t balance_ = 0;
};

}}}  // namespace skua::v0::runtime
