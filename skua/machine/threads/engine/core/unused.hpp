// SPDX-License-Identifier: MIT
// E1: whether anything is in progress in a pool whose own threads all wait in their own places (exit.md). Generic in its arguments, so that
// exit_model.cpp can supply its own.
#pragma once

#include <algorithm>

namespace skua { inline namespace v0 { namespace runtime {

/// Checks for detached calls that have not ended; parked frames, each of which keeps a stack, while a worker that has given its spare
/// stacks back keeps one; ready frames; and tasks that have not begun, which lie in some region.
template <class Detached, class Stacks, class Workers, class Regions>
[[nodiscard]] bool nothing_in_progress(Detached const& detached, Stacks& stacks, Workers const& workers,
                                       Regions const& regions) noexcept {
  for (auto const& w : workers) w->give_stacks_back();
  if (!detached.none_left() || stacks.count().live != workers.size()) return false;
  return std::ranges::all_of(workers, [](auto const& w) { return w->holds_nothing(); }) &&
         std::ranges::all_of(regions, [](auto const& r) { return r->holds_nothing(); });
}

}}}  // namespace skua::v0::runtime
