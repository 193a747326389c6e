// SPDX-License-Identifier: MIT
// Work that must be done although everything around it was asked to end: in destructors, and in functions that are noexcept.
#pragma once

#include <utility>

#include "skua/machine/threads/face/executor.hpp"
#include "skua/machine/threads/fork/fiber/shield.hpp"
#include "skua/program/algorithm/body.hpp"

namespace skua { inline namespace v0 {

/// Calls f() or f(here) on the calling thread. What f forks, with a `here` or without, is not cut short by a sibling's
/// failure or a stop around the call; by its own failures and stops it is. So f throws `cancelled` only if it asks for that
/// itself. Returns f's value and throws what it throws. Any thread may call it. Cost: some ns.
template <class F>
auto without_stop(F&& f) {
  return runtime::executor::with_here([&f](runtime::here& here) {
    runtime::shield const shielded{here};
    return runtime::call_task(here, std::forward<F>(f));
  });
}

}}  // namespace skua::v0
