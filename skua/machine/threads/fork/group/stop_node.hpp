// SPDX-License-Identifier: MIT
// The chain of nodes around a task, on the fibers' stacks. It tells whether the task must end early (a group failed, a stop
// was requested), and at which place its data are hinted to be. Each query takes constant time, however deep the nesting,
// plus the number of tokens and task_groups around, because each of these is asked.
#pragma once

#include <cstdint>
#include <stop_token>

#include "skua/machine/threads/lane/failure_epoch.hpp"
#include "skua/program/hint.hpp"
#include "skua/program/wait_group.hpp"

namespace skua { inline namespace v0 { namespace runtime {

struct group;

/// No place hint: the place of the enclosing task holds.
inline constexpr place_id no_place_hint{0xffff'fffeU};

struct stop_node {
  stop_node const* outer;        ///< the next one outside
  group const* watched;          ///< its failure ends what runs inside; null: none
  std::stop_token const* token;  ///< a user's token, or null
  wait_group const* tasks;       ///< a task_group's, or null
  place_id place;                ///< of what runs inside, perhaps inherited [numa-ws-2018 III-A]
  clean_mark<> clean;

  explicit stop_node(stop_node const* around, group const* g = nullptr, std::stop_token const* t = nullptr,
                     wait_group const* w = nullptr, place_id hinted = no_place_hint) noexcept
      : outer(around), watched(g), token(t), tasks(w), place(hinted != no_place_hint ? hinted : place_in(around)),
        asked_(t != nullptr || w != nullptr ? this : asked_in(around)) {}
  stop_node(stop_node const&) = delete;
  stop_node& operator=(stop_node const&) = delete;

  /// `failures`: of the region in which the chain lies.
  [[nodiscard]] bool requested(failure_epoch<> const& failures) const noexcept {
    return (asked_ != nullptr || !clean.is_set(failures.now())) && look(failures);
  }
  [[nodiscard]] inline bool has_failed(std::uint64_t epoch) const noexcept;  // fiber.cpp

  /// True if the innermost node `n`, or one around it, also behind a shield, belongs to this task_group. O(depth).
  [[nodiscard]] static bool inside(stop_node const* n, wait_group const& group) noexcept;  // shield.cpp
  /// True if a node inside this one, with this place, would have no effect.
  [[nodiscard]] static bool adds_nothing(stop_node const* n, place_id hinted) noexcept {
    return hinted == no_place_hint || (n != nullptr && n->place == hinted);
  }
  /// The innermost hinted place.
  [[nodiscard]] static hint inherited(stop_node const* n) noexcept {
    place_id const found = place_in(n);
    return found == no_place_hint ? hint{} : as_hint(at{found});
  }

 private:
  [[nodiscard]] bool look(failure_epoch<> const& failures) const noexcept;
  static place_id place_in(stop_node const* n) noexcept { return n == nullptr ? no_place_hint : n->place; }
  static stop_node const* asked_in(stop_node const* n) noexcept { return n == nullptr ? nullptr : n->asked_; }

  stop_node const* asked_;  ///< the innermost node, from here outwards, with a token or a task_group
};

}}}  // namespace skua::v0::runtime
