// SPDX-License-Identifier: MIT
// Expected: parallel_for: after the body come a grain, a partitioner, and a stop_token or an lvalue task_group_context
#include "skua/skua.hpp"

int main() {
  skua::parallel_for(0, 10, [](int) {}, skua::simple_partitioner(), skua::grain{4});
}
