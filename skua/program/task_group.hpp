// SPDX-License-Identifier: MIT
// task_group, as oneTBB's users know it: start tasks, and wait for them, from any thread.
// A program that has a `here` does better with `here.join`, which allocates nothing, and with `here.scope`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>

#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/type_text.hpp"
#include "skua/parts/context/stop_listener.hpp"
#include "skua/program/algorithm/body.hpp"
#include "skua/program/at_most.hpp"
#include "skua/program/children.hpp"
#include "skua/program/executor.hpp"
#include "skua/program/wait_group.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// The result of `wait`. Unscoped, as ported code expects: `task_group_status::complete` and plain `complete`.
enum task_group_status : std::uint8_t {
  not_complete,  ///< never returned
  complete,      ///< every task ran to its end
  canceled,      ///< the group was cancelled; some tasks may have been dropped
};

/// Calls `function(here)` on behalf of a group: does nothing if the group is cancelled; an exception makes it fail.
template <class Here, class F>
void call_for(wait_group& group, Here& here, F&& function) noexcept {
  if (group.stop_requested()) return;
  try {
    static_cast<void>(call_task(here, std::forward<F>(function)));
  } catch (cancelled const&) {
    // If the group was cancelled, `wait` reports it. Otherwise the exception has another cause and must be reported.
    if (!group.stop_requested()) group.end_early();
  } catch (...) {
    group.fail(std::current_exception());
  }
}

/// A free task that calls a user's function on behalf of its group. `Hint`: a hint, or `unhinted`.
template <class Here, class Hint, class F>
struct group_task final : free_task<Here>, task_memory<Here> {
  /// `counts_at_once`: starters look at the number of the group's tasks.
  template <class G>
  group_task(wait_group& g, Hint h, bool counts_at_once, G&& f)
      : free_task<Here>{.kind = counts_at_once ? &exact_kind : &this_kind, .group = &g}, hint_word(h),
        function(std::forward<G>(f)) {}

  /// Destroys the function before it tells the group: the function may refer to a frame that waits for the group.
  static void run_and_finish(free_task<Here>& task, Here& here) noexcept {
    wait_group& group = *task.group;
    run_uncounted(task, here);
    group.finish();
  }
  static void run_uncounted(free_task<Here>& task, Here& here) noexcept {
    std::unique_ptr<group_task> const self(static_cast<group_task*>(&task));
    call_for(*task.group, here, std::move(self->function));
  }
  static void drop(free_task<Here>* task) noexcept {
    wait_group& group = *task->group;
    delete static_cast<group_task*>(task);
    group.finish();
  }
  static hint hint_of(free_task<Here> const& task) noexcept {
    return as_hint(static_cast<group_task const&>(task).hint_word);
  }
  static constexpr bool has_hint = !std::is_same_v<Hint, unhinted>;
  static constexpr free_task_kind<Here> exact_kind{
      .run = &run_and_finish, .name = type_text<F>(), .hint_of = has_hint ? &hint_of : nullptr};
  static constexpr free_task_kind<Here> this_kind{.run = exact_kind.run,
                                                  .name = exact_kind.name,
                                                  .run_uncounted = has_hint ? nullptr : &run_uncounted,
                                                  .hint_of = exact_kind.hint_of};

  [[no_unique_address]] Hint hint_word;
  F function;
};

/// The same for a function that stays on a frame that waits for the task: no allocation.
template <class Here, class F>
struct waited_task final : free_task<Here> {
  waited_task(wait_group& g, F&& f) noexcept
      : free_task<Here>{.kind = &this_kind, .group = &g}, function(std::forward<F>(f)) {}

  static void run_and_finish(free_task<Here>& task, Here& here) noexcept {
    wait_group& group = *task.group;
    call_for(group, here, std::forward<F>(static_cast<waited_task&>(task).function));
    group.finish();
  }
  static constexpr free_task_kind<Here> this_kind{.run = &run_and_finish,
                                                  .name = type_text<std::remove_reference_t<F>>()};

  F&& function;
};

