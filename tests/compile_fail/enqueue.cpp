// SPDX-License-Identifier: MIT
// Expected: enqueue: a task is called as f() or f(here)
#include "skua/skua.hpp"

int main() {
  skua::enqueue([](int) {});
}
