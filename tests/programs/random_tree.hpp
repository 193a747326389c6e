// SPDX-License-Identifier: MIT
// Random fork-join programs for tests: same seed and shape, same tree. Hints are random, and some are invalid.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>

#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/program/task_tree.hpp"

namespace skua { inline namespace v0 {

/// The shape of the trees.
struct tree_shape {
  std::uint32_t tasks = 200;         ///< approximately
  std::uint32_t most_children = 5;   ///< of one group, at least 2
  std::uint32_t most_flops = 20;     ///< of one leaf
  std::uint32_t scope_percent = 20;  ///< of the groups
};

/// Up to 400 tasks, of any shape.
inline tree_shape random_shape(runtime::dice& roll) {
  return {.tasks = 1 + roll.below(400),
          .most_children = 2 + roll.below(8),
          .most_flops = 1 + roll.below(40),
          .scope_percent = roll.below(3) * 30};
}

class random_tree {
 public:
  static task_tree make(std::uint64_t seed, tree_shape shape = {}) {
    runtime::expects(shape.most_children >= 2 && shape.most_flops < 0xffff'ffffU,
                     "random_tree: groups of at least two children");
    random_tree grown(seed, shape);
    grown.steps(0, shape.tasks, true);
    return std::move(grown.tree_);
  }

 private:
  random_tree(std::uint64_t seed, tree_shape shape) : shape_(shape), roll_(seed) {}

  /// Adds up to three steps of a task, with `budget` tasks below them; a task without budget often has no step at all.
  void steps(tree_node_id at, std::uint32_t budget, bool at_least_one) {
    std::uint32_t const n = roll_.below(3) + (at_least_one || budget > 0 ? 1 : 0);
    for (std::uint32_t i = 0; i < n; ++i) {
      std::uint32_t const share = i + 1 == n ? budget : roll_.below(budget + 1);
      budget -= share;
      if (share == 0) {
        leaf(at);
      } else {
        group(at, share);
      }
    }
  }

  void leaf(tree_node_id at) {
    tree_node_id const id = tree_.add(at, tree_node_kind::leaf);
    tree_[id].flops = roll_.below(shape_.most_flops + 1);
  }

  void group(tree_node_id at, std::uint32_t budget) {
    bool const is_scope = roll_.below(100) < shape_.scope_percent;
    bool const is_each = !is_scope && roll_.below(4) == 0;
    tree_node_id const id = tree_.add(at, is_scope  ? tree_node_kind::scope
                                          : is_each ? tree_node_kind::each
                                                    : tree_node_kind::join);
    std::uint32_t const least = is_scope || is_each ? 0 : 2;
    std::uint32_t const children = least + roll_.below(shape_.most_children - least + 1);
    for (std::uint32_t i = 0; i < children; ++i) {
      if (is_scope && roll_.below(3) == 0) {
        std::uint32_t const between = roll_.below(budget / 2 + 1);
        steps(id, between, false);
        budget -= between;
      }
      tree_node_id const child = tree_.add(id, tree_node_kind::task, some_hint());
      std::uint32_t const below = budget > children ? budget - children : 0;
      std::uint32_t const share = roll_.below(4) == 0 ? below : below / (children - i);
      steps(child, share, false);
      budget -= share < budget ? share + 1 : budget;
    }
  }

  hint some_hint() {
    constexpr double strange[] = {0, -1, std::numeric_limits<double>::infinity(),
                                  std::numeric_limits<double>::quiet_NaN(), 1e300};
    switch (roll_.below(4)) {
      case 0: return as_hint(work{1.0 + roll_.below(100)});
      case 1: return as_hint(work{strange[roll_.below(5)]});
      case 2: return as_hint(at{place_id{roll_.below(8)}});
      default: return {};
    }
  }

  tree_shape shape_;
  runtime::dice roll_;
  task_tree tree_;
};

}}  // namespace skua::v0
