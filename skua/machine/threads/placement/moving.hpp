// SPDX-License-Identifier: MIT
// How a fiber leaves the lanes of its worker, and how what a policy has placed comes to a lane. Written against worker slots, so
// that a model can have some (moving_model.cpp). Steps (M1..) and proof: division.md, "moving".
#pragma once

#include <utility>

#include "skua/machine/threads/policy_words.hpp"
#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/parts/base/outcome.hpp"
#include "skua/parts/queue/ring.hpp"

namespace skua::runtime {

struct moving {
  /// M1, before a fiber leaves its worker: its open joins go to where anybody may take them, so that it leaves an empty
  /// `forks` (group.md, "nesting"). False: no memory for that, the fiber must stay.
  template <class Fiber>
  [[nodiscard]] static bool clear_lanes(Fiber& leaving) noexcept {
    bool const offered = leaving.at().offer_open_joins([&] { static_cast<void>(leaving.make_room()); });
    leaving.note_steals();
    if (offered) tag_offers(leaving);
    return offered;
  }

  /// M3, once the frame of a fiber that was `at` is saved: from here on another worker may run it, and it may be gone.
  /// False: it stays, and is the caller's.
  template <class Slot, class Entry>
  [[nodiscard]] static bool hand_over(Slot& at, Entry const& entry, placement const& to) noexcept {
    return to.worker == at.id ? keep(at, at.local, entry) : send(at, entry, to);
  }

  /// Into a tagged lane of this worker, where others may take it. False: no memory.
  template <class Slot, class Lane, class Entry>
  [[nodiscard]] static bool keep(Slot& mine, Lane& lane, Entry const& entry) noexcept {
    if (!lane.push(entry)) return false;
    mine.notify_work();
    return true;
  }

  /// Puts what the policy has placed on another worker there; asks again while a slot is occupied. False: it stays here,
  /// because the policy wants that after all, or there is no memory. Only frames and tasks from outside go to an inbox.
  template <class Slot, class Entry>
  [[nodiscard]] static bool send(Slot& from, Entry entry, placement to) noexcept {
    while (to.worker != from.id) {
      invariant(index(to.worker) < from.in_workers, "a policy places on a worker of the region");
      Slot& target = from.neighbour(to.worker);
      auto* const moved = to.where == lane::inbox ? entry.as_frame() : nullptr;
      if (to.where == lane::mailbox) {
        if (!target.mailbox.push_if_empty(entry)) {
          to = from.policy.place(entry.tag, cause::refused);
          continue;
        }
        if (from.policy.preempts()) target.request_attention();  // what runs there shall look up
      } else if (moved != nullptr) {
        target.inbox.push(*moved);
      } else if (!(to.where == lane::local ? target.local : target.migrated).push(entry)) {
        return false;
      }
      target.notify_owner();
      return true;
    }
    return false;
  }

 private:
  /// What a fiber has offered in `spawned`: where the policy chooses by tags, it gets the tag under which it was shown.
  /// Without memory for that it stays.
  template <class Fiber>
  static void tag_offers(Fiber& leaving) noexcept {
    auto& mine = leaving.at();
    if (!mine.policy.preempts()) return;
    entry oldest;
    while (mine.spawned.peek(oldest)) {
      if (mine.spawned.outside().steal(oldest) != outcome::got) continue;
      if (keep(mine, mine.local, leaving.as_published(oldest))) continue;
      if (mine.spawned.push(oldest.task, oldest.extra)) static_cast<void>(leaving.make_room());
      return;
    }
  }
};

}  // namespace skua::runtime
