// SPDX-License-Identifier: MIT
// Expected: skua/execution.hpp: needs stdexec
#include "skua/execution.hpp"

int main() {}
