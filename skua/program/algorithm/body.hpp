// SPDX-License-Identifier: MIT
// The shape of a user's function: it takes the elements, with or without the capability to fork in front of them.
#pragma once

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

namespace skua { inline namespace v0 { namespace runtime {

/// Are they all signed, or all unsigned? If not, the common type of -1 and a size holds no -1: a loop between them would
/// visit nothing.
template <class... Bound>
inline constexpr bool of_one_sign = (std::is_signed_v<Bound> && ...) || (std::is_unsigned_v<Bound> && ...);

/// f(here, args...) or f(args...). Where both compile, the first is called.
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

/// A callable that is called once, and may be used up by that: its operator() may be for rvalues only.
template <class F, class Here>
concept task_of = std::invocable<F, Here&> || std::invocable<F> || body_of<std::remove_reference_t<F>, Here>;

/// f(here) or f() on f as it was passed: an rvalue is called as an rvalue, unless it can be called as an lvalue only.
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

/// Laws: combine is associative, identity is neutral on both sides. It need not commute: operands keep their order.
/// Floating-point addition is welcome although it breaks the first law; each algorithm says what happens then.
template <class Combine, class T>
concept monoid = std::copy_constructible<T> && std::assignable_from<T&, T> &&
                 std::convertible_to<std::invoke_result_t<Combine&, T, T>, T>;

}}}  // namespace skua::v0::runtime
