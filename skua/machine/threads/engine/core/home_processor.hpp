// SPDX-License-Identifier: MIT
// The processor of a pinned worker, and how a thread in the worker's place keeps to it. Threads and processes that a body
// starts inherit the mask of the thread that runs it. So a thread is bound while it sleeps, because the kernel would wake
// it near whoever wakes it, and has its own mask again while it runs tasks, unless somebody asked for more (SKUA_PIN=on).
// (caller.md, "Processors")
#pragma once

#include <cstdint>
#include <optional>

#include "skua/parts/topology/cpu_mask.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Only the present thread of the place uses it. What a sleeper gets back is its own (`saved_mask`), since a caller may come to its
/// place meanwhile.
class home_processor {
 public:
  /// The mask that a thread gets back when it wakes; nothing: the mask that it has.
  using saved_mask = std::optional<cpu_mask>;

  /// Call it on the worker's own thread, which `pool_core::pin` has bound or not. `stays_bound`: it is never released, and
  /// a caller that wakes somebody is bound until it leaves.
  void begin(bool stays_bound);

  /// The kernel may have put this thread on the processor of another worker: at most once a millisecond it goes to its own,
  /// in case others want that processor, too. Cost: getcpu; if it is elsewhere, three system calls.
  void come() noexcept {
    if (pu_ >= 0 && is_elsewhere()) go();
  }
  /// For a caller that has woken a worker.
  void stay() noexcept;
  /// For a caller whose call ends: the mask that it came with.
  void leave() noexcept;

  /// Around each sleep. Cost: two system calls each, 1 us. A mask that somebody else has set meanwhile stays.
  [[nodiscard]] saved_mask before_sleep() const noexcept;
  void after_sleep(saved_mask const& from) const noexcept;
  /// For a worker that `pool_core::pin` has bound, after its first sleep.
  void after_first_sleep(cpu_mask const& usual) const noexcept;

 private:
  [[nodiscard]] bool is_elsewhere() const noexcept;
  void go() noexcept;
  [[nodiscard]] saved_mask bind() const noexcept;
  void release(cpu_mask const& to) const noexcept;

  int pu_ = -1;  ///< -1: the worker is not pinned
  bool stays_bound_ = false;
  std::uint64_t came_ns_ = 0;
  saved_mask callers_;  ///< if it stays bound: the caller's mask before it was
};

}}}  // namespace skua::v0::runtime
