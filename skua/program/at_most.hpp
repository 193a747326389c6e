// SPDX-License-Identifier: MIT
// A bound on the tasks in flight of a task_group, or on a pool's enqueued tasks, for programs that start tasks faster
// than workers run them. OpenMP's implementations throttle in this way, and so does the CallerRunsPolicy of a
// ThreadPoolExecutor. States and invariants: at_most.md.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <utility>

#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 {

/// While `tasks` tasks are in flight, that is, started and not ended, the caller that starts another one runs it before
/// the call returns. So no caller waits for other tasks, and no task is dropped; the call takes as long as its task.
/// Two rules follow for callers: hold no lock that the task takes, and let no task wait for what its caller does
/// afterwards. At most n tasks are in flight, and one more for each caller that runs its task. Such calls nest until
/// they use half of a stack; beyond that, tasks are started without a bound. With 0 the caller runs all tasks.
struct at_most {
  std::uint64_t tasks;

  /// Throws usage_error for a negative number.
  explicit constexpr at_most(std::integral auto n) : tasks(static_cast<std::uint64_t>(n)) {
    if (std::cmp_less(n, 0)) throw usage_error("at_most: " + std::to_string(n) + " tasks; allowed: 0 and more");
  }
};

}}  // namespace skua::v0
