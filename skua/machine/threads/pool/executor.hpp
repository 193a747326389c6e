// SPDX-License-Identifier: MIT
// Where the conventional face (task_group, parallel_for, ...) runs: the pool of the calling worker, or, for threads that
// are no workers, the default pool, which is made when it is first needed.
#pragma once

#include <type_traits>
#include <utility>

#include "skua/machine/threads/join/here.hpp"
#include "skua/machine/threads/pool/pool.hpp"
#include "skua/program/executor.hpp"

namespace skua {

/// The pool of threads that have none: all choices from the environment. Made at the first call; joined when the process
/// (or the shared object that Skua was linked into) ends. A child of fork() gets one of its own.
/// Throws what pool's constructor throws; then the next call tries again.
pool& default_pool();

namespace runtime {

/// Models the concept skua::executor.
struct executor {
  using here = runtime::here;

  template <class F>
  static decltype(auto) with_here(F&& f) {
    worker* const w = worker::current();
    if (w != nullptr) return std::forward<F>(f)(w->running_fiber());
    return on_default_pool(std::forward<F>(f));
  }

  /// Throws what default_pool() throws, and then the task is not taken. On a worker it throws nothing.
  static void spawn(free_task<here>& task);
  static void wait(wait_group& group) noexcept;

 private:
  template <class F>
  static auto on_default_pool(F&& f) {
    return run_on(default_pool().root_region(), f);
  }
};

static_assert(skua::executor<executor>);

}  // namespace runtime
}  // namespace skua
