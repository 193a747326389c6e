// SPDX-License-Identifier: MIT
// An interface that mentions Skua's classes without including them.
#pragma once

#include <skua/fwd.hpp>

namespace user {

long fib_on(skua::pool& workers, int n);
void use(skua::topology const& machine, skua::layout const& map, skua::place_id place, skua::hint const& hint);
void use(skua::recorder& here, skua::serial& elision, skua::task_group_context& context, skua::region& region);

}  // namespace user