/// A task that `defer` made and that was not started yet. Its group counts it from the beginning: pass it to `run` of
/// that group, or destroy it; otherwise `wait` does not return.
template <task_executor Executor>
class basic_task_handle {
  using task = free_task<typename Executor::here>;

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

/// Tasks that are started one by one and waited for together. Any thread, worker or not, may call every member
/// function; the group's own tasks may call `run`, `cancel` and `is_canceling`. After `wait` the group is as new.
/// Loops that a task calls end early when the group is cancelled.
///
/// Errors: the first exception of a task cancels the rest, and `wait` rethrows it; later ones are dropped. If several
/// threads wait at once, one of them gets the exception or the `canceled`.
/// The destructor never throws. It waits for tasks that nobody has waited for (and first cancels them if an exception
/// unwinds the stack), and drops their exceptions; checked builds say so on stderr. oneTBB cancels and throws missing_wait
/// instead.
template <task_executor Executor>
class basic_task_group {
 public:
  using task_handle = basic_task_handle<Executor>;

  basic_task_group() = default;
  /// The group is cancelled once `token` requests a stop, and then stays so: its tasks are dropped, and `wait` returns
  /// `canceled`. One allocation.
  explicit basic_task_group(std::stop_token token)
      : watch_(std::make_unique<token_watch>(std::move(token), canceller{group_})) {}
  /// While `bound` tasks of the group are in flight, `run` calls its task before it returns (at_most.hpp).
  explicit basic_task_group(at_most bound) noexcept : most_(bound.tasks) {}
  basic_task_group(std::stop_token token, at_most bound) : basic_task_group(std::move(token)) { most_ = bound.tasks; }
  ~basic_task_group() {
    bool const unwinding = std::uncaught_exceptions() > unwinding_at_birth_;
    if (!group_.done()) {
      if (checked && !unwinding)
        remark(
            "task_group: destroyed while tasks run; its destructor waits for them, but call wait(), which reports "
            "errors");
      if (unwinding) group_.cancel();
      Executor::wait(group_);
    }
    if (checked && !unwinding) remark_on_failure();
  }
  basic_task_group(basic_task_group const&) = delete;
  basic_task_group& operator=(basic_task_group const&) = delete;

  /// Starts f() or f(here), at some time, on some worker, once: called as an rvalue, so that f may move from its
  /// members. One allocation. Throws the exceptions of the allocation and of f's copy, and, on a thread that is not a
  /// worker, those of making the default pool; then nothing was started. If the group is cancelled, the task is counted
  /// and destroyed, but not called.
  template <class F>
  void run(F&& f) {
    start_new(unhinted{}, std::forward<F>(f));
  }
  /// The same with a hint for the task.
  template <hint_word Hint, class F>
  void run(Hint hint, F&& f) {
    start_new(as_hint(hint), std::forward<F>(f));
  }
  /// Starts a task that `defer` of this group made. Throws usage_error for an empty handle and one of another group, whose
  /// task is dropped.
  void run(task_handle&& handle) {
    auto task = handle.release();
    check_handle(task.get(), "task_group::run");
    start(std::move(task), group_.outstanding() <= most_);
  }

  /// Makes a task that `run` will start later. Errors: as run.
  template <class F>
  [[nodiscard]] task_handle defer(F&& f) {
    auto task = make(unhinted{}, std::forward<F>(f));
    group_.add();
    return task_handle(counted(std::move(task)));
  }

  /// Runs f on the calling thread as a task of the group, then waits. Does not copy f and does not allocate. Errors: as
  /// run and wait.
  template <class F>
  task_group_status run_and_wait(F&& f) {
    static_assert(task_of<F, typename Executor::here>, "task_group: a task is called as f() or f(here)");
    waited_task<typename Executor::here, F> task(group_, std::forward<F>(f));
    group_.add();
    try {
      Executor::run_now(task);
    } catch (...) {  // the task did not run: no pool could be made
      group_.finish();
      throw;
    }
    return wait();
  }
  task_group_status run_and_wait(task_handle&& handle) {
    run_now(std::move(handle));
    return wait();
  }

