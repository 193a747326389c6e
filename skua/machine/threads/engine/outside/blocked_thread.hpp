// SPDX-License-Identifier: MIT
// A thread that is no worker and cannot work while it waits.
#pragma once

#include "skua/machine/threads/engine/outside/root.hpp"
#include "skua/program/wait_group.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Blocks until no task of the group is left.
inline void block(wait_group& group) noexcept {
  struct blocked_thread final : group_waiter {
    blocked_thread() noexcept : group_waiter{.wake = &blocked_thread::release, .next = nullptr} {}
    static void release(group_waiter& w) noexcept { static_cast<blocked_thread&>(w).done.set(); }
    completion done;
  } me;
  if (group.enroll(me)) me.done.wait();
}

}}}  // namespace skua::v0::runtime
