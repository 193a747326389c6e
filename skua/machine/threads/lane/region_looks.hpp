// SPDX-License-Identifier: MIT
// What a region has for whom: the conditions that those look at who fall asleep, leave a worker's place, or end the process (sleep.md). Of
// queues they ask only whether these look empty, so that region_looks_model.cpp asks the same of its own.
#pragma once

#include <algorithm>
#include <iterator>
#include <type_traits>

namespace skua { inline namespace v0 { namespace runtime {

/// Tasks that no task of the region has made: injected ones, and those in the lanes of threads from outside.
template <class Injected, class Outside>
[[nodiscard]] bool has_from_outside(Injected const& injected, Outside const& outside) noexcept {
  return !injected.looks_empty() || !outside.look_empty();
}

/// S3, S5: nothing for the worker of slot `mine`: no ready frame, nothing from outside, nothing in its inbox, no lane to take from.
/// With a null slot: nothing that any member may take.
template <class Slot, class Ready, class Injected, class Outside, class Slots>
[[nodiscard]] bool nothing_for(Slot* mine, Ready const& ready, Injected const& injected, Outside const& outside,
                               Slots const& slots) noexcept {
  if (!ready.looks_empty() || has_from_outside(injected, outside)) return false;
  if (mine != nullptr && !mine->inbox.looks_empty()) return false;
  return std::ranges::all_of(slots, [](auto const& s) { return s->looks_stolen() && s->tagged_lanes_look_empty(); });
}

/// C5: something is left for the worker of slot `mine`, in its own lanes or where anybody may take it. (caller.md)
template <class Slot, class Ready, class Injected, class Outside>
[[nodiscard]] bool leaves_for(Slot& mine, Ready const& ready, Injected const& injected,
                              Outside const& outside) noexcept {
  return !mine.looks_stolen() || !mine.inbox.looks_empty() || !mine.tagged_lanes_look_empty() ||
         has_from_outside(injected, outside) || !ready.looks_empty();
}

/// E1: nothing for any worker.
template <class Ready, class Injected, class Outside, class Slots>
[[nodiscard]] bool nothing_for_any(Ready const& ready, Injected const& injected, Outside const& outside,
                                   Slots const& slots) noexcept {
  using slot = std::remove_cvref_t<decltype(**std::ranges::begin(slots))>;
  return nothing_for<slot>(nullptr, ready, injected, outside, slots) &&
         std::ranges::all_of(slots, [](auto const& s) { return s->inbox.looks_empty(); });
}

/// The lanes that only some policies need. `ordered`: null where the policy does not need it.
template <class Queue, class Ordered>
[[nodiscard]] bool tagged_lanes_are_empty(Queue const& mailbox, Queue const& local, Queue const& migrated,
                                          Ordered const* ordered) noexcept {
  return mailbox.looks_empty() && local.looks_empty() && migrated.looks_empty() &&
         (ordered == nullptr || ordered->looks_empty());
}

}}}  // namespace skua::v0::runtime
