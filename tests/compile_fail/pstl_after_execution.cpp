// SPDX-License-Identifier: MIT
// Expected: skua/pstl.hpp: include it before <execution>
#include <execution>
//
#include "skua/pstl.hpp"

int main() {}
