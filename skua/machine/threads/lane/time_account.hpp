// SPDX-License-Identifier: MIT
// A worker's time, by activity: working, scheduling or idling [numa-ws-2018 II]. Every moment since the account was
// opened belongs to exactly one of them, including the interval that is still running, so their sum is always the time
// since then. The account has no clock; its callers pass the time. README.md says what counts as what.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <thread>
#include <tuple>

#include "skua/parts/base/sync.hpp"

namespace skua { inline namespace v0 { namespace runtime {

enum class activity : std::uint8_t { working, scheduling, idling };

/// One writer, the worker; any number of readers. Times are nanoseconds of one monotonic clock, below 2^59 (18 years).
template <synchronisation Sync = real_sync>
class time_account {
 public:
  /// Indexed by activity.
  using spent = std::array<std::uint64_t, 3>;

  /// Call this once, before anything else: the worker schedules from `now` on.
  void open(std::uint64_t now) noexcept {
    // relaxed: handing the account to a reader publishes its zeros
    now_.store(packed(now, activity::scheduling, activity::scheduling), std::memory_order_relaxed);
  }
  /// The worker's activity is `next` from `now` on.
  void change_to(activity next, std::uint64_t now) noexcept {
    close(present(now_.load(std::memory_order_relaxed)), next, now);
  }
  /// For the worker.
  [[nodiscard]] activity current() const noexcept {
    return present(now_.load(std::memory_order_relaxed));
  }  // relaxed: only this thread writes it
  /// Charges the time since the last entry to `kind`, in hindsight; the worker's activity stays the same.
  void charge(activity kind, std::uint64_t now) noexcept {
    close(kind, present(now_.load(std::memory_order_relaxed)), now);
  }

  /// The time spent until `now`, which may lie slightly in the past: entries made since then are subtracted, exactly if
  /// there was only one. Any thread; waits while the worker is making an entry.
  [[nodiscard]] spent at(std::uint64_t now) const noexcept {
    for (;;) {
      if (auto const seen = try_at(now)) return seen->times;
      std::this_thread::yield();
    }
  }

  struct reading {
    spent times;
    activity since_then;  ///< the worker's activity now
  };
  /// The same for a reader that must not wait: nothing if the worker is making an entry.
  [[nodiscard]] std::optional<reading> try_at(std::uint64_t now) const noexcept {
    std::uint64_t last = 0;
    std::optional<spent> const seen = consistent(last);
    if (!seen) return {};
    return reading{until(now, *seen, last), present(last)};
  }

 private:
  static spent until(std::uint64_t now, spent all, std::uint64_t last) noexcept {
    if (now >= since(last)) {
      all[static_cast<std::size_t>(present(last))] += now - since(last);
      return all;
    }
    std::uint64_t surplus = since(last) - now;
    auto const take_from = [&](std::uint64_t& kind) {
      std::uint64_t const taken = std::min(kind, surplus);
      kind -= taken;
      surplus -= taken;
    };
    take_from(all[static_cast<std::size_t>(previous(last))]);
    for (std::uint64_t& kind : all) take_from(kind);
    return all;
  }

  // The last entry, in one word: when it was made, the activity since then, and the activity that the time before was charged to.
  static constexpr std::uint64_t in_the_middle = ~std::uint64_t{0};
  static constexpr std::uint64_t packed(std::uint64_t when, activity present, activity previous) noexcept {
    return when << 4 | static_cast<std::uint64_t>(previous) << 2 | static_cast<std::uint64_t>(present);
  }
  static constexpr std::uint64_t since(std::uint64_t entry) noexcept { return entry >> 4; }
  static constexpr activity present(std::uint64_t entry) noexcept { return activity_of(entry & 3); }
  static constexpr activity previous(std::uint64_t entry) noexcept { return activity_of(entry >> 2 & 3); }
  // An attached reader may find any number here.
  static constexpr activity activity_of(std::uint64_t number) noexcept {
    return number < std::tuple_size_v<spent> ? static_cast<activity>(number) : activity::idling;
  }

  void close(activity charged, activity next, std::uint64_t now) noexcept {
    std::uint64_t const last = now_.load(std::memory_order_relaxed);  // relaxed: this thread wrote it
    word& sum = spent_[static_cast<std::size_t>(charged)];
    now_.store(in_the_middle, std::memory_order_relaxed);  // relaxed: the next store publishes it
    // release: a reader of the new sum also sees that an entry is being made. Pairs with: consistent, second load.
    sum.store(sum.load(std::memory_order_relaxed) + (now - since(last)), std::memory_order_release);
    // release: a reader of the entry also sees the sum. Pairs with: consistent, first load.
    now_.store(packed(now, next, charged), std::memory_order_release);
  }

  /// Reads the sums that belong to one entry. If the entry is unchanged afterwards, nothing was added meanwhile.
  [[nodiscard]] std::optional<spent> consistent(std::uint64_t& entry) const noexcept {
    // acquire: the sums. Pairs with: close, last store.
    entry = now_.load(std::memory_order_acquire);
    if (entry == in_the_middle) return {};
    spent all{};
    // acquire: that an entry has begun. Pairs with: close, store of the sum.
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = spent_[i].load(std::memory_order_acquire);
    if (now_.load(std::memory_order_relaxed) != entry) return {};
    return all;
  }

  using word = typename Sync::template atomic<std::uint64_t>;
  std::array<word, 3> spent_{};
  word now_{0};
};

}}}  // namespace skua::v0::runtime
