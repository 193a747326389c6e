// SPDX-License-Identifier: MIT
// Explicit tasks: deferred ones are free tasks of the member pool's pool. README.md, "Waits"
#pragma once

#include <cstddef>
#include <cstdint>

#include "skua/openmp/task.hpp"

namespace skua { inline namespace v0 { namespace openmp {

/// What GOMP_task says. `copy` moves the arguments from `data` to the task's own memory; null: memcpy.
struct task_order {
  void (*function)(void*);
  void* data;
  void (*copy)(void*, void*);
  std::size_t size;
  std::size_t alignment;
  bool may_defer = true;  ///< the clause if
  bool is_final = false;
  void** depends = nullptr;
  void** detach = nullptr;  ///< where its event goes; null: it ends with its code
};

/// Starts the task, or runs it before this returns. `adjust(arguments)` may change its copy of the arguments.
void start_task(task_order const& order, void (*adjust)(void* arguments, void* with) = nullptr, void* with = nullptr);
void wait_for_children();
/// Waits for the siblings that the list names.
void wait_for_depends(void** depends);
/// The current task is in this group, made by `new`, from now on.
void begin_taskgroup(task_set& group) noexcept;
/// Waits for the tasks of the current task's innermost group, leaves it and deletes it.
void end_taskgroup() noexcept;
/// Ends a detached task whose code has ended, or will.
void fulfill(std::uintptr_t event) noexcept;

}}}  // namespace skua::v0::openmp
