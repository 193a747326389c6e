// SPDX-License-Identifier: MIT
// Standard: c++17
// Expected: Skua needs C++20: compile with -std=c++20 or newer
#include "skua/skua.hpp"
