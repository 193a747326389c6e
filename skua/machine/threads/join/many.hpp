// SPDX-License-Identifier: MIT
// A group of n numbered children: `each`, and joins of three and more. The entry in the lane stands for all children
// not yet started: it is (group, number of the next child). So a thief needs nothing of the piece that it steals from,
// and pieces end independently. (group.md, "Pieces")
//
// The group itself is compiled once (sequence.cpp); a program compiles only the calls of its children.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "skua/machine/threads/join/place_hint.hpp"
#include "skua/parts/base/type_text.hpp"
#include "skua/program/children.hpp"
#include "skua/program/hint.hpp"

namespace skua::inline v0::runtime {

/// The children of a group: how each is called, and its hint.
struct numbered_children {
  void (*call)(numbered_children&, std::uint64_t i, here&);
  hint (*hint_of)(numbered_children const&, std::uint64_t i) noexcept = nullptr;  ///< null: no hints
  char const* name = nullptr;                                                     ///< for traces
};

/// Runs children 0 .. n-1 as one group; returns when each has been dealt with. Throws the first exception, or
/// `cancelled` if children were dropped.
void run_group(here& on, numbered_children& all, std::uint64_t n);

/// A child of a join: an object, and the function that calls it and keeps its value.
struct joined_child {
  void (*call)(void* object, here&);
  void* object;
};

/// run_group for these n children. `hints` may be null: no child has a hint. `name` is for traces.
void run_children(here& on, joined_child const* all, hint const* hints, std::size_t n, char const* name);

/// A child of a join, with its type.
template <class Here, class Hint, class F>
struct numbered_child {
  Hint hint;
  F&& function;
  std::optional<value_of<F, Here&>> value = {};

  static constexpr bool is_hinted = !std::is_same_v<Hint, unhinted>;
  [[nodiscard]] static char const* name() noexcept { return type_text<std::remove_reference_t<F>>(); }

  [[nodiscard]] joined_child untyped() noexcept {
    return {[](void* self, here& on) {
              auto& mine = *static_cast<numbered_child*>(self);
              mine.value.emplace(call_at(static_cast<Here&>(on), mine.hint, std::forward<F>(mine.function)));
            },
            this};
  }
};

template <class First, class... Rest>
constexpr char const* name_of_first() noexcept {
  return First::name();
}

/// Runs children that lie in the caller's frame as one group; their values are in them afterwards. The first gives it its
/// name.
template <class Here, class... Child>
void run_numbered(Here& here, Child&... all) {
  joined_child const untyped[] = {all.untyped()...};
  char const* const name = name_of_first<Child...>();
  if constexpr ((Child::is_hinted || ...)) {
    hint const hints[] = {as_hint(all.hint)...};
    run_children(here, untyped, hints, sizeof...(all), name);
  } else {
    run_children(here, untyped, nullptr, sizeof...(all), name);
  }
}

/// The join of children that lie in the caller's frame. Returns their values, in order.
template <class Here, class... Child>
auto join_many(Here& here, Child&&... all) {
  run_numbered(here, all...);
  return values(std::move(*all.value)...);
}

}  // namespace skua::inline v0::runtime
