// SPDX-License-Identifier: MIT
// Work that must complete although a stop was requested around it: in destructors and in noexcept functions.
#pragma once

#include <utility>

#include "skua/machine/threads/face/executor.hpp"
#include "skua/machine/threads/fork/fiber/shield.hpp"
#include "skua/program/algorithm/body.hpp"

namespace skua { inline namespace v0 {

/// Calls f() or f(here) on the calling thread. A sibling's failure or a stop around the call does not end the tasks
/// that f forks, with a `here` or without; failures and stops inside f do. So f throws `cancelled` only after a stop of
/// its own. Returns f's value and throws what it throws. Any thread may call it. Cost: some ns.
template <class F>
auto without_stop(F&& f) {
  return runtime::executor::with_here([&f](runtime::here& here) {
    runtime::shield const shielded{here};
    return runtime::call_task(here, std::forward<F>(f));
  });
}

}}  // namespace skua::v0
