// SPDX-License-Identifier: MIT
#include "skua/parts/context/valgrind.hpp"

namespace skua::inline v0::runtime::valgrind {

unsigned register_stack(void*, void*) noexcept { return 0; }
void deregister_stack(unsigned) noexcept {}
bool running() noexcept { return false; }

}  // namespace skua::inline v0::runtime::valgrind
