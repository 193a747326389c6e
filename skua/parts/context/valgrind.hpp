// SPDX-License-Identifier: MIT
// Valgrind guesses from jumps of the stack pointer whether a stack was switched; it must be told where stacks are.
// Two implementations, chosen by CMake: valgrind_present.cpp if its header is there, else valgrind_absent.cpp.
// Not in platform.hpp, so that no user's translation unit includes Valgrind's macros.
#pragma once

namespace skua::runtime::valgrind {

/// [low, high) is a stack. The answer names it for `deregister_stack`. A few ns outside Valgrind.
[[nodiscard]] unsigned register_stack(void* low, void* high) noexcept;
void deregister_stack(unsigned name) noexcept;

/// Are we on Valgrind's processor?
[[nodiscard]] bool running() noexcept;

}  // namespace skua::runtime::valgrind
