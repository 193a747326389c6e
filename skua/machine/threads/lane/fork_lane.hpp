// SPDX-License-Identifier: MIT
// The lane of joins: where thieves find the open joins of the fiber that runs on a worker. The joins lie in a deque of the fiber, which
// goes with it from worker to worker; the lane says which deque that is now. States and proof: fork_lane.md.
#pragma once

#include <atomic>

#include "skua/parts/base/sync.hpp"
#include "skua/parts/queue/fork_deque.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Sync is the real world, or the explorer's.
template <synchronisation Sync = real_sync, class Deque = fork_deque<Sync>>
class fork_lane {
 public:
  explicit fork_lane(Deque& first) noexcept : current_(&first) {}

  /// For the owner.
  [[nodiscard]] Deque& forks() const noexcept { return *current_.load(std::memory_order_relaxed); }  // relaxed: ours
  /// For the owner: from now on a fiber runs here whose joins are in `d`. Its next push asks for attention.
  void enter(Deque& d) noexcept {
    if (&forks() == &d) return;
    current_.store(&d, std::memory_order_release);  // release: the deque. Partner: seen
    Sync::full_fence();  // the deque before the announcements that the next poll reads. Partner: request_fork_attention
    d.request_attention();
  }

  /// What thieves see. They may see a deque that has left; then it is, or was, on another worker of the region.
  [[nodiscard]] typename Deque::victim forks_outside() const noexcept { return seen()->outside(); }
  /// Makes the next push of a join here ask for attention. Any thread.
  void request_fork_attention() const noexcept {
    Sync::full_fence();  // what was announced before the look at the deque. Partner: enter
    seen()->outside().request_attention();
  }

 private:
  [[nodiscard]] Deque* seen() const noexcept {
    return current_.load(std::memory_order_acquire);  // acquire: the deque. Partner: enter
  }

  typename Sync::template atomic<Deque*> current_;
};

}}}  // namespace skua::v0::runtime
