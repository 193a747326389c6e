// SPDX-License-Identifier: MIT
// Valgrind guesses from jumps of the stack pointer whether a stack was switched, so it must be told where stacks are.
// CMake chooses one of two implementations: valgrind_present.cpp if Valgrind's header is there, else
// valgrind_absent.cpp. Not in platform.hpp, so that no user's translation unit includes Valgrind's macros.
#pragma once

namespace skua { inline namespace v0 { namespace runtime { namespace valgrind {

/// Registers the stack [low, high). Returns its name for `deregister_stack`. A few ns outside Valgrind.
[[nodiscard]] unsigned register_stack(void* low, void* high) noexcept;
void deregister_stack(unsigned name) noexcept;

/// True if the program runs under Valgrind.
[[nodiscard]] bool running() noexcept;

}}}}  // namespace skua::v0::runtime::valgrind
