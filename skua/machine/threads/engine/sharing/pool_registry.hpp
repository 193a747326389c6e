// SPDX-License-Identifier: MIT
// The pools of this process, as they see each other: how many workers of each are awake, and for how long its calls last. By that an idle worker knows
// when to give its processor to another pool. States, rules and measurements: sharing.md.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "skua/machine/threads/engine/sleep/sleep_counts.hpp"
#include "skua/parts/base/announced_atomic.hpp"
#include "skua/parts/base/platform.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Any thread. All of it is advice: what is read may be old, and a wrong answer costs time only.
class pool_registry {
 public:
  /// What the others see of a pool. Its memory is the registry's, so that a reader may come after the pool's end.
  class entry {
   public:
    /// The counts of the pool's sleep_state, which writes them.
    [[nodiscard]] announced_atomic<std::uint64_t>& counts() noexcept { return counts_; }
    /// The pool binds a worker to this processor for good. Without effect for numbers from 1024 on.
    void binds_to(std::uint32_t processor) noexcept;

   private:
    friend class pool_registry;
    /// One line, which calls from outside write; the next is written by searchers.
    alignas(cache_line_bytes) announced_atomic<std::uint64_t> counts_{0};
    alignas(cache_line_bytes) std::atomic<std::uint32_t> workers_{0};  ///< 0: the entry is free
    std::atomic<std::uint32_t> process_{0};                            ///< its fork_generation
    std::atomic<std::uint64_t> since_ns_{0};   ///< a searcher first saw that a task runs; 0: none does
    std::atomic<std::uint64_t> lasted_ns_{0};  ///< how long tasks ran the last time
    std::array<std::atomic<std::uint64_t>, 16> bound_{};
  };

  [[nodiscard]] static pool_registry& of_process() noexcept {
    static constinit pool_registry all;
    return all;
  }

  /// Null if there are `capacity` pools: this one neither sees others nor is seen.
  [[nodiscard]] entry* enter(std::uint32_t workers) noexcept;
  void leave(entry* e) noexcept;

  /// True if no pool beside the caller's is registered. Advice: another one may come any time.
  [[nodiscard]] bool has_one_pool() const noexcept {
    return pools_.load(std::memory_order_relaxed) == 1;  // relaxed: advice
  }
  /// For a searcher of the pool `mine`, after a round that found nothing: true if workers of another pool run tasks, more workers are awake than there are
  /// processors, and to change threads is worth it (worth_ns).
  [[nodiscard]] bool others_need_processor(entry const& mine, std::uint32_t processors, std::uint64_t now_ns) noexcept {
    // relaxed: advice
    return pools_.load(std::memory_order_relaxed) > 1 && look_at_others(mine, processors, now_ns);
  }
  /// True if two pools run tasks at the same time, and more workers are awake than there are processors, or did a moment ago. Threads then stay where the system
  /// puts them, because the workers of both pools belong on the same processors.
  [[nodiscard]] bool is_contended(std::uint64_t now_ns) const noexcept {
    return now_ns < contended_until_ns_.load(std::memory_order_relaxed);  // relaxed: advice
  }
  /// True if a pool has bound a worker to this processor.
  [[nodiscard]] bool is_bound_to(std::uint32_t processor) const noexcept;

  static constexpr std::size_t capacity = 64;
  /// To give a processor to another thread delays it by 4 to 7 us: by less than half of what remains of a call that lasts longer than this.
  static constexpr std::uint64_t worth_ns = 12'000;
  static constexpr std::uint64_t contention_ns = 10'000'000;

 private:
  [[nodiscard]] bool look_at_others(entry const& mine, std::uint32_t processors, std::uint64_t now_ns) noexcept;
  /// Notes whether tasks run in the pool. Returns whether they run, and are known to run for long.
  static bool runs_for_long(entry& e, bool runs, std::uint64_t now_ns) noexcept;

  std::atomic<std::uint32_t> pools_{0};
  std::atomic<std::uint64_t> contended_until_ns_{0};
  std::atomic<std::size_t> used_{0};  ///< entries that were ever taken are below this
  std::array<entry, capacity> entries_{};
};

/// A pool's entry for as long as this lives.
class registered_pool {
 public:
  explicit registered_pool(std::uint32_t workers) noexcept : entry_(pool_registry::of_process().enter(workers)) {}
  /// For a pool that shares the processors of another one: not registered.
  registered_pool() noexcept = default;
  ~registered_pool() {
    if (entry_ != nullptr) pool_registry::of_process().leave(entry_);
  }
  registered_pool(registered_pool const&) = delete;
  registered_pool& operator=(registered_pool const&) = delete;

  /// Null: not registered.
  [[nodiscard]] pool_registry::entry* get() const noexcept { return entry_; }
  [[nodiscard]] announced_atomic<std::uint64_t>* counts() const noexcept {
    return entry_ == nullptr ? nullptr : &entry_->counts();
  }

 private:
  pool_registry::entry* const entry_ = nullptr;
};

}}}  // namespace skua::v0::runtime
