// SPDX-License-Identifier: MIT
// A shield: what runs behind it is not asked to end by what lies around it, a sibling's failure or a stop. A destructor, or
// any function that must not throw, can then fork: nothing there throws `cancelled`. [trio: a shielded cancel scope;
// oneTBB: an isolated task_group_context]
#pragma once

#include "skua/machine/threads/join/fiber.hpp"
#include "skua/machine/threads/join/stop_node.hpp"

namespace skua::inline v0::runtime {

/// While it lives, the fiber runs on top of what lies below without being a part of it. Place hints from below hold. Own
/// failures and stops behind the shield act as ever. Shields nest, and end in reverse order, as frames do.
class shield {
 public:
  explicit shield(fiber& f) noexcept;
  ~shield();
  shield(shield const&) = delete;
  shield& operator=(shield const&) = delete;

 private:
  stop_node const node_;
  fiber::nested_task const nested_;
};

}  // namespace skua::inline v0::runtime
