// SPDX-License-Identifier: MIT
// Whether a worker is inside of isolate(), so that it takes nothing until the isolated call returns. For workers that are about to
// send it a task that only it may take. (team.md, "Isolated workers")
#pragma once

#include <atomic>

#include "skua/parts/base/sync.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Invariant (one order of marks and looks): a worker that looks on behalf of an isolated call sees the mark of that call, and of two
/// calls that look for each other's mark at least one sees the other's.
template <synchronisation Sync = real_sync>
class isolation_mark {
 public:
  // For the worker.
  void set() noexcept {
    is_set_.store(true, std::memory_order_seq_cst);  // seq_cst: before what the call forks. Pairs with: is_set, load
  }
  void clear() noexcept {
    is_set_.store(false, std::memory_order_relaxed);  // relaxed: a worker that misses it makes a narrower team
  }
  /// Any thread.
  [[nodiscard]] bool is_set() const noexcept {
    return is_set_.load(std::memory_order_seq_cst);  // seq_cst: pairs with set, store
  }

 private:
  typename Sync::template atomic<bool> is_set_{false};
};

}}}  // namespace skua::v0::runtime
