// SPDX-License-Identifier: MIT
// A record by node of the tree, where few nodes need one: of ten million joins only the stolen ones have a state that
// their stacks do not hold. Memory, and the time to clear it, is spent on blocks of neighbours of which one was used.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "skua/program/task_tree.hpp"

namespace skua { inline namespace v0 { namespace sim {

template <class Record>
class node_table {
 public:
  /// The node's record, which stays where it is; value-initialised at its first use. Cost: two loads.
  [[nodiscard]] Record& operator[](tree_node_id id) {
    std::size_t const b = id / block_size;
    if (b >= blocks_.size()) [[unlikely]]
      blocks_.resize(b + 1);
    if (blocks_[b] == nullptr) [[unlikely]]
      blocks_[b] = std::make_unique<block>();
    return (*blocks_[b])[id % block_size];
  }
  /// The node's record, or null if no neighbour was used.
  [[nodiscard]] Record const* find(tree_node_id id) const noexcept {
    std::size_t const b = id / block_size;
    return b < blocks_.size() && blocks_[b] != nullptr ? &(*blocks_[b])[id % block_size] : nullptr;
  }

 private:
  static constexpr std::size_t block_size = 64;
  using block = std::array<Record, block_size>;
  std::vector<std::unique_ptr<block>> blocks_;
};

}}}  // namespace skua::v0::sim
