// SPDX-License-Identifier: MIT
// Which work a region has, and for which worker: the conditions that a thread checks before it sleeps, leaves a worker's place, or ends the
// process (sleep.md). They only ask queues whether these look empty, so that region_looks_model.cpp can pass its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <type_traits>

namespace skua { inline namespace v0 { namespace runtime {

/// True if there are tasks that no task of the region has made: injected ones, or those in the lanes of threads from outside.
template <class Injected, class Outside>
[[nodiscard]] bool has_from_outside(Injected const& injected, Outside const& outside) noexcept {
  return !injected.looks_empty() || !outside.look_empty();
}

/// True if thieves find nothing in the lanes of this slot.
template <class Slot>
[[nodiscard]] bool offers_nothing(Slot& s) noexcept {
  return s.looks_stolen() && s.tagged_lanes_look_empty();
}

/// S3, S5: true if the worker of slot `mine` has no ready frame, no task from outside, an empty inbox, and no lane to steal from.
/// With a null slot: true if there is nothing that any member may take. The lanes of a worker that sleeps are empty, or another thread is about to
/// wake it (sleep.md, "Lanes of sleepers"), so those of slot i are not looked at if sleeps(i).
template <class Slot, class Ready, class Injected, class Outside, class Slots, class Sleeps>
[[nodiscard]] bool nothing_for(Slot* mine, Ready const& ready, Injected const& injected, Outside const& outside,
                               Slots const& slots, Sleeps const& sleeps) noexcept {
  if (!ready.looks_empty() || has_from_outside(injected, outside)) return false;
  if (mine != nullptr && !(mine->inbox.looks_empty() && offers_nothing(*mine))) return false;
  for (std::uint32_t i = 0; i < std::ranges::size(slots); ++i) {
    if (!sleeps(i) && !offers_nothing(*slots[i])) return false;
  }
  return true;
}

/// C5: true if something is left for the worker of slot `mine`, in its own lanes or in those that every member may take from. (caller.md)
template <class Slot, class Ready, class Injected, class Outside>
[[nodiscard]] bool leaves_for(Slot& mine, Ready const& ready, Injected const& injected,
                              Outside const& outside) noexcept {
  return !mine.looks_stolen() || !mine.inbox.looks_empty() || !mine.tagged_lanes_look_empty() ||
         has_from_outside(injected, outside) || !ready.looks_empty();
}

/// E1: true if there is nothing for any worker.
template <class Ready, class Injected, class Outside, class Slots>
[[nodiscard]] bool nothing_for_any(Ready const& ready, Injected const& injected, Outside const& outside,
                                   Slots const& slots) noexcept {
  using slot = std::remove_cvref_t<decltype(**std::ranges::begin(slots))>;
  return nothing_for<slot>(nullptr, ready, injected, outside, slots, [](std::uint32_t) { return false; }) &&
         std::ranges::all_of(slots, [](auto const& s) { return s->inbox.looks_empty(); });
}

/// True if the lanes that only some policies need are empty. `ordered` is null if the policy does not need it.
template <class Queue, class Ordered>
[[nodiscard]] bool tagged_lanes_are_empty(Queue const& mailbox, Queue const& local, Queue const& migrated,
                                          Queue const& next, Queue const& nodes, Ordered const* ordered) noexcept {
  return mailbox.looks_empty() && local.looks_empty() && migrated.looks_empty() && next.looks_empty() &&
         nodes.looks_empty() && (ordered == nullptr || ordered->looks_empty());
}

}}}  // namespace skua::v0::runtime
