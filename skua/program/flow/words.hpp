// SPDX-License-Identifier: MIT
// The words in front of a node's function: after(a, b), takes(c), hints, and the blocks that the node reads and writes.
#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>

#include "skua/program/flow/graph.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// The value of `after`.
template <std::size_t N>
struct after_nodes {
  std::array<node<void>, N> nodes;
};
/// Stands in front of a node's function: the node runs after these nodes.
template <class... T>
[[nodiscard]] after_nodes<sizeof...(T)> after(node<T> const&... before) noexcept {
  return {{node<void>(before)...}};
}

/// The value of `takes`.
template <class... T>
struct taken_values {
  std::tuple<node<T>...> nodes;
};
/// Stands in front of a node's function: the node runs after these nodes, and its function receives their values:
/// f(here, a, b).
template <class... T>
[[nodiscard]] taken_values<T...> takes(node<T> const&... from) noexcept {
  static_assert((!std::is_void_v<T> && ...), "takes: each of these nodes returns a value; use after() for the others");
  return {{from...}};
}

template <class T>
inline constexpr bool is_after = false;
template <std::size_t N>
inline constexpr bool is_after<after_nodes<N>> = true;
template <class T>
inline constexpr bool is_takes = false;
template <class... T>
inline constexpr bool is_takes<taken_values<T...>> = true;

template <class T>
concept block_word = std::is_same_v<std::remove_cvref_t<T>, reads> || std::is_same_v<std::remove_cvref_t<T>, writes>;
template <class T>
concept flow_word =
    hint_word<T> || block_word<T> || is_after<std::remove_cvref_t<T>> || is_takes<std::remove_cvref_t<T>>;

/// Pointers to the values of the nodes that `takes` names, if it is among the words.
template <class... Words>
constexpr auto values_taken(Words const&... words) noexcept {
  static_assert((std::size_t{0} + ... + (is_takes<Words> ? 1U : 0U)) <= 1, "flow.add: one takes() at most");
  return std::tuple_cat([](auto const& word) {
    if constexpr (is_takes<std::remove_cvref_t<decltype(word)>>) {
      return std::apply([](auto const&... n) { return std::tuple(n.value()...); }, word.nodes);
    } else {
      return std::tuple<>();
    }
  }(words)...);
}

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

using runtime::after;
using runtime::takes;

}}  // namespace skua::v0
