// SPDX-License-Identifier: MIT
// The form of a user's function: it takes the elements, optionally with a `here` in front of them.
#pragma once

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

namespace skua { inline namespace v0 { namespace runtime {

/// True if all are signed or all are unsigned. Otherwise the common type is unsigned and cannot hold -1: a loop from -1
/// to a size would visit no elements.
template <class... Bound>
inline constexpr bool of_one_sign = (std::is_signed_v<Bound> && ...) || (std::is_unsigned_v<Bound> && ...);

/// A function that is called as f(here, args...) or f(args...); as the first if both compile.
/// Law: several workers may call it at once, on different elements.
template <class F, class Here, class... Args>
concept body_of = std::invocable<F&, Here&, Args...> || std::invocable<F&, Args...>;

template <class Here, class F, class... Args>
  requires body_of<F, Here, Args...>
constexpr decltype(auto) call_body(Here& here, F& f, Args&&... args) {
  if constexpr (std::invocable<F&, Here&, Args...>) {
    return std::invoke(f, here, std::forward<Args>(args)...);
  } else {
    return std::invoke(f, std::forward<Args>(args)...);
  }
}

/// A callable that is called once: its operator() may be for rvalues only.
template <class F, class Here>
concept task_of = std::invocable<F, Here&> || std::invocable<F> || body_of<std::remove_reference_t<F>, Here>;

/// Calls f(here) or f() with f's value category: an rvalue is called as an rvalue, unless that does not compile.
template <class Here, class F>
  requires task_of<F, Here>
constexpr decltype(auto) call_task(Here& here, F&& f) {
  if constexpr (std::invocable<F, Here&>) {
    return std::invoke(std::forward<F>(f), here);
  } else if constexpr (std::invocable<F>) {
    return std::invoke(std::forward<F>(f));
  } else {
    return call_body(here, f);
  }
}

/// The type of the value that a body returns.
template <class F, class Here, class... Args>
using body_value =
    std::remove_cvref_t<decltype(call_body(std::declval<Here&>(), std::declval<F&>(), std::declval<Args>()...))>;

/// Laws: `combine` is associative, and the identity is neutral on both sides. `combine` need not commute: operands keep
/// their order. Floating-point addition is allowed although it is not associative; each algorithm documents the result.
template <class Combine, class T>
concept monoid = std::copy_constructible<T> && std::assignable_from<T&, T> &&
                 std::convertible_to<std::invoke_result_t<Combine&, T, T>, T>;

}}}  // namespace skua::v0::runtime
