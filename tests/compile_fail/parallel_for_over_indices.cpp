// SPDX-License-Identifier: MIT
// Expected: parallel_for: body is called as body(i) or body(here, i)
#include "skua/skua.hpp"

int main() {
  skua::parallel_for(0, 10, [](char const*) {});
}
