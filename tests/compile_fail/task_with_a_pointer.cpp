// SPDX-License-Identifier: MIT
// Expected: task_collection: a task travels between ranks as its bytes, in which pointers, references, std::string_view and std::span mean nothing
#include "skua/ranks.hpp"

struct block {
  double* first = nullptr;
  int rows[2] = {};
};
struct product {
  int number = 0;
  block left;
};

void make(skua::communicator& world) {
  skua::task_collection<product> tasks(world, {}, [](product const&) {});
  tasks.add(product{});
}
