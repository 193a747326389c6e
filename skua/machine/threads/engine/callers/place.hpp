// SPDX-License-Identifier: MIT
// How a caller takes a worker's place and leaves it (caller.md, C1 and C5). caller_model.cpp runs both.
#pragma once

#include "skua/machine/threads/engine/loop/work_search.hpp"
#include "skua/machine/threads/engine/sleep/sleep.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// C1: only while no frame is tied to the worker's own thread. `request_attention()`: in the lanes of w.
template <class Sleepers, class Departure, class Request>
[[nodiscard]] loan take_place(Sleepers& sleep, worker_id w, Departure const& tied,
                              Request&& request_attention) noexcept {
  return sleep.lend(w, [&tied] { return tied.is_free(); }, request_attention);
}

/// The same without a lock, if the last caller has left the place open (open_place.md).
template <class Pool>
[[nodiscard]] bool take_open_place(Pool& all, worker_id w) noexcept {
  return index(w) == 0 && all.leaves_places_open() && all.sleep().enter_open();
}

/// C5: wakes the own thread if tasks are left for it, and makes running workers ask about sleepers at their next pushes.
template <class Worker>
void leave_place(Worker& me) noexcept {
  auto& all = me.pool();
  auto const anything_left = [&me] { return work_search::anything_left(me); };
  if (all.sleep().has_entered_open(me.number()) && all.sleep().leave_open(anything_left)) {
    // From here on another thread may be in the place.
    if (all.sleep().nobody_else_is_idle()) {
      all.request_attention_of_others(me.number());
      all.notify_of_common_work();
    }
    return;
  }
  left_as const stays = all.leaves_places_open() ? left_as::open : left_as::shut;
  if (all.sleep().take_back(me.number(), anything_left, stays)) all.request_attention();
}

}}}  // namespace skua::v0::runtime
