// SPDX-License-Identifier: MIT
// Forks for code that receives no `here`: comparators, callbacks, libraries with an interface of their own. They find
// the fiber that runs on the calling thread, and so the caller's worker, pool and region.
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

/// The type of the `here` that pools pass to tasks (fork_join.hpp), for functions that are not templates:
/// void walk(task_context& here).
using task_context = runtime::here;

namespace runtime {

/// The arguments of `join`: two children or more, each called as f(here) or f(), hint words in front of them.
template <class... Args>
concept ambient_children =
    (std::size_t{0} + ... + (hint_word<Args> ? 0U : 1U)) >= 2 && ((hint_word<Args> || task_of<Args, here>) && ...);

/// A child in the form that here.join calls, once. It is held as a join holds it, so that small ones are passed in
/// registers.
template <class F>
struct ambient_child {
  held<F> function;
  [[gnu::always_inline]] decltype(auto) operator()(here& h) {
    forks_of(h).free_is(join_slot(h));  // a join in the child asks for it
    return call_task(h, function.get());
  }
};
template <class F>
struct named_as<ambient_child<F>> : named_as<std::remove_reference_t<F>> {};

/// f(here) on the default pool. `Name` is the type whose name traces show.
template <class Name, class F>
auto call_from_outside(F f) {
  auto const run = [](outside_call& c) { executor::run(c); };
  return call_outside<F, decltype(run), typename named_as<Name>::type>(f, run);
}

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
  return call_from_outside<F>([&](here& h) { return fork_and_join<F, G>(h, hint_f, hint_g, f, g); });
}

/// Not inlined, like fork_and_join, so that its caller stays small.
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
    return call_from_outside<decltype(join_all)>(join_all);
  }
}

}  // namespace runtime

/// here.join for the task that runs on the calling thread: skua::join(f, g) calls f() or f(here), and g likewise. Takes
/// two children or more, hints in front of each. Returns their values; rethrows the first exception. In a thread that
/// runs no task it forks on the default pool, and makes that if there is none. Cost: 23 or 24 instructions more than
/// here.join. As after here.join, the task may continue on another thread. It stays on its thread if the thread runs no
/// task, and inside a call that returns on its thread (isolate, parallel_for ..), except in pieces that were stolen
/// from that call. Must not be called in a child of fork() inside a task, nor in on_worker_begin.
template <class... Args>
  requires runtime::ambient_children<Args...>
[[gnu::always_inline]] inline auto join(Args&&... args) {
  return runtime::join_found(runtime::as_ambient_child<Args>(args)...);
}

/// Calls f(here) or f() with the `here` of the task that runs on the calling thread; in a thread that runs no task, on
/// the default pool, like default_pool().run. Returns f's value and throws what it throws. For algorithms that take a
/// `here`: with_here([&](auto& here) { skua::sort(here, v); }).
template <class F>
  requires runtime::task_of<F, task_context>
auto with_here(F&& f) {
  if (task_context* const mine = runtime::executor::running()) [[likely]]
    return runtime::call_task(*mine, std::forward<F>(f));
  return runtime::call_from_outside<std::remove_reference_t<F>>(
      [&](task_context& h) -> decltype(auto) { return runtime::call_task(h, std::forward<F>(f)); });
}

}}  // namespace skua::v0
