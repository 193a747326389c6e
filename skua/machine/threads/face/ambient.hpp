// SPDX-License-Identifier: MIT
// Forks for code that nobody hands a `here`: comparators, callbacks, libraries with an interface of their own. They find the fiber that
// runs on the calling thread, and so the caller's own worker, pool and region.
#pragma once

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "skua/machine/threads/face/executor.hpp"
#include "skua/machine/threads/fork/join/here.hpp"
#include "skua/program/algorithm/body.hpp"
#include "skua/program/hint.hpp"

namespace skua { inline namespace v0 {

/// The type of the `here` that pools hand to tasks (fork_join.hpp), for functions that are no templates: void walk(task_context& here).
using task_context = runtime::here;

namespace runtime {

/// What `join` takes: two children or more, each called as f(here) or f(), hint words in front of them.
template <class... Args>
concept ambient_children = (std::size_t{0} + ... + (hint_word<Args> ? 0U : 1U)) >= 2 &&
                           ((hint_word<Args> || std::invocable<Args, here&> || std::invocable<Args>) && ...);

/// A child as here.join calls it, once. Held as a join holds it, so that small ones stay in registers on the way there.
template <class F>
struct ambient_child {
  held<F> function;
  [[gnu::always_inline]] decltype(auto) operator()([[maybe_unused]] here& h) {
    if constexpr (std::invocable<F, here&>) {
      return function.get()(h);
    } else {
      return function.get()();
    }
  }
};

template <class Arg>
[[gnu::always_inline]] constexpr auto as_ambient_child(std::remove_reference_t<Arg>& arg) noexcept {
  if constexpr (hint_word<Arg>) {
    return arg;
  } else {
    return ambient_child<Arg>{held<Arg>(arg)};
  }
}

template <class F, class G, class HintF, class HintG>
[[gnu::cold, gnu::noinline]] values_of_two<here, F, G> join_from_outside(HintF hint_f, HintG hint_g, held<F> f,
                                                                         held<G> g) {
  return executor::with_here([&](here& h) { return fork_and_join<F, G>(h, hint_f, hint_g, f, g); });
}

/// A function of its own, as fork_and_join is, so that its caller stays small.
template <class F, class G, class HintF, class HintG>
[[gnu::noinline]] values_of_two<here, F, G> find_here_and_join(HintF hint_f, HintG hint_g, held<F> f, held<G> g) {
  if (here* const mine = executor::running()) [[likely]]
    return fork_and_join_here<F, G>(*mine, hint_f, hint_g, f, g);
  return join_from_outside<F, G>(hint_f, hint_g, f, g);
}

template <class HintF, class F, class HintG, class G>
[[gnu::always_inline]] inline auto join_two_found(child<HintF, F> const& f, child<HintG, G> const& g) {
  auto both = find_here_and_join<F, G>(f.hint, g.hint, held<F>(f.function), held<G>(g.function));
  return values(std::move(both.first), std::move(both.second));
}
template <class... Children>
[[gnu::always_inline]] inline auto join_found(Children&&... all) {
  constexpr std::size_t hints = (std::size_t{0} + ... + (hint_word<Children> ? 1U : 0U));
  if constexpr (sizeof...(Children) == 2) {
    return join_two_found(child<unhinted, Children>{{}, std::move(all)}...);
  } else if constexpr (sizeof...(Children) - hints == 2) {
    return std::apply([](auto&&... c) __attribute__((always_inline)) { return join_two_found(c...); },
                      children_of(std::forward<Children>(all)...));
  } else {
    auto const join_all = [&](here& h) { return h.join(std::forward<Children>(all)...); };
    if (here* const mine = executor::running()) [[likely]]
      return join_all(*mine);
    return executor::with_here(join_all);
  }
}

}  // namespace runtime

/// As here.join, of the task that runs on the calling thread: skua::join(f, g) calls f() or f(here), and g likewise. Two children or
/// more, hints in front of each. Returns their values; rethrows the first exception. In a thread that runs no task, on the default
/// pool, which is made if there is none. Cost: 9 to 16 instructions more than here.join.
/// As after here.join, a task may find itself on another thread; a call from a thread that runs no task returns there, and so does one
/// inside of a conventional call (parallel_for, task_group ...) or isolate().
template <class... Args>
[[gnu::always_inline]] inline auto join(Args&&... args) {
  static_assert(runtime::ambient_children<Args...>,
                "skua::join: takes two children or more, each called as f(here) or f()");
  if constexpr (runtime::ambient_children<Args...>)
    return runtime::join_found(runtime::as_ambient_child<Args>(args)...);
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

}}  // namespace skua::v0