  /// Returns when no task of the group is left; a worker does other work meanwhile. Throws usage_error in a task of the
  /// group, which would wait for its own end. What the tasks did is then visible. Rethrows the first exception of a task.
  task_group_status wait() {
    if constexpr (requires { Executor::wait_unless_inside(group_); }) {
      if (!Executor::wait_unless_inside(group_)) [[unlikely]]
        throw usage_error(
            "task_group::wait: a task of the group waits for the group, which waits for the task; allowed: a group of "
            "its "
            "own for what the task starts");
    } else {
      Executor::wait(group_);
    }
    wait_group::outcome what = group_.take_outcome();
    if (watch_ != nullptr && watch_->token().stop_requested()) group_.cancel();  // the next round, too
    if (what.failure) std::rethrow_exception(std::move(what.failure));
    return what.cancelled ? canceled : complete;
  }

  /// Drops tasks that have not begun; running tasks see is_canceling(). The next `wait` resets it.
  void cancel() noexcept { group_.cancel(); }
  [[nodiscard]] bool is_canceling() const noexcept { return group_.stop_requested(); }

 private:
  [[gnu::cold]] void remark_on_failure() noexcept {
    std::exception_ptr const dropped = group_.take_outcome().failure;
    if (dropped == nullptr) return;
    try {
      std::rethrow_exception(dropped);
    } catch (std::exception const& e) {
      remark("task_group: destroyed without wait(), which would have thrown a task's exception: ", e.what());
    } catch (...) {
      remark("task_group: destroyed without wait(), which would have thrown a task's exception");
    }
  }

  /// A task of another group is dropped.
  void check_handle(free_task<typename Executor::here> const* task, char const* call) const {
    if (task != nullptr && task->group == &group_) [[likely]]
      return;
    throw usage_error(std::string(call) +
                      (task == nullptr ? ": the handle is empty" : ": the handle is another group's") +
                      "; allowed: a handle that defer of this group made, once");
  }

  void run_now(task_handle&& handle) {
    auto task = handle.release();
    check_handle(task.get(), "task_group::run_and_wait");
    Executor::run_now(*task);  // if it throws, the task is dropped, and the group no longer counts it
    static_cast<void>(task.release());
  }

  template <class Hint, class F>
  void start_new(Hint hint, F&& f) {
    auto task = make(hint, std::forward<F>(f));
    bool const has_room = count();
    start(counted(std::move(task)), has_room);
  }
  /// The group does not count it yet.
  template <class Hint, class F>
  auto make(Hint hint, F&& f) {
    using its_here = typename Executor::here;
    using new_task = group_task<its_here, Hint, std::decay_t<F>>;
    static_assert(task_of<std::decay_t<F>, its_here>, "task_group: a task is called as f() or f(here)");
    return std::make_unique<new_task>(group_, hint, most_ != unbounded, std::forward<F>(f));
  }
  /// From now on the task tells the group when it is dropped.
  template <class Task>
  static typename task_handle::owner counted(std::unique_ptr<Task> made) noexcept {
    return {made.release(), &Task::drop};
  }
  /// Counts a task. Returns false if there is no room for it.
  bool count() noexcept {
    if (most_ != unbounded && !group_.add_below(most_)) [[unlikely]] {
      group_.add();
      return false;
    }
    if (most_ == unbounded) [[likely]]
      group_.add();
    return true;
  }
  /// If it throws, the task is dropped, and the group no longer counts it.
  void start(typename task_handle::owner task, bool has_room) {
    if (has_room || !may_call()) [[likely]] {
      Executor::spawn(*task);
    } else {
      Executor::run_now(*task);
    }
    static_cast<void>(task.release());
  }
  /// True if the caller has enough stack to run a task.
  static bool may_call() noexcept {
    if constexpr (requires { Executor::has_room_for_calls(); }) {
      return Executor::has_room_for_calls();
    } else {
      return true;
    }
  }

  struct canceller {
    wait_group& group;
    void operator()() const noexcept { group.cancel(); }
  };
  using token_watch = stop_listener<canceller>;

  static constexpr std::uint64_t unbounded = std::numeric_limits<std::uint64_t>::max();

  wait_group group_;
  std::uint64_t most_ = unbounded;      ///< tasks that may be in flight before `run` calls (at_most.md)
  std::unique_ptr<token_watch> watch_;  ///< of a group that watches a token
  int unwinding_at_birth_ = std::uncaught_exceptions();
};

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

using runtime::canceled;
using runtime::complete;
using runtime::not_complete;
using runtime::task_group_status;

}}  // namespace skua::v0
