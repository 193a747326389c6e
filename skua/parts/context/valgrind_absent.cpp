// SPDX-License-Identifier: MIT
#include "skua/parts/context/valgrind.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace valgrind {

unsigned register_stack(void*, void*) noexcept { return 0; }
void deregister_stack(unsigned) noexcept {}
bool running() noexcept { return false; }

}}}}  // namespace skua::v0::runtime::valgrind
