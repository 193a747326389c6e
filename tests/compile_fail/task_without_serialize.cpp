// SPDX-License-Identifier: MIT
// Expected: task_collection: a task travels between ranks as its bytes, in which pointers, references, std::string_view and std::span mean nothing
#include <vector>

#include "skua/ranks.hpp"

struct polynomial {
  std::vector<double> coefficients;
};

void make(skua::communicator& world) {
  skua::task_collection<polynomial> tasks(world, {}, [](polynomial const&) {});
  tasks.add(polynomial{});
}
