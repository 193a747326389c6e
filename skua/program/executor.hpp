// SPDX-License-Identifier: MIT
// The executor: a machine's services for code without a `here`, such as task_group and parallel_for.
#pragma once

#include <concepts>
#include <cstddef>
#include <utility>

#include "skua/program/fork_join.hpp"
#include "skua/program/hint.hpp"
#include "skua/program/wait_group.hpp"

namespace skua { inline namespace v0 { namespace runtime {

template <class Here>
struct free_task;

/// The operations of all free tasks of one type. What most tasks do not have costs them no memory.
template <class Here>
struct free_task_kind {
  using task = free_task<Here>;
  void (*run)(task&, Here&) noexcept;  ///< runs it, or drops it if its group is cancelled; destroys it; counts it
  char const* name = nullptr;          ///< what traces call it (type_text.hpp); null: nothing
  /// As `run`, but the caller counts it later. Only of tasks without a hint and without surroundings. Null: it must be counted
  /// at once.
  void (*run_uncounted)(task&, Here&) noexcept = nullptr;
  hint (*hint_of)(task const&) noexcept = nullptr;  ///< null: it has none
  /// The name of the Executor::surroundings of the frame that waits; null: it has none.
  void const* (*surroundings_of)(task const&) noexcept = nullptr;
};

/// A task for which only its group waits. task_group makes it on the heap and lends it to the executor from `spawn` to
/// `run`; it is gone when `run` returns.
template <class Here>
struct free_task {
  /// For the executor's use, between `spawn` and `run`. First, so that it starts at the task's own address.
  alignas(void*) std::byte room[2 * sizeof(void*)] = {};
  free_task_kind<Here> const* kind;
  wait_group* group;
};

/// Base of the tasks of such a machine that are made by `new`. A machine with memory of its own for them specialises it.
template <class Here>
struct task_memory {};

/// Laws the compiler cannot check:
///  * with_here(f)  calls f(here) on the calling thread and returns when f has returned, on the same thread. On a worker
///                  f gets the here of the fiber that runs there; another thread works in a worker's place meanwhile.
///                  (If every worker is awake, one of them may call f.) Returns f's value, rethrows its exception.
///  * spawn(task)   makes task.kind->run(task, here) happen, exactly once, on some worker, at any time from now on, even
///                  before spawn returns. From a worker: newest first for itself. From elsewhere: first in, first out.
///                  The caller has counted the task in its group. A task is never thrown away: an executor that shuts
///                  down runs the tasks that it was given. While the task runs, here.stop_requested() is true whenever
///                  task.group->stop_requested() is (besides other reasons).
///  * run_now(task) as spawn, but the calling thread runs the task before run_now returns.
///  * surroundings around{here}  collects what may stop the running frame. The frame makes and destroys it, like a bracket,
///                  and meanwhile waits for the tasks that carry around.name(). They see those stops, too:
///                  here.stop_requested() is true inside them.
///  * wait(group)   returns when group.done(). On a worker it runs tasks of this group that it finds at the end of its
///                  own queue, then parks the frame (wait_group::enroll) and does other work; a thread from elsewhere
///                  blocks. What the tasks did is visible afterwards.
/// Any thread may call with_here, spawn, run_now and wait, also inside with_here and inside tasks. wait does not throw. If there are no workers
/// and none can be had, with_here and spawn throw before anything happens: f is not called, the task not taken.
template <class V>
concept models_executor =
    fork_join<typename V::here> && std::constructible_from<typename V::surroundings, typename V::here&> &&
    requires(free_task<typename V::here>& task, wait_group& group, typename V::surroundings const& around) {
      {
        V::with_here([](typename V::here&) { return 1; })
      } -> std::convertible_to<int>;
      V::with_here([](typename V::here&) {});
      { around.name() } noexcept -> std::same_as<void const*>;
      V::spawn(task);
      V::run_now(task);
      { V::wait(group) } noexcept;
    };

/// True for an executor that a source of its machine checks against `models_executor`; see is_checked_fork_join.
template <class V>
inline constexpr bool is_checked_executor = false;

template <class V>
concept task_executor = is_checked_executor<V> || models_executor<V>;

}}}  // namespace skua::v0::runtime
