// SPDX-License-Identifier: MIT
// A shield: neither a sibling's failure nor a stop around it cancels the code behind it. So a destructor, or any function that
// must not throw, can fork: nothing there throws `cancelled`. [trio: a shielded cancel scope;
// oneTBB: an isolated task_group_context]
#pragma once

#include "skua/machine/threads/fork/fiber/fiber.hpp"
#include "skua/machine/threads/fork/group/group.hpp"
#include "skua/machine/threads/fork/group/stop_node.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Ends the chain of nodes behind a shield. The check whether a task would wait for itself continues with the node below.
struct shield_node final : stop_node {
  shield_node(stop_node const* what_is_below, group const& mark) noexcept
      : stop_node(nullptr, &mark, nullptr, nullptr, place_below(what_is_below)), below(what_is_below) {}
  stop_node const* const below;

  static task_kind const kind;  ///< of its group: identifies the node; never run
  [[nodiscard]] static shield_node const* of(stop_node const& n) noexcept {
    return n.watched != nullptr && n.watched->kind == &kind ? &static_cast<shield_node const&>(n) : nullptr;
  }

 private:
  static place_id place_below(stop_node const* n) noexcept { return n == nullptr ? no_place_hint : n->place; }
};

/// While it lives, the fiber runs on top of the code below without being a part of it. Place hints from below hold. Failures
/// and stops behind the shield act as usual. Shields nest, and end in reverse order, as frames do.
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
