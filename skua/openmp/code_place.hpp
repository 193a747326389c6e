// SPDX-License-Identifier: MIT
// Where in a program's objects some code is: what traces and messages call a construct by. The report finds its function and line there
// (cli/text/source_places.hpp), because the program's own tables of symbols do not list the functions that GCC makes of regions.
#pragma once

namespace skua { inline namespace v0 { namespace openmp {

/// "PATH+0xOFFSET build-id HEX", without the last two words if the object has no build id; the offset is that in the object's own addresses.
/// Empty if no object has the code. Lives for ever, and is the same for the same address: also if another object took its place meanwhile (dlclose).
/// Cost: a hash; the first time for an address, a walk through the loaded objects. Any thread. Null if there is no memory.
[[nodiscard]] char const* place_of_code(void const* code) noexcept;

}}}  // namespace skua::v0::openmp

/// In an entry point: its call, in the code that called it.
#define SKUA_CALLER (static_cast<char const*>(__builtin_return_address(0)) - 1)
