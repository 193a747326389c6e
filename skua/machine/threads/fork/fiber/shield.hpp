// SPDX-License-Identifier: MIT
// A shield: what runs behind it is not asked to end by what lies around it, a sibling's failure or a stop. A destructor, or
// any function that must not throw, can then fork: nothing there throws `cancelled`. [trio: a shielded cancel scope;
// oneTBB: an isolated task_group_context]
#pragma once

#include "skua/machine/threads/fork/fiber/fiber.hpp"
#include "skua/machine/threads/fork/group/group.hpp"
#include "skua/machine/threads/fork/group/stop_node.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Around what runs behind a shield: nothing. Who asks whether a task would wait for itself goes on with what lies below.
struct shield_node final : stop_node {
  shield_node(stop_node const* what_is_below, group const& mark) noexcept
      : stop_node(nullptr, &mark, nullptr, nullptr, place_below(what_is_below)), below(what_is_below) {}
  stop_node const* const below;

  static task_kind const kind;  ///< of its group, by which the node is known; never run
  [[nodiscard]] static shield_node const* of(stop_node const& n) noexcept {
    return n.of != nullptr && n.of->is == &kind ? &static_cast<shield_node const&>(n) : nullptr;
  }

 private:
  static place_id place_below(stop_node const* n) noexcept { return n == nullptr ? no_place_hint : n->place; }
};

/// While it lives, the fiber runs on top of what lies below without being a part of it. Place hints from below hold. Own
/// failures and stops behind the shield act as ever. Shields nest, and end in reverse order, as frames do.
class shield {
 public:
  explicit shield(fiber& f) noexcept;
  explicit shield(here& h) noexcept : shield(fiber_of(h)) {}
  ~shield();
  shield(shield const&) = delete;
  shield& operator=(shield const&) = delete;

 private:
  group mark_;  ///< has no children, and never fails
  shield_node const node_;
  fiber::nested_task const nested_;
};

}}}  // namespace skua::v0::runtime
