// SPDX-License-Identifier: MIT
// E1: whether anything is in progress in a pool whose own threads all wait in their own places (exit.md). Generic in what it asks, so that
// exit_model.cpp can supply its own.
#pragma once

#include <algorithm>

namespace skua { inline namespace v0 { namespace runtime {

/// Detached calls that have not ended; frames that are parked, each of which has a stack, while a worker that has given the others
/// back has one; ready frames; and what nobody has begun, which lies in some region.
template <class Detached, class Stacks, class Workers, class Regions>
[[nodiscard]] bool nothing_in_progress(Detached const& detached, Stacks& stacks, Workers const& workers,
                                       Regions const& regions) noexcept {
  for (auto const& w : workers) w->give_stacks_back();
  if (!detached.none_left() || stacks.count().live != workers.size()) return false;
  return std::ranges::all_of(workers, [](auto const& w) { return w->holds_nothing(); }) &&
         std::ranges::all_of(regions, [](auto const& r) { return r->holds_nothing(); });
}

}}}  // namespace skua::v0::runtime
