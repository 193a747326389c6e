// SPDX-License-Identifier: MIT
// How algorithms report cancellation: dropped work is never reported as done.
//
// A std::stop_token (`here.with_stop(token, f)`), a sibling's exception, or `task_group::cancel()` requests a stop. The
// leaf that notices it throws `cancelled`; the join above carries the exception to the caller.
#pragma once

#include "skua/parts/base/error.hpp"
#include "skua/program/fork_join.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Call it at the start of every leaf: throws `cancelled` if a stop was requested for the running task.
template <fork_join Here>
void throw_if_stopped(Here const& here) {
  if (here.stop_requested()) [[unlikely]]
    throw cancelled{};
}

}}}  // namespace skua::v0::runtime
