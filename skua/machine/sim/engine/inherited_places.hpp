// SPDX-License-Identifier: MIT
// The place hint of a node: its own, or that of its nearest ancestor with one [numa-ws-2018 III-A]. Only tasks that move
// are asked for, so each answer is looked up, and remembered along the path.
#pragma once

#include <cstdint>
#include <optional>

#include "skua/machine/sim/engine/node_table.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/program/task_tree.hpp"

namespace skua { inline namespace v0 { namespace sim {

class inherited_places {
 public:
  explicit inherited_places(task_tree const& program) : program_(program) {}

  /// Amortised: a constant for each node on the paths that were walked.
  [[nodiscard]] std::optional<place_id> of(tree_node_id id) {
    tree_node_id top = id;
    while (ends_search(top) == false) top = program_[top].parent;
    answer const found = known_.find(top) != nullptr && known_[top].is_known
                             ? known_[top]
                             : answer{.place = program_[top].hints.place, .is_known = true};
    for (tree_node_id n = id; n != top; n = program_[n].parent) known_[n] = found;
    known_[top] = found;
    return found.place;
  }

 private:
  struct answer {
    std::optional<place_id> place = {};
    bool is_known = false;
  };

  [[nodiscard]] bool ends_search(tree_node_id id) const {
    tree_node const& n = program_[id];
    if (n.hints.place || n.parent == no_tree_node) return true;
    answer const* const noted = known_.find(id);
    return noted != nullptr && noted->is_known;
  }

  task_tree const& program_;
  node_table<answer> known_;
};

}}}  // namespace skua::v0::sim
