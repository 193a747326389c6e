// SPDX-License-Identifier: MIT
// Expected: archive: pointers, references, std::string_view and std::span mean nothing on another rank
#include <string_view>

#include "skua/ranks.hpp"

std::string_view title(skua::communicator& world) { return world.broadcast(std::string_view("from rank 0")); }
