// SPDX-License-Identifier: MIT
// A bound on the tasks in flight of a task_group or of what is enqueued into a pool, for whoever starts tasks faster than they run: OpenMP's
// implementations throttle so, and a ThreadPoolExecutor's CallerRunsPolicy. States and invariants: at_most.md.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <utility>

#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 {

/// While so many tasks are in flight, started and not ended, whoever starts another one runs it before the call returns. So nobody waits
/// for room, and no task is lost; the caller is held up for as long as its task takes. Two rules follow for callers: hold no lock that the
/// task takes, and let no task wait for what its starter does afterwards.
/// In flight are n at most, and one more for each caller that runs its task; such calls nest until half of a stack is used, and
/// beyond that tasks are started without a bound. 0: the caller runs all.
struct at_most {
  std::uint64_t tasks;

  /// Throws usage_error for a negative number.
  explicit constexpr at_most(std::integral auto n) : tasks(static_cast<std::uint64_t>(n)) {
    if (std::cmp_less(n, 0)) throw usage_error("at_most: " + std::to_string(n) + " tasks; allowed: 0 and more");
  }
};

}}  // namespace skua::v0
