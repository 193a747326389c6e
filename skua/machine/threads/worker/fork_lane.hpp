// SPDX-License-Identifier: MIT
// The lane of a worker in which the continuations of its joins lie, and what its owner knows of steals. Programs compile
// this and no other lane: a fork touches nothing else.
#pragma once

#include <cstdint>

#include "skua/parts/base/sync.hpp"
#include "skua/parts/context/sanitizer.hpp"
#include "skua/parts/queue/deque.hpp"

namespace skua::runtime {

/// Sync is the real world, or the explorer's.
template <synchronisation Sync = real_sync>
class fork_lane {
 public:
  fork_lane() = default;                                          ///< Throws std::bad_alloc.
  explicit fork_lane(deque_options const& with) : forks(with) {}  ///< Throws std::bad_alloc.

  deque<Sync> forks;  ///< first member: the hot path adds no offset
  std::uint64_t pushes =
      0;  ///< joins' continuations shown so far; the owner's, copied to its counters off the hot path

  void count_push() noexcept {
    tsan::unseen const of_the_worker;
    ++pushes;
  }

  /// Entries of `forks` before this place are no open joins, or their fiber knows that they are stolen. For the owner.
  [[nodiscard]] std::int64_t steals_before() const noexcept {
    tsan::unseen const of_the_worker;
    return steals_before_;
  }
  void steals_are_seen(std::int64_t before) noexcept {
    tsan::unseen const of_the_worker;
    steals_before_ = before;
  }
  [[nodiscard]] bool may_have_steals() const noexcept { return steals_before() < forks.top(); }

 private:
  std::int64_t steals_before_ = 0;
};

}  // namespace skua::runtime
