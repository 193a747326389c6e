// SPDX-License-Identifier: MIT
// Places that a program says of its children: kept for a thief, and put on the chain that descendants inherit from.
// Nothing of it is in the code of children of whom no place is said. [numa-ws-2018 III-A]
#pragma once

#include <type_traits>
#include <utility>

#include "skua/machine/threads/join/fiber.hpp"
#include "skua/program/children.hpp"
#include "skua/program/hint.hpp"

namespace skua::threads {

/// May a word of this type say a place?
template <class Known>
inline constexpr bool may_say_place = std::is_same_v<Known, at> || std::is_same_v<Known, hint>;

constexpr place_id said_place(at a) noexcept { return a.place; }
constexpr place_id said_place(hint const& h) noexcept { return h.place.value_or(unsaid); }

/// No place was said, and none takes room.
struct no_place {
  [[nodiscard]] static constexpr place_id place() noexcept { return unsaid; }
};
/// The place that was said, or `unsaid`.
struct some_place {
  place_id at;
  [[nodiscard]] constexpr place_id place() const noexcept { return at; }
};

template <class Known>
constexpr auto place_in(Known known) noexcept {
  if constexpr (may_say_place<Known>) {
    return some_place{said_place(known)};
  } else {
    return no_place{};
  }
}

/// f(here), inside a place that does not hold around it. Out of line, so that f stands once where nothing new is said.
template <class Here, class F>
[[gnu::noinline]] value_of<F, Here&> call_inside(Here& here, place_id said, F&& f) {
  stop_node const node{here.watching(), nullptr, nullptr, nullptr, said};
  struct at_end {
    Here& here;
    stop_node const* outer;
    ~at_end() { here.watch(outer); }
  } const leave{here, node.outer};
  here.watch(&node);
  return call(std::forward<F>(f), here);
}

/// f(here), inside the place that was said of it. To say what holds already costs a comparison.
template <class Here, class Known, class F>
[[gnu::always_inline]] inline value_of<F, Here&> call_at(Here& here, Known known, F&& f) {
  if constexpr (may_say_place<Known>) {
    place_id const said = said_place(known);
    if (!stop_node::says_nothing_new(here.watching(), said)) return call_inside(here, said, std::forward<F>(f));
  }
  return call(std::forward<F>(f), here);
}

}  // namespace skua::threads
