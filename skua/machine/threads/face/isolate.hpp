// SPDX-License-Identifier: MIT
// Isolation: while a task that holds a lock or a reference to a thread_local waits, its thread must not run another
// task. [oneTBB: this_task_arena::isolate]
#pragma once

#include <utility>

#include "skua/machine/threads/face/executor.hpp"
#include "skua/program/algorithm/body.hpp"

namespace skua { inline namespace v0 {

namespace runtime {

/// While it lives, the fiber stays on its thread, and the thread runs no other task while the fiber waits.
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

/// Calls f() or f(here) on the calling thread. While f waits for stolen children, the thread runs no other task: it
/// sleeps until they have ended. So f may hold a lock or use a thread_local across joins, loops and waits.
/// Children may be stolen as usual; the isolation does not extend to their thieves. adws and replay place no children
/// of f on other workers: under adws f runs on its thread alone, under replay others help in iterations that allow
/// steals. If f calls another region or pool, that call also runs on this thread alone; if f calls a task_arena, the
/// arena's workers run that call. Otherwise f must not wait for a task that needs this worker; under adws and replay
/// any task of the pool may. Returns f's value and throws what it throws. Cost: an idle processor while f waits;
/// otherwise some ns.
template <class F>
auto isolate(F&& f) {
  return runtime::executor::with_here([&f](runtime::here& here) {
    runtime::isolated_section const alone{runtime::fiber_of(here)};
    return runtime::call_task(here, std::forward<F>(f));
  });
}

}}  // namespace skua::v0
