// SPDX-License-Identifier: MIT
// Reads the arguments of `join`, [hint] callable, [hint] callable, ..., and composes the value that it returns.
// Compile-time only; shared by every `here`.
#pragma once

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "skua/program/hint.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// The value of a child that returns void, among the values of a join.
struct nothing {
  friend constexpr bool operator==(nothing, nothing) noexcept { return true; }
};

/// The type of the value that F returns for Args: decayed; `nothing` for void.
template <class F, class... Args>
using value_of = std::conditional_t<std::is_void_v<std::invoke_result_t<F, Args...>>, nothing,
                                    std::decay_t<std::invoke_result_t<F, Args...>>>;

/// Calls f(args...) and returns its value; `nothing` if f returns void.
template <class F, class... Args>
constexpr value_of<F, Args...> call(F&& f, Args&&... args) {
  if constexpr (std::is_void_v<std::invoke_result_t<F, Args...>>) {
    std::forward<F>(f)(std::forward<Args>(args)...);
    return {};
  } else {
    return std::forward<F>(f)(std::forward<Args>(args)...);
  }
}

/// A child of a scope. The scope keeps a copy and calls it once, so its operator() may be for rvalues only.
template <class F, class Here>
concept forkable = std::invocable<std::decay_t<F>, Here&> || std::invocable<std::decay_t<F>&, Here&>;

/// Calls f(here) with f's value category; if that does not compile, as an lvalue, or on a copy.
template <class Here, forkable<Here> F>
constexpr void call_forked(Here& here, F&& f) {
  if constexpr (std::invocable<F, Here&>) {
    static_cast<void>(std::forward<F>(f)(here));
  } else if constexpr (std::invocable<std::remove_reference_t<F>&, Here&>) {
    static_cast<void>(f(here));
  } else {
    static_cast<void>(std::decay_t<F>(f)(here));
  }
}

/// The arguments of a join: two children or more, each called as f(here), hint words in front of them.
template <class Here, class... Args>
concept children_for = (std::size_t{0} + ... + (hint_word<Args> ? 0U : 1U)) >= 2 &&
                       ((hint_word<Args> || std::invocable<Args, Here&>) && ...);

/// Stands for a child without a hint.
struct unhinted {};
constexpr hint as_hint(unhinted) noexcept { return {}; }
/// Keeps the word's type, which tells at compile time which hints it cannot carry.
template <hint_word Word>
constexpr Word operator|(unhinted, Word w) noexcept {
  return w;
}

/// One child of a join: its hint and a reference to its callable. The hint is a hint word or `unhinted`; its type tells
/// which hints it may carry.
template <class Hint, class F>
struct child {
  Hint hint;
  F&& function;
};

namespace reading {

constexpr std::tuple<> children() noexcept { return {}; }

template <class First, class... Rest>
constexpr auto children(First&& first, Rest&&... rest) noexcept;

template <class Hint, class F, class... Rest>
constexpr auto children_with(Hint hint, F&& f, Rest&&... rest) noexcept {
  if constexpr (hint_word<F>) {
    return children_with(hint | f, std::forward<Rest>(rest)...);
  } else {
    return std::tuple_cat(std::tuple<child<Hint, F>>(child<Hint, F>{hint, std::forward<F>(f)}),
                          children(std::forward<Rest>(rest)...));
  }
}

template <class First, class... Rest>
constexpr auto children(First&& first, Rest&&... rest) noexcept {
  return children_with(unhinted{}, std::forward<First>(first), std::forward<Rest>(rest)...);
}

}  // namespace reading

/// A tuple of `child`, one per callable among the arguments, in order.
template <class... Args>
constexpr auto children_of(Args&&... args) noexcept {
  return reading::children(std::forward<Args>(args)...);
}

/// The values of a group as a tuple; void if every child returns void, so that such a join has no value to discard.
template <class... Values>
constexpr auto values(Values&&... v) {
  if constexpr ((std::is_same_v<std::remove_cvref_t<Values>, nothing> && ...)) {
    return;
  } else {
    return std::tuple<std::remove_cvref_t<Values>...>(std::forward<Values>(v)...);
  }
}

/// The hint word that hint_of returned for one element of `join_each`; `unhinted` if it returned a number.
template <class Hint>
constexpr auto hint_word_of(Hint hint) noexcept {
  if constexpr (hint_word<Hint>) {
    return hint;
  } else {
    return unhinted{};
  }
}

/// The hint of one element of `join_each`, from a hint word or from a number, which is its work.
template <class Hint>
constexpr hint element_hint(Hint hint) noexcept {
  if constexpr (hint_word<Hint>) {
    return as_hint(hint);
  } else {
    static_assert(std::is_arithmetic_v<Hint>,
                  "join_each(range, hint_of, body): hint_of yields a hint word or a number");
    return as_hint(work{static_cast<double>(hint)});
  }
}

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

using runtime::nothing;

}}  // namespace skua::v0
