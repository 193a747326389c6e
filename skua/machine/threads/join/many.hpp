// SPDX-License-Identifier: MIT
// A group of n children that are known by number: `each`, and the join of three and more. What lies in the lane is
// "all children not yet started"; its entry is (group, number of the next child), so a thief needs nothing of the
// piece it stolen and pieces end independently. (group.md, "pieces")
//
// The group itself is compiled once (sequence.cpp); what programs compile is how a child is called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "skua/machine/threads/join/place_hint.hpp"
#include "skua/program/children.hpp"
#include "skua/program/hint.hpp"

namespace skua::runtime {

/// How the children of a group are called, and their hints.
struct numbered_children {
  void (*call)(numbered_children&, std::uint64_t i, runtime::here&);
  hint (*hint_of)(numbered_children const&, std::uint64_t i) noexcept = nullptr;  ///< null: nothing
};

/// Runs children 0 .. n-1 as one group; returns when every one has been dealt with. Throws the first exception, or
/// `cancelled` if children were dropped.
void run_group(runtime::here& on, numbered_children& all, std::uint64_t n);

/// A child of a join: an object, and the function that calls it and keeps its value.
struct joined_child {
  void (*call)(void* object, runtime::here&);
  void* object;
};

/// run_group for these. `hints` may be null: the children have none.
void run_children(runtime::here& on, joined_child const* all, hint const* hints, std::size_t n);

/// A child of a join, with its type.
template <class Here, class Hint, class F>
struct numbered_child {
  Hint hint;
  F&& function;
  std::optional<value_of<F, Here&>> value = {};

  static constexpr bool is_hinted = !std::is_same_v<Hint, unhinted>;

  [[nodiscard]] joined_child untyped() noexcept {
    return {[](void* self, runtime::here& on) {
              auto& mine = *static_cast<numbered_child*>(self);
              mine.value.emplace(runtime::call_at(static_cast<Here&>(on), mine.hint, std::forward<F>(mine.function)));
            },
            this};
  }
};

}  // namespace skua::runtime

namespace skua::runtime {

/// The join of children that stand in the caller's frame. Their values, in order.
template <class Here, class... Child>
auto join_many(Here& here, Child&&... all) {
  runtime::joined_child const untyped[] = {all.untyped()...};
  if constexpr ((Child::is_hinted || ...)) {
    hint const hints[] = {as_hint(all.hint)...};
    runtime::run_children(here, untyped, hints, sizeof...(all));
  } else {
    runtime::run_children(here, untyped, nullptr, sizeof...(all));
  }
  return values(std::move(*all.value)...);
}

}  // namespace skua::runtime
