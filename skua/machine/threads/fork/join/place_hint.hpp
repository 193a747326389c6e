// SPDX-License-Identifier: MIT
// Place hints of children: kept for a thief, and linked into the chain from which descendants inherit. Children without
// a place hint pay nothing. [numa-ws-2018 III-A]
#pragma once

#include <type_traits>
#include <utility>

#include "skua/machine/threads/fork/fiber/fiber.hpp"
#include "skua/program/children.hpp"
#include "skua/program/hint.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// True if a hint of this type can name a place.
template <class Hint>
inline constexpr bool may_hint_place = !std::is_same_v<Hint, unhinted> && !std::is_same_v<Hint, work>;

template <class Hint>
constexpr place_id hinted_place(Hint const& hint) noexcept {
  return as_hint(hint).place.value_or(no_place_hint);
}

/// The hint cannot name a place, and takes no room.
struct no_place {
  [[nodiscard]] static constexpr place_id place() noexcept { return no_place_hint; }
};
/// The hinted place, or `no_place_hint`.
struct some_place {
  place_id hinted;
  [[nodiscard]] constexpr place_id place() const noexcept { return hinted; }
};

template <class Hint>
constexpr auto place_in(Hint hint) noexcept {
  if constexpr (may_hint_place<Hint>) {
    return some_place{hinted_place(hint)};
  } else {
    return no_place{};
  }
}

/// Calls f(here) inside a place that differs from the one around it. Out of line, so that callers whose place does not change
/// have one copy of f.
template <class Here, class F>
[[gnu::noinline]] value_of<F, Here&> call_inside(Here& here, place_id hinted, F&& f) {
  fiber& running = fiber_of(here);
  stop_node const node{running.watching(), nullptr, nullptr, nullptr, hinted};
  struct at_end {
    fiber& running;
    stop_node const* outer;
    ~at_end() { running.watch(outer); }
  } const leave{running, node.outer};
  running.watch(&node);
  return call(std::forward<F>(f), here);
}

/// Calls f(here) inside its hinted place. A hint that repeats the place around it costs a comparison.
template <class Here, class Hint, class F>
[[gnu::always_inline]] inline value_of<F, Here&> call_at(Here& here, Hint hint, F&& f) {
  if constexpr (may_hint_place<Hint>) {
    place_id const hinted = hinted_place(hint);
    if (!stop_node::adds_nothing(fiber_of(here).watching(), hinted))
      return call_inside(here, hinted, std::forward<F>(f));
  }
  return call(std::forward<F>(f), here);
}

}}}  // namespace skua::v0::runtime
