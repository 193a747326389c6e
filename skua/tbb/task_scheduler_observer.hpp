// SPDX-License-Identifier: MIT
// oneTBB's task_scheduler_observer: hears of every thread that begins to work in an arena, and of its end.
#pragma once

#include <memory>
#include <utility>

#include "skua/machine/threads/face/detached.hpp"
#include "skua/machine/threads/face/observe.hpp"
#include "skua/tbb/task_arena.hpp"

namespace skua { inline namespace v0 { namespace tbb {

/// Derive from it, override one function or both, and call observe(true). A thread enters before the first task that it runs, and leaves
/// before it sleeps, ends, or goes back to its own call; so a worker may enter and leave often. Several threads call the functions at once.
/// They must not throw, fork, wait for tasks, or call observe().
class task_scheduler_observer : runtime::worker_observer {
 public:
  /// Of the pool of the thread that calls observe(true); outside of pools that is the default pool.
  task_scheduler_observer() = default;
  /// Of the arena. If it terminates, and starts again, the observer hears nothing any more.
  explicit task_scheduler_observer(task_arena& of) : arena_(&of) {}
  task_scheduler_observer(task_scheduler_observer const&) = delete;
  task_scheduler_observer& operator=(task_scheduler_observer const&) = delete;
  /// A derived class whose functions use its members calls observe(false) in its own destructor.
  virtual ~task_scheduler_observer() { observe(false); }

  /// `is_worker` is false for a thread that called into the arena.
  virtual void on_scheduler_entry(bool /*is_worker*/) {}
  virtual void on_scheduler_exit(bool /*is_worker*/) {}

  /// From now on, or no more: when observe(false) returns nobody calls the functions. The calling thread, if it works there, enters or
  /// leaves at once. For one thread at a time. Throws std::bad_alloc, and what starting the workers throws.
  void observe(bool state = true) {
    if (state == is_observing()) return;
    if (!state) {
      runtime::stop_observing(*in_, *this);
      in_ = nullptr;
    } else if (runtime::region* const around = arena_ == nullptr ? nullptr : arena_->attached()) {
      in_ = runtime::observe(*around, *this);
    } else if (arena_ != nullptr) {
      in_ = runtime::observe(runtime::root_region_of(*arena_->workers()), *this);
    } else {
      in_ = runtime::observe(runtime::pool_of_caller(), *this);
    }
  }
  [[nodiscard]] bool is_observing() const noexcept { return in_ != nullptr; }

 private:
  void enters(bool is_worker) final { on_scheduler_entry(is_worker); }
  void leaves(bool is_worker) final { on_scheduler_exit(is_worker); }

  task_arena* arena_ = nullptr;
  std::shared_ptr<runtime::observer_list> in_;
};

}}}  // namespace skua::v0::tbb
