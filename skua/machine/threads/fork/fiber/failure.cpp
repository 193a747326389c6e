// SPDX-License-Identifier: MIT
// What a requested stop does.
#include "skua/machine/threads/fork/fiber/failure.hpp"

#include "skua/machine/threads/fork/fiber/fiber_at.hpp"

namespace skua { inline namespace v0 { namespace runtime {

fiber_slot& stop_scope::slot_of(fiber const& f) noexcept { return f.slot(); }

void stop_scope::alarm::operator()() const noexcept { slot.ask_all_to_poll(); }

}}}  // namespace skua::v0::runtime
