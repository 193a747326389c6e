// SPDX-License-Identifier: MIT
// The lanes of one worker in one region.
#pragma once

#include <utility>

#include "skua/machine/threads/worker/fork_lane.hpp"
#include "skua/parts/base/outcome.hpp"
#include "skua/parts/base/sync.hpp"
#include "skua/parts/queue/deque.hpp"
#include "skua/parts/queue/injector.hpp"

namespace skua::runtime {

/// Sync is the real world, or the explorer's. `Front` is the base that holds the forks: fork_lane.hpp.
template <synchronisation Sync = real_sync, class Front = fork_lane<Sync>>
class lanes : public Front {
 public:
  lanes() = default;  ///< Throws std::bad_alloc.
  /// Throws std::bad_alloc. What follows the options is for the front.
  template <class... More>
  explicit lanes(deque_options const& with, More&&... more) : Front(with, std::forward<More>(more)...), spawned(with) {}

  deque<Sync> spawned;
  injector<Sync> inbox;  ///< frames and tasks placed here by other workers

  /// The next push on either lane will ask for attention. Any thread.
  void request_attention() noexcept {
    this->forks.outside().request_attention();
    spawned.outside().request_attention();
  }

  /// Nothing for a thief here, as far as can be seen. Any thread.
  [[nodiscard]] bool looks_stolen() noexcept {
    return this->forks.outside().looks_empty() && spawned.outside().looks_empty();
  }

  /// For the owner, after a push that asked for attention: room for the next ones; false if there is no memory. Then
  /// note() must look at steals: the next pushes may overwrite the slots. Before is not necessary: a ring that grows
  /// has not been stolen since the last time.
  template <class Note>
  [[nodiscard]] bool make_room(Note&& note) noexcept {
    bool const room = this->forks.poll() != attention::full;
    bool const more_room = spawned.poll() != attention::full;
    note();
    return room && more_room;
  }

  /// For the owner, before its fiber parks: entries of `forks` that nobody has taken go to `spawned`, oldest first,
  /// and count as stolen from now on; attend() makes room. False: no memory for that. (group.md, "nesting")
  template <class Attend>
  [[nodiscard]] bool offer_open_joins(Attend&& poll) noexcept {
    entry oldest;
    while (this->forks.peek(oldest)) {
      if (!spawned.reserve()) return false;
      if (this->forks.outside().steal(oldest) != outcome::got) continue;
      if (spawned.push(oldest.task, oldest.extra)) poll();  // there is room: reserved
    }
    return true;
  }
};

}  // namespace skua::runtime
