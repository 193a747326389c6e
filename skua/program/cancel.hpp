// SPDX-License-Identifier: MIT
// Cancellation, as an algorithm reports it: work that was dropped is never reported as done.
//
// A stop is asked for with a std::stop_token (`here.with_stop(token, f)`), by a sibling's exception, or by
// `task_group::cancel()`. Whoever notices it at a leaf throws `cancelled`; the join above carries it to the caller.
#pragma once

#include "skua/parts/base/error.hpp"
#include "skua/program/fork_join.hpp"

namespace skua {

/// Called at the start of every leaf: throws `cancelled` if a stop was requested for the task that runs here.
template <fork_join Here>
void throw_if_stopped(Here const& here) {
  if (here.stop_requested()) [[unlikely]]
    throw cancelled{};
}

}  // namespace skua
