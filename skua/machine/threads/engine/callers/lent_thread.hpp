// SPDX-License-Identifier: MIT
// The thread that runs enqueued tasks while all workers of a pool are blocked outside of Skua, so that each enqueued task
// begins. oneTBB's "mandatory concurrency". States, bound and proof: lent_thread.md.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "skua/machine/threads/engine/outside/lending.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class pool_core;

class lent_thread {
 public:
  explicit lent_thread(pool_core& c) noexcept : core_(c) {}
  lent_thread(lent_thread const&) = delete;
  lent_thread& operator=(lent_thread const&) = delete;
  ~lent_thread() { end(); }

  /// Call it when an enqueued task is left and no sleeping worker may take it. Any thread.
  void ask() noexcept;
  /// Ends and joins the thread. Not in a task that the thread runs.
  void end() noexcept;

  /// The number of tasks that it has begun.
  [[nodiscard]] std::uint64_t ran() const noexcept { return ran_.load(std::memory_order_relaxed); }  // relaxed: a hint
  /// True while it runs a task. A hint, too.
  [[nodiscard]] bool runs_one() const noexcept {
    return is_running_.load(std::memory_order_relaxed);
  }  // relaxed: as above

 private:
  [[nodiscard]] bool start() noexcept;
  void run() noexcept;
  [[nodiscard]] bool watch() noexcept;

  pool_core& core_;
  lending<> lending_;
  std::thread thread_;       ///< under the lock of lending_; after end() only its caller uses it
  std::uint64_t marks_ = 0;  ///< the thread's, both: a hash of the workers' state at its last look
  std::uint64_t since_ns_ = 0;
  std::atomic<std::uint64_t> ran_{0};
  std::atomic<bool> is_running_{false};
};

}}}  // namespace skua::v0::runtime
