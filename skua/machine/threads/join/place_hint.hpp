// SPDX-License-Identifier: MIT
// Places that a program says of its children: kept for a thief, and put on the chain that descendants inherit from.
// Nothing of it is in the code of children of whom no place is said. [numa-ws-2018 III-A]
#pragma once

#include <type_traits>
#include <utility>

#include "skua/machine/threads/join/fiber.hpp"
#include "skua/program/children.hpp"
#include "skua/program/hint.hpp"

namespace skua::runtime {

/// May a word of this type say a place?
template <class Hint>
inline constexpr bool may_hint_place = std::is_same_v<Hint, at> || std::is_same_v<Hint, hint>;

constexpr place_id hinted_place(at a) noexcept { return a.place; }
constexpr place_id hinted_place(hint const& h) noexcept { return h.place.value_or(no_place_hint); }

/// No place was said, and none takes room.
struct no_place {
  [[nodiscard]] static constexpr place_id place() noexcept { return no_place_hint; }
};
/// The place that was said, or `unsaid`.
struct some_place {
  place_id at;
  [[nodiscard]] constexpr place_id place() const noexcept { return at; }
};

template <class Hint>
constexpr auto place_in(Hint is_given) noexcept {
  if constexpr (may_hint_place<Hint>) {
    return some_place{hinted_place(is_given)};
  } else {
    return no_place{};
  }
}

/// f(here), inside a place that does not hold around it. Out of line, so that f stands once where nothing new is said.
template <class Here, class F>
[[gnu::noinline]] value_of<F, Here&> call_inside(Here& here, place_id hinted, F&& f) {
  stop_node const node{here.watching(), nullptr, nullptr, nullptr, hinted};
  struct at_end {
    Here& here;
    stop_node const* outer;
    ~at_end() { here.watch(outer); }
  } const leave{here, node.outer};
  here.watch(&node);
  return call(std::forward<F>(f), here);
}

/// f(here), inside the place that was said of it. To say what holds already costs a comparison.
template <class Here, class Hint, class F>
[[gnu::always_inline]] inline value_of<F, Here&> call_at(Here& here, Hint is_given, F&& f) {
  if constexpr (may_hint_place<Hint>) {
    place_id const hinted = hinted_place(is_given);
    if (!stop_node::says_nothing_new(here.watching(), hinted)) return call_inside(here, hinted, std::forward<F>(f));
  }
  return call(std::forward<F>(f), here);
}

}  // namespace skua::runtime
