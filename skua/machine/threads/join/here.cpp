// SPDX-License-Identifier: MIT
#include "skua/machine/threads/join/here.hpp"

namespace skua::runtime {

static_assert(models_fork_join<here>);

}  // namespace skua::runtime
