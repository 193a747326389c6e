// SPDX-License-Identifier: MIT
// The lane for the continuations of joins, and how far its owner has noted steals. Programs compile this lane and no
// other, because a fork touches nothing else.
#pragma once

#include <cstdint>

#include "skua/parts/base/sync.hpp"
#include "skua/parts/context/sanitizer.hpp"
#include "skua/parts/queue/deque.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Sync is the real world, or the explorer's.
template <synchronisation Sync = real_sync>
class fork_lane {
 public:
  fork_lane() = default;                                                ///< Throws std::bad_alloc.
  explicit fork_lane(deque_options const& options) : forks(options) {}  ///< Throws std::bad_alloc.

  deque<Sync> forks;  ///< first member, so that the hot path adds no offset

  /// Entries of `forks` before this position are not open joins, or their fiber already knows that they were stolen.
  /// For the owner.
  [[nodiscard]] std::int64_t steals_before() const noexcept {
    tsan::unseen_accesses const of_the_worker;
    return steals_before_;
  }
  void steals_are_seen(std::int64_t before) noexcept {
    tsan::unseen_accesses const of_the_worker;
    steals_before_ = before;
  }
  /// A fiber that has left another lane, whose bottom was `left_at`, continues in this one, which is empty. Its open joins
  /// remember positions before that, so no entry of this lane may have one of these. For the owner. (group.md, "Nesting")
  void continue_above(std::int64_t left_at) noexcept {
    forks.skip_to(left_at);
    if (steals_before() < left_at) steals_are_seen(left_at);
  }
  [[nodiscard]] bool may_have_steals() const noexcept { return steals_before() < forks.top(); }

 private:
  std::int64_t steals_before_ = 0;
};

}}}  // namespace skua::v0::runtime
