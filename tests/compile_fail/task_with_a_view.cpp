// SPDX-License-Identifier: MIT
// Expected: task_collection: a task travels between ranks as its bytes, in which pointers, references, std::string_view and std::span mean nothing
#include <string_view>

#include "skua/ranks.hpp"

struct lookup {
  int table = 0;
  std::string_view key;
};

void make(skua::communicator& world) {
  skua::task_collection<lookup> tasks(world, {}, [](lookup const&) {});
  tasks.add(lookup{});
}
