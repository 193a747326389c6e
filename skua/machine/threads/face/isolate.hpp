// SPDX-License-Identifier: MIT
// Isolation: a task that waits while it holds something of its thread (a lock, a thread_local) must not find the thread
// running another task meanwhile. [oneTBB: this_task_arena::isolate]
#pragma once

#include <utility>

#include "skua/machine/threads/face/executor.hpp"
#include "skua/program/algorithm/body.hpp"

namespace skua { inline namespace v0 {

namespace runtime {

/// While it lives, the fiber waits without leaving its thread, and the thread runs nothing else meanwhile.
class isolated_section {
 public:
  explicit isolated_section(fiber& f) noexcept;
  ~isolated_section();
  isolated_section(isolated_section const&) = delete;
  isolated_section& operator=(isolated_section const&) = delete;

 private:
  tied_section const tied_;
  fiber& fiber_;
  bool const was_isolated_;
};

}  // namespace runtime

/// Calls f() or f(here) on the calling thread. Where it waits for stolen children, the thread runs no other task: it
/// sleeps until they have ended. So f may hold a lock or use a thread_local across joins, loops and waits. Children may be
/// stolen as usual; their thieves are not isolated. adws and replay place no children of f on other workers: under adws f runs
/// on its thread alone, under replay others help while they may steal. A call of another region or pool from f also runs on
/// this thread alone; that of a task_arena is left to the arena's workers. What else f waits for must not need this worker:
/// under adws and replay any task of the pool may.
/// Returns f's value and throws what it throws. Cost: that of an idle processor while it waits; else some ns.
template <class F>
auto isolate(F&& f) {
  return runtime::executor::with_here([&f](runtime::here& here) {
    runtime::isolated_section const alone{runtime::fiber_of(here)};
    return runtime::call_task(here, std::forward<F>(f));
  });
}

}}  // namespace skua::v0
