// SPDX-License-Identifier: MIT
// The threads of a pool, and what they share: stacks, sleep, the list of regions. Closing joins.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "skua/machine/threads/sleep/sleep.hpp"
#include "skua/machine/threads/worker/worker.hpp"
#include "skua/parts/base/options.hpp"
#include "skua/parts/context/stack.hpp"
#include "skua/parts/topology/cpu_mask.hpp"
#include "skua/parts/topology/layout.hpp"
#include "skua/parts/topology/pin.hpp"

namespace skua::runtime {

class pool_core {
 public:
  /// Makes the workers' records; `start` makes the threads.
  pool_core(layout map, settings const& chosen, cpu_mask allowed);
  ~pool_core();
  pool_core(pool_core const&) = delete;
  pool_core& operator=(pool_core const&) = delete;

  /// Throws resource_error if a thread or a stack cannot be had; then none is left running.
  void start();

  /// A region of these workers, known to them from now on.
  std::shared_ptr<region> open_region(std::string_view policy_name, std::span<worker_id const> members);
  /// Its work is done: the workers forget it.
  void close_region(region const& r) noexcept;

  [[nodiscard]] layout const& map() const noexcept { return map_; }
  [[nodiscard]] std::uint32_t workers() const noexcept { return static_cast<std::uint32_t>(workers_.size()); }
  [[nodiscard]] worker& worker_at(worker_id w) noexcept { return *workers_[index(w)]; }
  [[nodiscard]] sleep_state<>& sleep() noexcept { return sleep_; }
  [[nodiscard]] stack_pool& stacks() noexcept { return stacks_; }
  /// The processors that whoever made the first pool could use; a pinned worker's own mask says less.
  [[nodiscard]] cpu_mask const& allowed() const noexcept { return allowed_; }
  [[nodiscard]] std::uint64_t spin_ns() const noexcept { return spin_ns_; }
  /// While one lives, the pool does: for threads that are none of its workers, and let go of something whose end may
  /// be the end of the pool.
  class visit {
   public:
    explicit visit(pool_core& c) noexcept : core_(c) {
      core_.visitors_.fetch_add(1, std::memory_order_relaxed);  // relaxed: published with what the visitor lets go of
    }
    // release: the visitor's last touch. Pairs with: ~pool, load.
    ~visit() { core_.visitors_.fetch_sub(1, std::memory_order_release); }
    visit(visit const&) = delete;
    visit& operator=(visit const&) = delete;

   private:
    pool_core& core_;
  };

  /// In a child of fork() the threads do not exist: then a pool must not be destroyed.
  [[nodiscard]] bool lost_by_fork() const noexcept;
  void check_process() const;  ///< Throws error in such a child.

  // For workers.
  [[nodiscard]] bool closing() const noexcept {
    // acquire: the last work before closing. Pairs with: ~pool, store.
    return closing_.load(std::memory_order_acquire);
  }
  [[nodiscard]] std::uint64_t regions_version() const noexcept {
    // acquire: the list is read after its number. Pairs with: open_region, increment.
    return regions_version_.load(std::memory_order_acquire);
  }
  std::uint64_t copy_regions(std::vector<std::shared_ptr<region>>& into);
  /// Pins the calling thread, which is w's; what came of it, for people.
  [[nodiscard]] std::string pin(worker_id w) const;
  void request_attention() noexcept;  ///< all lanes of all regions
  void back_off() noexcept;           ///< between two rounds of a search

 private:
  void stop() noexcept;

  layout const map_;
  cpu_mask const allowed_;
  bool const pinning_;
  std::uint64_t const spin_ns_;
  bool const oversubscribed_;  ///< more workers than processors: searchers must yield
  pid_t const process_;
  stack_pool stacks_;
  sleep_state<> sleep_;
  std::vector<std::unique_ptr<worker>> workers_;
  std::atomic<bool> closing_{false};
  std::atomic<std::uint32_t> visitors_{0};

  std::mutex regions_changing_;
  std::vector<std::shared_ptr<region>> regions_;  ///< under the mutex
  std::atomic<std::uint64_t> regions_version_{0};
};

}  // namespace skua::runtime
