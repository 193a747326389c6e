// SPDX-License-Identifier: MIT
// How a caller takes a worker's place and leaves it (caller.md, C1 and C2). caller_model.cpp runs both.
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

/// C2: wakes the own thread if tasks are left for it, and makes running workers ask about sleepers at their next pushes.
template <class Worker>
void leave_place(Worker& me) noexcept {
  auto& all = me.pool();
  if (all.sleep().take_back(me.number(), [&me] { return work_search::anything_left(me); })) all.request_attention();
}

}}}  // namespace skua::v0::runtime
