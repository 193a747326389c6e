// SPDX-License-Identifier: MIT
// task_group, as people know it from oneTBB: start tasks here, wait for them there, from any thread.
// A program that has a `here` is better served by `here.join` and `here.scope`, which allocate nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/program/algorithm/body.hpp"
#include "skua/program/executor.hpp"
#include "skua/program/wait_group.hpp"

namespace skua {

/// What `wait` says. Unscoped, as ported code expects: `task_group_status::complete` and plain `complete`.
enum task_group_status : std::uint8_t {
  not_complete,  ///< never returned
  complete,      ///< every task ran to its end
  canceled,      ///< the group was cancelled; some tasks may have been dropped
};

/// A free task that calls a user's function, for its group.
template <class Here, class F>
struct group_task final : free_task<Here> {
  template <class G>
  group_task(wait_group& g, hint h, G&& f)
      : free_task<Here>{.run = &run_and_finish, .group = &g, .hints = h}, function(std::forward<G>(f)) {}

  static void run_and_finish(free_task<Here>& task, Here& here) noexcept {
    if (!task.group->stop_requested()) attempt(static_cast<group_task&>(task), here);
    drop(&task);
  }

  /// The function is destroyed before the group is told: what it refers to may live in a frame that waits.
  static void drop(free_task<Here>* task) noexcept {
    wait_group& group = *task->group;
    delete static_cast<group_task*>(task);
    group.finish();
  }

 private:
  static void attempt(group_task& self, Here& here) noexcept {
    try {
      static_cast<void>(call_body(here, self.function));
    } catch (cancelled const&) {
      // Cancelled because the group was: `wait` says so. For another reason: somebody else must hear of it.
      if (!self.group->stop_requested()) self.group->fail(std::current_exception());
    } catch (...) {
      self.group->fail(std::current_exception());
    }
  }

  F function;
};

/// A task made by `defer` and not yet started. Its group counts it from the beginning: give it to `run` of that
/// group, or destroy it, or `wait` does not return.
template <executor Venue>
class basic_task_handle {
  using task = free_task<typename Venue::here>;

 public:
  using owner = std::unique_ptr<task, void (*)(task*) noexcept>;

  basic_task_handle() noexcept : task_(nullptr, nullptr) {}
  explicit basic_task_handle(owner t) noexcept : task_(std::move(t)) {}
  explicit operator bool() const noexcept { return task_ != nullptr; }
  friend bool operator==(basic_task_handle const& h, std::nullptr_t) noexcept { return h.task_ == nullptr; }

  [[nodiscard]] owner release() noexcept { return std::exchange(task_, owner{nullptr, nullptr}); }

 private:
  owner task_;
};

/// Tasks that are started one by one and waited for together. Every verb may be called by any thread, worker or not;
/// `run`, `cancel` and `is_canceling` also by the group's own tasks. After `wait` the group is as new.
///
/// Errors: the first exception of a task cancels the rest and is rethrown by `wait`; later ones are dropped. If several
/// threads wait at once, one of them gets the exception or the `canceled`.
/// The destructor never throws: it waits for tasks that nobody waited for (first cancelling them, if it runs because
/// an exception unwinds the stack) and drops their exceptions. oneTBB cancels and throws missing_wait there.
template <executor Venue>
class basic_task_group {
 public:
  using task_handle = basic_task_handle<Venue>;

  basic_task_group() = default;
  ~basic_task_group() {
    if (group_.done()) return;
    if (std::uncaught_exceptions() > unwinding_at_birth_) group_.cancel();
    Venue::wait(group_);
  }
  basic_task_group(basic_task_group const&) = delete;
  basic_task_group& operator=(basic_task_group const&) = delete;

  /// Starts f() or f(here), some time, somewhere. One allocation; throws what it or the copy of f throws, and, in a thread
  /// that is no worker, what making the default pool throws; then nothing was started. If the group is cancelled, the task is counted, destroyed, but not called.
  template <class F>
  void run(F&& f) {
    run(hint{}, std::forward<F>(f));
  }
  /// The same with what is known of the task.
  template <hint_word Hint, class F>
  void run(Hint hint, F&& f) {
    run(make(as_hint(hint), std::forward<F>(f)));
  }
  /// Starts what `defer` of this group made.
  void run(task_handle&& handle) {
    auto task = handle.release();
    runtime::expects(task != nullptr && task->group == &group_,
                     "task_group::run: a handle made by defer of this group");
    Venue::spawn(*task);  // if it throws, the task is dropped, and the group counts it no more
    static_cast<void>(task.release());
  }

  /// A task that `run` will start later. Errors: as run.
  template <class F>
  [[nodiscard]] task_handle defer(F&& f) {
    return make(hint{}, std::forward<F>(f));
  }

  /// run, then wait; f is not copied.
  template <class F>
  task_group_status run_and_wait(F&& f) {
    run([&f](typename Venue::here& here) { static_cast<void>(call_body(here, f)); });
    return wait();
  }
  task_group_status run_and_wait(task_handle&& handle) {
    run(std::move(handle));
    return wait();
  }

  /// Returns when no task of the group is out; a worker does other work meanwhile. Not to be called by a task of the
  /// group itself, which would wait for its own end. Rethrows the first exception of a task.
  task_group_status wait() {
    Venue::wait(group_);
    wait_group::outcome what = group_.take_outcome();
    if (what.failure) std::rethrow_exception(std::move(what.failure));
    return what.cancelled ? canceled : complete;
  }

  /// Tasks not yet begun are dropped, running ones see is_canceling(); undone by the next `wait`.
  void cancel() noexcept { group_.cancel(); }
  [[nodiscard]] bool is_canceling() const noexcept { return group_.stop_requested(); }

 private:
  template <class F>
  task_handle make(hint hints, F&& f) {
    using here = typename Venue::here;
    using task = group_task<here, std::decay_t<F>>;
    static_assert(body_of<std::decay_t<F>, here>, "task_group: a task is called as f() or f(here)");
    std::unique_ptr<task> made = std::make_unique<task>(group_, hints, std::forward<F>(f));
    group_.add();
    return task_handle{typename task_handle::owner{made.release(), &task::drop}};
  }

  wait_group group_;
  int unwinding_at_birth_ = std::uncaught_exceptions();
};

}  // namespace skua
