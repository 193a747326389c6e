// SPDX-License-Identifier: MIT
// Passes the way in which a child ended to its group. For compiled code; forks have an inlined version of their own.
#pragma once

#include "skua/machine/threads/fork/fiber/failure.hpp"
#include "skua/machine/threads/fork/group/group.hpp"
#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Calls a child of `g` on the fiber `on`. If it stops, the group notes that a child was dropped; if it throws, `first`
/// keeps the exception, unless another came first. True if it returned.
template <class Child>
bool call_in_group(group& g, first_exception& first, fiber& on, Child&& child) noexcept {
  try {
    child();
    return true;
  } catch (cancelled const&) {
    g.raise(group::dropped);
  } catch (...) {
    first.keep(g, on);
  }
  return false;
}

}}}  // namespace skua::v0::runtime
