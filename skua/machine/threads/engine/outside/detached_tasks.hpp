// SPDX-License-Identifier: MIT
// A pool's count of detached calls that have not ended, and the handler of their exceptions.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <utility>

#include "skua/program/wait_group.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class pool_core;
class region;

class detached_tasks {
 public:
  /// Before any call is announced.
  void report_to(std::function<void(std::exception_ptr)> handler) noexcept { on_exception_ = std::move(handler); }

  void add() noexcept { calls_.add(); }
  /// The same for a caller that looks at the number of calls. Returns false if `most` calls or more had not ended before.
  [[nodiscard]] bool add_counting(std::uint64_t most) noexcept {
    if (!counts_at_once()) counts_at_once_.store(true, std::memory_order_relaxed);
    if (calls_.add_below(most)) return true;
    calls_.add();
    return false;
  }
  /// Ends so many calls. May be the last access to the pool.
  void finish(std::uint64_t calls = 1) noexcept { calls_.finish(calls); }
  /// True if somebody looks at the number of calls: a worker that runs several in a row counts each when it ends, and not all with the
  /// last one.
  [[nodiscard]] bool counts_at_once() const noexcept {
    return counts_at_once_.load(std::memory_order_relaxed);  // relaxed: advice
  }
  [[nodiscard]] bool none_left() const noexcept { return calls_.done(); }
  [[nodiscard]] wait_group const& calls() const noexcept { return calls_; }
  /// Call it while an exception that a call threw is handled. Ends the process if the pool has no handler, or the handler throws.
  [[gnu::cold]] void failed() const noexcept;

  /// Returns when no call is left. A worker does other work meanwhile; another thread works in the place of a sleeping
  /// worker of `where`, or blocks if there is none. Throws usage_error inside of a detached call, which would wait for itself.
  void wait(region& where);
  /// The same for the end of the pool: a thread that is no worker blocks, so it needs no resource that the system could refuse.
  void wait_for_workers() noexcept;

 private:
  wait_group calls_;
  std::atomic<bool> counts_at_once_{false};
  std::function<void(std::exception_ptr)> on_exception_;
};

}}}  // namespace skua::v0::runtime
