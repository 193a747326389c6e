// SPDX-License-Identifier: MIT
// Where task_group, parallel_for and the other conventional names run: on the calling worker's pool, or, if the caller
// is not a worker, on the default pool, which is made on first use.
#pragma once

#include <type_traits>
#include <utility>

#include "skua/machine/threads/join/here.hpp"
#include "skua/machine/threads/pool/pool.hpp"
#include "skua/program/executor.hpp"

namespace skua {

/// The pool for threads that are not workers; the environment makes all its choices. The first call makes it; the end
/// of the process (or of the shared object that Skua was linked into) joins it. A child of fork() gets its own. Throws
/// what pool's constructor throws; the next call then tries again.
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

  /// Throws what default_pool() throws; the task is then not taken. On a worker it throws nothing.
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
