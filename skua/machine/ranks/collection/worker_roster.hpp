// SPDX-License-Identifier: MIT
// Which workers of a rank run, and whether any does. rank_workers.md has the proof, worker_roster_model.cpp every
// schedule.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory_resource>
#include <optional>

#include "skua/parts/base/sync.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// Invariant (active): `active_` is at least the number of running workers. Only the server and running workers raise
/// it; so once the server has seen 0, it stays 0 until the server starts a worker.
template <runtime::synchronisation Sync = runtime::real_sync>
class worker_roster {
 public:
  /// All workers are idle. Throws std::bad_alloc.
  explicit worker_roster(std::uint32_t workers, std::pmr::memory_resource* memory = std::pmr::new_delete_resource())
      : workers_(workers), runs_(memory) {
    for (std::uint32_t w = 0; w < workers; ++w) runs_.emplace_back();
  }

  /// Marks an idle worker as running and returns its number; the caller wakes it. Returns nothing if all run. For the
  /// server and running workers.
  [[nodiscard]] std::optional<std::uint32_t> start() noexcept {
    // relaxed: before anything that the worker does, because the caller wakes it later. A read-modify-write, so that it does not end the
    // sequence that all_idle acquires.
    active_.fetch_add(1, std::memory_order_relaxed);
    for (std::uint32_t w = 0; w < workers_; ++w) {
      // relaxed: only saves the exchange. acquire: what the worker did last time. Pairs with: end, store.
      if (!runs_[w].load(std::memory_order_relaxed) && !runs_[w].exchange(true, std::memory_order_acquire)) return w;
    }
    // relaxed: the caller runs, or is the server: no thread waits for this.
    active_.fetch_sub(1, std::memory_order_relaxed);
    return std::nullopt;
  }

  /// Worker `w` has found no task, and its own queue is empty. Its last call: the roster may be gone afterwards.
  void end(std::uint32_t w) noexcept {
    runs_[w].store(false, std::memory_order_release);  // release: what it did. Pairs with: start, exchange
    active_.fetch_sub(1, std::memory_order_release);   // release: as above. Pairs with: all_idle, load
  }

  /// For the server: true if no worker runs; everything that they did is then visible.
  [[nodiscard]] bool all_idle() const noexcept {
    return active_.load(std::memory_order_acquire) ==
           0;  // acquire: counts, records and queues. Pairs with: end, fetch_sub
  }
  /// A hint.
  [[nodiscard]] bool some_idle() const noexcept { return active_.load(std::memory_order_relaxed) < workers_; }

  [[nodiscard]] std::uint32_t workers() const noexcept { return workers_; }

 private:
  std::uint32_t const workers_;
  alignas(64) typename Sync::template atomic<std::uint32_t> active_{0};
  alignas(64) std::pmr::deque<typename Sync::template atomic<bool>> runs_;
};

}}}  // namespace skua::v0::ranks
