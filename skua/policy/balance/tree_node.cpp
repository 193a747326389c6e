// SPDX-License-Identifier: MIT
#include "skua/policy/balance/tree_node.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance {

void tree_node::hold(std::vector<assignment> const& given) {
  for (assignment const& a : given) held_[a.receiver].push_back(a.task);
}

std::vector<donated_task> tree_node::fill(std::vector<donated_task> pool) {
  filling filled = fill_children(std::move(pool), children_, rule_);
  hold(filled.given);
  return std::move(filled.left);
}

std::vector<std::vector<donated_task>> tree_node::spread(std::vector<donated_task> pool) {
  hold(balance::spread(std::move(pool), children_));
  return std::exchange(held_, std::vector<std::vector<donated_task>>(children_.size()));
}

}}}}  // namespace skua::v0::policies::balance
