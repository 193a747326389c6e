// SPDX-License-Identifier: MIT
// Where the conventional face runs: what a machine offers to code that was handed no `here`.
#pragma once

#include <concepts>
#include <cstddef>
#include <utility>

#include "skua/program/fork_join.hpp"
#include "skua/program/hint.hpp"
#include "skua/program/wait_group.hpp"

namespace skua {

/// A task that no frame waits for by name, only its group does. Made on the heap by task_group; lent to the venue
/// between `spawn` and `run`, and gone when `run` returns.
template <class Here>
struct free_task {
  void (*run)(free_task&, Here&) noexcept;  ///< does it, or drops it if its group is cancelled; destroys it; counts it
  wait_group* group;
  hint known{};
  alignas(void*) std::byte room[4 * sizeof(void*)] = {};  ///< the venue's own, between `spawn` and `run`
};

/// Laws the compiler cannot check:
///  * with_here(f)  calls f(here), on this worker with the here of the strand that runs on it, or, if the caller is not a
///                  worker, on some worker, and blocks until f has returned. f's value is returned, its exception rethrown.
///  * spawn(task)   makes task.run(task, here) happen, exactly once, on some worker, at any time from now on, even
///                  before spawn returns. From a worker: newest first for itself. From elsewhere: first in, first out.
///                  The caller has counted the task in its group. A task is never thrown away: a venue that shuts
///                  down runs what it was given. While the task runs, here.stop_requested() is true whenever
///                  task.group->stop_requested() is (besides other reasons).
///  * wait(group)   returns when group.done(). On a worker it runs tasks of this group that it finds at the end of its
///                  own queue, then parks the frame (wait_group::enroll) and does other work; a thread from elsewhere
///                  blocks. What the tasks did is visible afterwards.
/// All three may be called by any thread, also inside with_here and inside tasks. wait does not throw. with_here and spawn
/// throw, before anything happens, if there are no workers and none can be had: then f is not called, the task not taken.
template <class V>
concept models_venue = fork_join<typename V::here> && requires(free_task<typename V::here>& task, wait_group& group) {
  {
    V::with_here([](typename V::here&) { return 1; })
  } -> std::convertible_to<int>;
  V::with_here([](typename V::here&) {});
  V::spawn(task);
  { V::wait(group) } noexcept;
};

/// True for a machine's venue that a source of the machine checks against `models_venue`: as for is_checked_fork_join.
template <class V>
inline constexpr bool is_checked_venue = false;

template <class V>
concept venue = is_checked_venue<V> || models_venue<V>;

}  // namespace skua
