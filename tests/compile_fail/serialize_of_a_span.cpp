// SPDX-License-Identifier: MIT
// Expected: archive: pointers, references, std::string_view and std::span mean nothing on another rank
#include <span>

#include "skua/ranks.hpp"

struct rows {
  std::span<double> all;
  template <class Archive>
  void serialize(Archive& a) {
    a(all);
  }
};

void make(skua::communicator& world) {
  skua::task_collection<rows> tasks(world, {}, [](rows const&) {});
  tasks.add(rows{});
}
