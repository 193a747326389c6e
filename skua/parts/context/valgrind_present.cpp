// SPDX-License-Identifier: MIT
#include <valgrind/valgrind.h>

#include "skua/parts/context/valgrind.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace valgrind {

unsigned register_stack(void* low, void* high) noexcept {
  return static_cast<unsigned>(VALGRIND_STACK_REGISTER(low, high));
}
void deregister_stack(unsigned name) noexcept { VALGRIND_STACK_DEREGISTER(name); }
bool running() noexcept { return RUNNING_ON_VALGRIND != 0; }

}}}}  // namespace skua::v0::runtime::valgrind
