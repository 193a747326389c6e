// SPDX-License-Identifier: MIT
// The processor of a pinned worker, and how a thread in the worker's place keeps to it. Threads and processes that a body
// starts inherit the mask of the thread that runs it. So a thread is bound only while it sleeps, because the kernel would wake it
// near its waker; while it runs tasks it has its own mask again, unless the user asked for more (SKUA_PIN=on).
// (caller.md, "Processors")
#pragma once

#include <cstdint>
#include <optional>

#include "skua/machine/threads/engine/sharing/pool_registry.hpp"
#include "skua/parts/base/busy_spell.hpp"
#include "skua/parts/topology/cpu_mask.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Only the present thread of the place uses it. A sleeper keeps its own mask (`saved_mask`), because a caller may take its place
/// meanwhile.
class home_processor {
 public:
  /// The mask that a thread gets back when it wakes; nothing: the mask that it has.
  using saved_mask = std::optional<cpu_mask>;

  /// Call it on the worker's own thread, which `pool_core::pin` has bound or not. `stays_bound`: it is never released, and
  /// a caller that wakes a worker is bound until it leaves.
  void begin(bool stays_bound);

  /// Moves this thread to its own processor, at most once a millisecond: the kernel may have put it on the processor of another
  /// worker. Cost: getcpu; if it is elsewhere, three system calls.
  void come() noexcept {
    if (pu_ >= 0 && is_elsewhere()) go();
  }
  /// For a caller that has woken a worker.
  void stay() noexcept;
  /// For a caller whose call ends: restores the mask that it came with.
  void leave() noexcept;

  /// Around each sleep. Cost: two system calls each, 1 us. Keeps a mask that something else has set meanwhile.
  [[nodiscard]] saved_mask before_sleep() const noexcept;
  void after_sleep(saved_mask const& from) const noexcept;
  /// For a worker that `pool_core::pin` has bound, after its first sleep.
  void after_first_sleep(cpu_mask const& usual) const noexcept;

 private:
  /// Threads stay where the system puts them in a busy spell, and while pools of this process contend for processors: one that waits for its own processor would stand behind
  /// others while another may be free.
  [[nodiscard]] static bool are_left(std::uint64_t now_ns) noexcept {
    return busy_spell::of_process().is_on(now_ns) || pool_registry::of_process().is_contended(now_ns);
  }
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
