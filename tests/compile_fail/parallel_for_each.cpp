// SPDX-License-Identifier: MIT
// Expected: parallel_for_each: body is called as body(element) or body(element, feeder)
#include "skua/skua.hpp"

int main() {
  int all[3] = {1, 2, 3};
  skua::parallel_for_each(all, [](char const*) {});
}
