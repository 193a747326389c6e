// SPDX-License-Identifier: MIT
// The lanes of one worker in one region that need no policy, and how far their owner has noted steals.
#pragma once

#include <cstdint>

#include "skua/parts/base/outcome.hpp"
#include "skua/parts/base/sync.hpp"
#include "skua/parts/context/sanitizer.hpp"
#include "skua/parts/queue/deque.hpp"
#include "skua/parts/queue/injector.hpp"

namespace skua::runtime {

/// Sync is the real world, or the explorer's.
template <synchronisation Sync = real_sync>
class lanes {
 public:
  lanes() = default;                                                         ///< Throws std::bad_alloc.
  explicit lanes(deque_options const& with) : forks(with), spawned(with) {}  ///< Throws std::bad_alloc.

  deque<Sync> forks;  ///< first member, so that the hot path adds no offset
  /// Continuations that joins have offered. The owner copies the number to its counters off the hot path.
  std::uint64_t pushes = 0;
  deque<Sync> spawned;
  injector<Sync> inbox;  ///< frames and tasks that other workers put here

  void count_push() noexcept {
    tsan::unseen const of_the_worker;
    ++pushes;
  }

  /// Makes the next push on either lane ask for attention. Any thread.
  void request_attention() noexcept {
    forks.outside().request_attention();
    spawned.outside().request_attention();
  }

  /// True if a thief would find nothing here. A hint. Any thread.
  [[nodiscard]] bool looks_stolen() noexcept {
    return forks.outside().looks_empty() && spawned.outside().looks_empty();
  }

  /// Entries of `forks` before this position are not open joins, or their fiber already knows that they were stolen.
  /// For the owner.
  [[nodiscard]] std::int64_t steals_before() const noexcept {
    tsan::unseen const of_the_worker;
    return steals_before_;
  }
  void steals_are_seen(std::int64_t before) noexcept {
    tsan::unseen const of_the_worker;
    steals_before_ = before;
  }
  [[nodiscard]] bool may_have_steals() const noexcept { return steals_before() < forks.top(); }

  /// For the owner, after a push that asked for attention: makes room for the next pushes; false if there is no memory.
  /// note() must look at steals afterwards, because the next pushes may overwrite the ring slots. It need not do so
  /// before: a ring that grows has lost nothing to thieves since the previous call.
  template <class Note>
  [[nodiscard]] bool make_room(Note&& note) noexcept {
    bool const room = forks.poll() != attention::full;
    bool const more_room = spawned.poll() != attention::full;
    note();
    return room && more_room;
  }

  /// For the owner, before its fiber parks: moves the untaken entries of `forks` to `spawned`, oldest first. From then
  /// on they count as stolen. poll() makes room. False: no memory for that. (group.md, "Nesting")
  template <class Poll>
  [[nodiscard]] bool offer_open_joins(Poll&& poll) noexcept {
    entry oldest;
    while (forks.peek(oldest)) {
      if (!spawned.reserve()) return false;
      if (forks.outside().steal(oldest) != outcome::got) continue;
      if (spawned.push(oldest.task, oldest.extra)) poll();  // there is room: it was reserved
    }
    return true;
  }

 private:
  std::int64_t steals_before_ = 0;
};

}  // namespace skua::runtime
