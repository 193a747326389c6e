// SPDX-License-Identifier: MIT
// Expected: parallel_sort: less is called as less(a, b) and returns a bool
#include "skua/skua.hpp"

int main() {
  int all[3] = {1, 2, 3};
  skua::parallel_sort(all, [](int) { return true; });
}
