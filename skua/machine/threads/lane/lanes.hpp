// SPDX-License-Identifier: MIT
// The lanes of one worker in one region that need no policy.
#pragma once

#include <cstdint>
#include <utility>

#include "skua/machine/threads/lane/fork_lane.hpp"
#include "skua/machine/threads/lane/spawned_lane.hpp"
#include "skua/parts/base/outcome.hpp"
#include "skua/parts/base/sync.hpp"
#include "skua/parts/queue/deque.hpp"
#include "skua/parts/queue/injector.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Sync is the real world, or the explorer's. `Front` is the base with the lane of forks (fork_lane.hpp).
template <synchronisation Sync = real_sync, class Front = fork_lane<Sync>>
class lanes : public Front {
 public:
  /// Throws std::bad_alloc. The arguments after the options go to the front.
  template <class... More>
  explicit lanes(deque_options const& options, More&&... more) : Front(std::forward<More>(more)...), spawned(options) {}

  spawned_lane<Sync> spawned;
  injector<Sync> inbox;  ///< frames and tasks that other workers put here

  /// Makes the next push on either lane ask for attention. Any thread.
  void request_attention() noexcept {
    this->request_fork_attention();
    spawned.outside().request_attention();
  }

  /// The same, for the owner: costs no more than two loads if nothing was pushed since the last request.
  void request_own_attention() noexcept {
    this->forks().request_attention();
    spawned.request_attention();
  }

  /// True if a thief would find no entry here. A hint. Any thread.
  [[nodiscard]] bool looks_stolen() noexcept {
    return this->forks_outside().looks_empty() && spawned.outside().looks_empty();
  }

  /// For the owner, after a push that asked for attention: makes room for the next pushes; false if there is no memory.
  /// note() looks at steals afterwards.
  template <class Note>
  [[nodiscard]] bool make_room(Note&& note) noexcept {
    bool const room = this->forks().poll() != attention::full;
    bool const more_room = spawned.poll() != attention::full;
    note();
    return room && more_room;
  }

  /// For the owner, before its fiber parks: moves the untaken entries of `forks` to `spawned`, oldest first. From then
  /// on they count as stolen. poll() makes room. False: no memory for that. (group.md, "Nesting")
  template <class Poll>
  [[nodiscard]] bool offer_open_joins(Poll&& poll) noexcept {
    entry oldest;
    while (!this->forks().is_empty()) {
      if (!spawned.reserve()) return false;
      if (!this->forks().pop_oldest(oldest)) continue;
      if (spawned.push(oldest.task, oldest.extra)) poll();  // there is room: it was reserved
    }
    return true;
  }
};

}}}  // namespace skua::v0::runtime
