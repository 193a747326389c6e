// SPDX-License-Identifier: MIT
// The lanes of one worker in one region, and what their owner knows of steals.
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

  deque<Sync> forks;  ///< first member: the hot path adds no offset
  std::uint64_t pushes =
      0;  ///< joins' continuations shown so far; the owner's, copied to its counters off the hot path
  deque<Sync> spawned;
  injector<Sync> inbox;  ///< frames and tasks placed here by other workers

  void count_push() noexcept {
    tsan::unseen const of_the_worker;
    ++pushes;
  }

  /// The next push on either lane will ask for attention. Any thread.
  void request_attention() noexcept {
    forks.outside().request_attention();
    spawned.outside().request_attention();
  }

  /// Nothing for a thief here, as far as can be seen. Any thread.
  [[nodiscard]] bool looks_stolen() noexcept {
    return forks.outside().looks_empty() && spawned.outside().looks_empty();
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

  /// For the owner, after a push that asked for attention: room for the next ones; false if there is no memory. Then
  /// note() must look at steals: the next pushes may overwrite the slots. Before is not necessary: a ring that grows
  /// has not been stolen since the last time.
  template <class Note>
  [[nodiscard]] bool make_room(Note&& note) noexcept {
    bool const room = forks.poll() != attention::full;
    bool const more_room = spawned.poll() != attention::full;
    note();
    return room && more_room;
  }

  /// For the owner, before its fiber parks: entries of `forks` that nobody has taken go to `spawned`, oldest first,
  /// and count as stolen from now on; attend() makes room. False: no memory for that. (group.md, "nesting")
  template <class Poll>
  [[nodiscard]] bool offer_open_joins(Poll&& poll) noexcept {
    entry oldest;
    while (forks.peek(oldest)) {
      if (!spawned.reserve()) return false;
      if (forks.outside().steal(oldest) != outcome::got) continue;
      if (spawned.push(oldest.task, oldest.extra)) poll();  // there is room: reserved
    }
    return true;
  }

 private:
  std::int64_t steals_before_ = 0;
};

}  // namespace skua::runtime
