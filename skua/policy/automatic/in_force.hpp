// SPDX-License-Identifier: MIT
// Which scheduler of several is in force in a region, and for how many tasks from outside. It changes only while no task
// from outside is alive, or only one that has been alone since it came: so all tags that are alive are of one scheduler.
// in_force_model.cpp runs every schedule.
#pragma once

#include <cstddef>
#include <cstdint>

#include "skua/parts/base/sync.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace automatic {

/// Shared by the workers of one region; any of them may call anything.
template <runtime::synchronisation Sync = runtime::real_sync>
class in_force {
 public:
  struct arrival {
    std::size_t scheduler;
    bool is_alone;
  };

  explicit in_force(std::size_t scheduler) noexcept : word_(written(scheduler, 0, false)) {}

  /// A task comes from outside. If it is alone, `wanted` is in force from now on. It sees everything that the tasks before did
  /// until they left, if it is alone.
  [[nodiscard]] arrival arrive(std::size_t wanted) noexcept {
    std::uint64_t seen = word_.load(std::memory_order_relaxed);  // relaxed: the exchange reads it again
    for (;;) {
      bool const is_alone = count_of(seen) == 0;
      std::uint64_t const next =
          is_alone ? written(wanted, 1, false) : written(scheduler_of(seen), count_of(seen) + 1, true);
      // acquire: what the tasks before have done. Partner: leave. release: what `change` left there. Partner: leave, arrive.
      if (word_.compare_exchange_weak(seen, next, std::memory_order_acq_rel, std::memory_order_relaxed))
        return {scheduler_of(next), is_alone};
    }
  }
  /// The task that calls has been alone since it came, and is now.
  [[nodiscard]] bool is_alone() const noexcept {
    std::uint64_t const seen = word_.load(std::memory_order_relaxed);  // relaxed: a later one may come at any time
    return count_of(seen) == 1 && !was_joined(seen);
  }
  /// Another task than the one that calls is alive.
  [[nodiscard]] bool has_company() const noexcept {
    return count_of(word_.load(std::memory_order_relaxed)) > 1;  // relaxed: as in is_alone
  }
  /// For a task that was alone: puts `to` in force. False: another task has come.
  [[nodiscard]] bool change(std::size_t to) noexcept {
    std::uint64_t seen = word_.load(std::memory_order_relaxed);  // relaxed: as in arrive
    while (count_of(seen) == 1 && !was_joined(seen)) {
      // release: who arrives sees what was done before. Partner: arrive.
      if (word_.compare_exchange_weak(seen, written(to, 1, false), std::memory_order_acq_rel,
                                      std::memory_order_relaxed))
        return true;
    }
    return false;
  }
  /// A reader comes, if no task from outside is alive: until it leaves, as such a task does, none is alone, so nobody writes. It
  /// sees everything that the tasks before did.
  [[nodiscard]] bool enter() noexcept {
    std::uint64_t seen = word_.load(std::memory_order_relaxed);  // relaxed: the exchange reads it again
    while (count_of(seen) == 0) {
      std::uint64_t const with_reader = written(scheduler_of(seen), 1, false);
      // acquire: what the tasks before have done. Partner: leave.
      if (word_.compare_exchange_weak(seen, with_reader, std::memory_order_acquire, std::memory_order_relaxed))
        return true;
    }
    return false;
  }
  /// A task from outside has ended, or a reader has finished.
  void leave() noexcept {
    // release: what it did. Partners: arrive, enter.
    word_.fetch_sub(1, std::memory_order_acq_rel);
  }

 private:
  // From the right: 32 bits count, 1 bit for "another one came since the count was 0", 8 bits for the scheduler.
  static constexpr std::uint64_t joined = std::uint64_t{1} << 32;
  static constexpr int scheduler_shift = 40;

  static constexpr std::uint64_t written(std::size_t scheduler, std::uint32_t count, bool was_joined) noexcept {
    return std::uint64_t{scheduler} << scheduler_shift | (was_joined ? joined : 0) | count;
  }
  static constexpr std::size_t scheduler_of(std::uint64_t w) noexcept { return w >> scheduler_shift; }
  static constexpr std::uint32_t count_of(std::uint64_t w) noexcept { return static_cast<std::uint32_t>(w); }
  static constexpr bool was_joined(std::uint64_t w) noexcept { return (w & joined) != 0; }

  typename Sync::template atomic<std::uint64_t> word_;
};

}}}}  // namespace skua::v0::policies::automatic
