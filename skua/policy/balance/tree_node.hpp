// SPDX-License-Identifier: MIT
// An internal node of the balancing tree while tasks go up and down: what its children reported, and the tasks that it
// holds for them. A rank keeps one for each node that it hosts.
// [retentive-hpdc12 5.2, Figure 1, Algorithm 2]
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "skua/policy/balance/steps.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance {

/// Call fill once all children have reported, then spread once the parent has sent; the root sends itself what fill left.
///
/// Invariant (kept): every task that comes in by fill or spread goes out once, to the parent or to one child.
class tree_node {
 public:
  /// The children's reports, in the order of the children, without the tasks that they passed up.
  tree_node(std::vector<subtree> children, fill_rule const& rule)
      : rule_(rule), children_(std::move(children)), held_(children_.size()) {}

  /// `pool`: what the children passed up. Returns what this node passes up, and holds the rest for its children.
  [[nodiscard]] std::vector<donated_task> fill(std::vector<donated_task> pool);
  /// What this node reports to its parent: the load of all leaves below and of all tasks held for them.
  [[nodiscard]] subtree whole() const noexcept { return whole_of(children_); }

  /// `pool`: what the parent sent. Returns what each child gets, in the order of the children; the node is then empty.
  [[nodiscard]] std::vector<std::vector<donated_task>> spread(std::vector<donated_task> pool);

 private:
  void hold(std::vector<assignment> const& given);

  fill_rule rule_;
  std::vector<subtree> children_;
  std::vector<std::vector<donated_task>> held_;  ///< by child
};

}}}}  // namespace skua::v0::policies::balance
