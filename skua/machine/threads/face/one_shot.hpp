// SPDX-License-Identifier: MIT
// one_shot: a value that some thread sets, and for which a task waits without blocking its worker. For events outside
// the pool: I/O, a device, a message. oneTBB has task::suspend for this, tokio the oneshot channel.
#pragma once

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "skua/machine/threads/face/one_shot_word.hpp"
#include "skua/machine/threads/fork/join/here.hpp"

namespace skua { inline namespace v0 {

template <class T>
class one_shot;

namespace runtime {

/// The part of a one_shot that does not depend on T.
class one_shot_base {
 public:
  /// True once a value or an exception is set; then `wait` returns at once. Any thread. Cost: one load.
  [[nodiscard]] bool is_set() const noexcept { return word_.is_set(); }

  /// Makes `wait` throw `why` instead of returning a value. Any thread, once. Throws usage_error if a value or an
  /// exception was set before.
  void set_exception(std::exception_ptr why);

  /// For other kinds of waiters (face/coroutine.hpp). Returns false if the value is set, and then does not enrol.
  /// Throws usage_error if another waiter has enrolled.
  [[nodiscard]] bool enroll(one_shot_waiter& waiter);

 protected:
  one_shot_base() = default;
  ~one_shot_base();
  one_shot_base(one_shot_base const&) = delete;
  one_shot_base& operator=(one_shot_base const&) = delete;

  void claim();
  void give_up() noexcept { word_.give_up(); }
  void publish() noexcept {
    if (one_shot_waiter* const w = word_.publish()) w->wake(*w);
  }
  void await(fiber& running) {
    if (!word_.is_set()) park(running);
  }
  void await() {
    if (!word_.is_set()) await_on_this_thread();
  }
  /// After the wait. Throws the exception that was set, or usage_error if the value was taken before.
  void take();

 private:
  void park(fiber& running);
  void await_on_this_thread();

  one_shot_word<> word_;
  std::exception_ptr error_;  ///< written between claim and publish
};

/// The awaiter of `co_await` (face/coroutine.hpp).
template <class T>
class one_shot_awaiter;

}  // namespace runtime

/// Holds one value of type T (none if T is void) or an exception. Any thread may set it, once: a worker, an I/O thread,
/// a callback of a device or of MPI. A signal handler must not, because setting may take a lock. One task or thread
/// waits for it, once. The waiter may destroy the one_shot as soon as `wait` has returned: the setter no longer touches
/// it.
///
/// A waiting task parks: its worker runs other tasks meanwhile, and the task keeps its stack. A stack takes two memory
/// mappings, so the kernel allows about 30000 waiting tasks by default; beyond that, tasks run on the stacks of waiting
/// ones. When the value is set, the policy decides where the task resumes.
///
/// The wait lasts until the value or an exception is set: cancellation does not end it, and a pool whose task waits
/// cannot end. So a setter that fails must set an exception.
template <class T = void>
class one_shot : public runtime::one_shot_base {
  static_assert(std::is_void_v<T> || (std::is_object_v<T> && std::is_same_v<T, std::remove_cv_t<T>>),
                "one_shot<T>: T is void or a type of objects");
  struct nothing_to_hold {};
  using value = std::conditional_t<std::is_void_v<T>, nothing_to_hold, T>;

 public:
  one_shot() = default;

  /// Sets the value and makes the waiter ready. Any thread, once. Throws usage_error if a value or an exception was set
  /// before, and what T's constructor throws; then the call has no effect. Cost: two atomic operations, and a wake-up
  /// if a task waits.
  template <class From = value>
    requires(!std::is_void_v<T> && std::is_constructible_v<value, From>)
  void set_value(From&& from) {
    claim();
    try {
      value_.emplace(std::forward<From>(from));
    } catch (...) {
      give_up();
      throw;
    }
    publish();
  }
  void set_value()
    requires std::is_void_v<T>
  {
    claim();
    publish();
  }

  /// Waits until the value or an exception is set. Returns the value, moved out, or throws the exception. For tasks. As
  /// after `here.join`, the task may resume on another thread. Throws usage_error if another waiter waits, or if the
  /// value was taken before. Cost: one load if it is set.
  T wait(runtime::here& here) {
    await(runtime::fiber_of(here));
    return taken();
  }
  /// The same, but returns on the calling thread. A thread that is no worker blocks.
  T wait() {
    await();
    return taken();
  }

 private:
  friend class runtime::one_shot_awaiter<T>;
  T taken() {
    take();
    if constexpr (!std::is_void_v<T>) return std::move(*value_);
  }

  std::optional<value> value_;  ///< written between claim and publish
};

}}  // namespace skua::v0
