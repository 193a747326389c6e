// SPDX-License-Identifier: MIT
#include "skua/machine/threads/lane/fiber_slot.hpp"

namespace skua { inline namespace v0 { namespace runtime {

[[gnu::cold]] placement fiber_slot::place_alone(task_tag& task) noexcept {
  placement to = policy.place(task, cause::refused);
  to.width = 1;
  return to;
}

}}}  // namespace skua::v0::runtime
