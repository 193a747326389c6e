// SPDX-License-Identifier: MIT
// Expected: task_group: a task is called as f() or f(here)
#include "skua/skua.hpp"

int main() {
  skua::task_group tasks;
  tasks.run([](int) {});
}
