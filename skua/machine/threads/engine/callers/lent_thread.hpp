// SPDX-License-Identifier: MIT
// The thread that runs enqueued tasks while all workers of a pool wait for something that is none of Skua's, so that what
// was enqueued is begun. oneTBB's "mandatory concurrency". States, bound and proof: lent_thread.md.
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

  /// An enqueued task lies there, and no worker sleeps who may take it. Any thread.
  void ask() noexcept;
  /// When this returns there is no thread. Not in a task that it runs.
  void end() noexcept;

  /// How many tasks it has begun.
  [[nodiscard]] std::uint64_t ran() const noexcept { return ran_.load(std::memory_order_relaxed); }  // relaxed: a hint
  /// A hint, too.
  [[nodiscard]] bool runs_one() const noexcept {
    return is_running_.load(std::memory_order_relaxed);
  }  // relaxed: as above

 private:
  [[nodiscard]] bool start() noexcept;
  void run() noexcept;
  [[nodiscard]] bool watch() noexcept;

  pool_core& core_;
  lending<> when_;
  std::thread thread_;       ///< under the lock of when_; who has called end() uses it alone
  std::uint64_t marks_ = 0;  ///< the thread's, both: what stood for the workers' state at the last look
  std::uint64_t since_ns_ = 0;
  std::atomic<std::uint64_t> ran_{0};
  std::atomic<bool> is_running_{false};
};

}}}  // namespace skua::v0::runtime
