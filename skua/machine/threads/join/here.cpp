// SPDX-License-Identifier: MIT
#include "skua/machine/threads/join/here.hpp"

namespace skua::threads {

static_assert(models_fork_join<here>);

}  // namespace skua::threads
