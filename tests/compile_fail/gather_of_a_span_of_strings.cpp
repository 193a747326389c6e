// SPDX-License-Identifier: MIT
// Expected: a collective call of a span sends the bytes of its elements
#include <span>
#include <string>

#include "skua/ranks.hpp"

void names(skua::communicator& world, std::span<std::string const> own) { static_cast<void>(world.gather(own)); }
