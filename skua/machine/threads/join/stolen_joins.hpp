// SPDX-License-Identifier: MIT
// Which open joins of a fiber have been stolen, and so may fail while the fiber runs their first child. An open join
// writes nothing in preparation; its owner finds out on paths that are slow anyway. Proof: group.md, "Stolen groups".
// stolen_joins_model.cpp runs every schedule with at most two preemptions.
#pragma once

#include <cstdint>
#include <utility>

#include "skua/machine/threads/join/share_count.hpp"
#include "skua/machine/threads/worker/fork_lane.hpp"
#include "skua/parts/base/sync.hpp"

namespace skua::runtime {

/// A group that may lie inside another one. Sync is the real world, or the explorer's.
template <synchronisation Sync = real_sync>
class open_join : public share_count<Sync> {
 public:
  using share_count<Sync>::share_count;

  /// True if this join, or one around it, has failed or was abandoned. The other flags only request cancellation; the
  /// joins publish the data.
  [[nodiscard]] bool wants_end() const noexcept {
    for (open_join const* j = this; j != nullptr; j = j->around_.get()) {
      std::uint64_t const state = j->flags_and_more();
      if ((state & (open_join::failed | open_join::abandoned)) != 0) return true;
      if ((state & open_join::enclosed) == 0) return false;
    }
    return false;
  }

 private:
  template <synchronisation>
  friend class stolen_joins;
  /// Valid once `enclosed` is set: null, or a join of the same fiber that is still open and stolen.
  typename Sync::template plain<open_join*> around_;
};

/// The joins of one fiber that it knows to be stolen, innermost first. For the fiber.
template <synchronisation Sync = real_sync>
class stolen_joins {
 public:
  /// Links what was stolen from `forks` since the previous call. `join_of(task)` is null for a task that is not an open
  /// join of this fiber. Skips entries before the position `base`: joins below a nested task. True if it linked any.
  /// Cold.
  template <class JoinOf>
  bool note(fork_lane<Sync>& of, std::int64_t base, JoinOf&& join_of) noexcept {
    open_join<Sync>* const before = innermost_;
    std::int64_t seen = of.steals_before();
    of.forks.each_stolen(seen, [&, place = seen](void* task, std::uint64_t) mutable {
      bool const below = std::exchange(place, place + deque<Sync>::step) < base;
      if (task == nullptr || below) return;
      open_join<Sync>* const stolen = join_of(task);
      if (stolen == nullptr) return;
      stolen->around_.set(std::exchange(innermost_, stolen));
      stolen->enclose();
    });
    of.steals_are_seen(seen);
    return innermost_ != before;
  }

  /// Links `group`, which does not lie in `forks`, under the joins known to be stolen. Call it after `note`, and before
  /// any child of the group can run.
  void surround(open_join<Sync>& group) const noexcept {
    if (innermost_ == nullptr) return;
    group.around_.set(innermost_);
    group.enclose();
  }

  /// The wait for `ended` is over. Call this after `note`.
  void forget(open_join<Sync>& ended) noexcept {
    if (innermost_ == &ended) innermost_ = ended.around_.get();
  }

  [[nodiscard]] bool want_end() const noexcept { return innermost_ != nullptr && innermost_->wants_end(); }

 private:
  open_join<Sync>* innermost_ = nullptr;
};

}  // namespace skua::runtime
