// SPDX-License-Identifier: MIT
// Where the conventional face (task_group, parallel_for, ...) runs: the pool of the calling worker, or, for threads that
// are no workers, the default pool, which is made when it is first needed.
#pragma once

#include "skua/machine/threads/join/here.hpp"
#include "skua/machine/threads/pool/outside_call.hpp"
#include "skua/program/executor.hpp"

namespace skua {

class pool;

/// The pool of threads that have none: all choices from the environment. Made at the first call; joined when the process
/// (or the shared object that Skua was linked into) ends. A child of fork() gets one of its own.
/// Throws what pool's constructor throws; then the next call tries again.
pool& default_pool();

namespace runtime {

/// Models the concept skua::executor.
struct executor {
  using here = runtime::here;

  template <class F>
  static auto with_here(F&& f) {
    return runtime::call_outside(f, [](runtime::outside_call& c) { run(c); });
  }
  /// The fiber that runs on the calling worker; null in a thread that is none.
  [[nodiscard]] static here* running() noexcept;
  /// The same for a call without its type. Throws what it throws.
  static void run(runtime::outside_call& what);

  /// Throws what default_pool() throws, and then the task is not taken. On a worker it throws nothing.
  static void spawn(free_task<here>& task);
  static void wait(wait_group& group) noexcept;
};

}  // namespace runtime

template <>
inline constexpr bool is_checked_venue<runtime::executor> = true;  // executor.cpp

}  // namespace skua
