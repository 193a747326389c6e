// SPDX-License-Identifier: MIT
#include "skua/machine/threads/join/here.hpp"

namespace skua::inline v0::runtime {

static_assert(models_fork_join<here>);

}  // namespace skua::inline v0::runtime
