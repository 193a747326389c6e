// SPDX-License-Identifier: MIT
// Forks for code that nobody hands a `here`: comparators, callbacks, libraries with an interface of their own. They find the fiber that
// runs on the calling thread, and so the caller's own worker, pool and region.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "skua/machine/threads/face/executor.hpp"
#include "skua/machine/threads/fork/join/here.hpp"
#include "skua/program/algorithm/body.hpp"
#include "skua/program/hint.hpp"

namespace skua::inline v0 {

/// The type of the `here` that pools hand to tasks (fork_join.hpp), for functions that are no templates: void walk(task_context& here).
using task_context = runtime::here;

namespace runtime {

/// What `join` takes: two children or more, each called as f(here) or f(), hint words in front of them.
template <class... Args>
concept ambient_children = (std::size_t{0} + ... + (hint_word<Args> ? 0U : 1U)) >= 2 &&
                           ((hint_word<Args> || std::invocable<Args, here&> || std::invocable<Args>) && ...);

/// A child that takes no `here`, as here.join calls it.
template <class F>
struct without_here {
  std::remove_reference_t<F>* function;  ///< as it was passed; called once
  decltype(auto) operator()(here&) const { return static_cast<F&&>(*function)(); }
};

template <class Arg>
constexpr decltype(auto) taking_here(Arg&& arg) noexcept {
  if constexpr (hint_word<Arg> || std::invocable<Arg, here&>) {
    return std::forward<Arg>(arg);
  } else {
    return without_here<Arg>{std::addressof(arg)};
  }
}

template <class... Args>
[[gnu::cold, gnu::noinline]] auto join_from_outside(Args&&... args) {
  return executor::with_here([&](here& h) { return h.join(taking_here(std::forward<Args>(args))...); });
}

}  // namespace runtime

/// As here.join, of the task that runs on the calling thread: skua::join(f, g) calls f() or f(here), and g likewise. Two children or
/// more, hints in front of each. Returns their values; rethrows the first exception. In a thread that runs no task, on the default
/// pool, which is made if there is none. Cost: 12 instructions more than here.join.
/// As after here.join, a task may find itself on another thread; a call from a thread that runs no task returns there, and so does one
/// inside of a conventional call (parallel_for, task_group ...) or isolate().
template <class... Args>
[[gnu::always_inline]] inline auto join(Args&&... args) {
  static_assert(runtime::ambient_children<Args...>,
                "skua::join: takes two children or more, each called as f(here) or f()");
  if constexpr (runtime::ambient_children<Args...>) {
    if (task_context* const mine = runtime::executor::running()) [[likely]]
      return mine->join(runtime::taking_here(std::forward<Args>(args))...);
    return runtime::join_from_outside(std::forward<Args>(args)...);
  }
}

/// f(here) with the `here` of the task that runs on the calling thread; in a thread that runs none, on the default pool, as
/// default_pool().run. Returns f's value. For algorithms that take one: with_here([&](auto& here) { skua::sort(here, v); }).
template <class F>
  requires std::invocable<F&, task_context&>
auto with_here(F&& f) {
  if (task_context* const mine = runtime::executor::running()) [[likely]]
    return f(*mine);
  return runtime::executor::with_here(f);
}

}  // namespace skua::inline v0
