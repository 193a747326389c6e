// SPDX-License-Identifier: MIT
// How a fiber leaves the lanes of its worker, and how entries reach the lanes that a policy chose. Generic in fiber and
// slot, so that moving_model.cpp can supply its own. Steps (M1..) and proof: exposed_group.md, "Moving".
#pragma once

#include <utility>

#include "skua/machine/threads/lane/policy_words.hpp"
#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/parts/base/outcome.hpp"
#include "skua/parts/queue/ring.hpp"

namespace skua { inline namespace v0 { namespace runtime {

struct moving {
  /// M1, before a fiber leaves its worker: moves its open joins to where any worker may take them, so that `forks` is
  /// empty (group.md, "Nesting"). False: no memory for that, so the fiber must stay.
  template <class Fiber>
  [[nodiscard]] static bool clear_lanes(Fiber& leaving) noexcept {
    bool const offered = leaving.slot().offer_open_joins([&] { static_cast<void>(leaving.make_room()); });
    leaving.note_steals();
    if (offered) tag_offers(leaving);
    return offered;
  }

  /// M3, once the frame of a fiber that has left the slot `left` is saved: from here on another worker may run it, and it may be gone.
  /// False: the frame stays with the caller.
  template <class Slot, class Entry>
  [[nodiscard]] static bool hand_over(Slot& left, Entry entry, placement const& to) noexcept {
    return to.worker == left.id ? keep(left, left.local, entry) : send(left, entry, to);
  }

  /// Puts an entry into a tagged lane of this worker, where others may take it. False: no memory.
  template <class Slot, class Lane, class Entry>
  [[nodiscard]] static bool keep(Slot& mine, Lane& lane, Entry const& entry) noexcept {
    if (!lane.push(entry)) return false;
    mine.notify_work();
    return true;
  }

  /// Puts an entry into the lane of the other worker that the policy chose; asks again if the mailbox is occupied.
  /// False: the entry stays here, because the policy now wants that, or there is no memory. An inbox takes only frames
  /// and tasks from outside. The entry then has the tag that the policy returned, even if it stays. `went`, unless
  /// null, is set to the final placement.
  template <class Slot, class Entry>
  [[nodiscard]] static bool send(Slot& from, Entry&& entry, placement to, placement* went = nullptr) noexcept {
    while (to.worker != from.id) {
      invariant(index(to.worker) < from.in_workers, "a policy places on a worker of the region");
      Slot& target = from.neighbour(to.worker);
      auto* const moved = to.lane == lane::inbox ? entry.as_frame() : nullptr;
      if (to.lane == lane::mailbox) {
        if (!target.mailbox.push_if_empty(entry)) {
          to = from.policy.place(entry.tag, cause::refused);
          continue;
        }
        if (from.policy.preempts()) target.request_attention();  // so that its running fiber polls
      } else if (moved != nullptr) {
        target.inbox.push(*moved);
      } else if (!lane_of(target, to.lane).push(entry)) {
        return false;
      }
      if (went != nullptr) *went = to;
      target.notify_owner();
      return true;
    }
    return false;
  }

 private:
  template <class Slot>
  [[nodiscard]] static auto& lane_of(Slot& target, lane chosen) noexcept {
    switch (chosen) {
      case lane::local: return target.local;
      case lane::nodes: return target.nodes;
      default: return target.migrated;
    }
  }

  /// If the policy chooses by tags, gives the joins that a fiber offered in `spawned` the tag that thieves could see. An entry
  /// for which there is no memory stays where it is.
  template <class Fiber>
  static void tag_offers(Fiber& leaving) noexcept {
    auto& mine = leaving.slot();
    if (!mine.policy.preempts()) return;
    entry oldest;
    while (mine.spawned.peek(oldest)) {
      if (!mine.spawned.pop_oldest(oldest)) continue;
      if (keep(mine, mine.local, leaving.as_published(oldest))) continue;
      if (mine.spawned.push(oldest.task, oldest.extra)) static_cast<void>(leaving.make_room());
      return;
    }
  }
};

}}}  // namespace skua::v0::runtime
