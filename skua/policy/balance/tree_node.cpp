// SPDX-License-Identifier: MIT
#include "skua/policy/balance/tree_node.hpp"

namespace skua::inline v0::policies::balance {

void tree_node::hold(std::vector<assignment> const& given) {
  for (assignment const& a : given) held_[a.to].push_back(a.task);
}

std::vector<donated_task> tree_node::fill(std::vector<donated_task> pool, double limit) {
  filling filled = fill_children(std::move(pool), children_, limit);
  hold(filled.given);
  return std::move(filled.left);
}

subtree tree_node::whole() const noexcept {
  subtree all{0, 0};
  for (subtree const& c : children_) all = {plus(all.load, c.load), all.size + c.size};
  return all;
}

std::vector<std::vector<donated_task>> tree_node::spread(std::vector<donated_task> pool) {
  hold(balance::spread(std::move(pool), children_));
  return std::exchange(held_, std::vector<std::vector<donated_task>>(children_.size()));
}

}  // namespace skua::inline v0::policies::balance
