// SPDX-License-Identifier: MIT
#include "skua/policy/balance/balance_tree.hpp"

#include <algorithm>

#include "skua/parts/base/assert.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance {

balance_tree::balance_tree(std::uint32_t ranks, std::uint32_t arity) : ranks_(ranks), arity_(arity) {
  runtime::expects(ranks >= 1, "balance_tree: at least one rank");
  runtime::expects(arity >= 2, "balance_tree: an arity of at least 2");
  while (nodes(root_level_) > 1) ++root_level_;
}

std::uint64_t balance_tree::width(std::uint32_t level) const noexcept {
  std::uint64_t leaves = 1;
  for (std::uint32_t l = 0; l < level; ++l) leaves *= arity_;
  return leaves;
}

std::uint32_t balance_tree::nodes(std::uint32_t level) const noexcept {
  std::uint64_t const leaves = width(level);
  return static_cast<std::uint32_t>((ranks_ + leaves - 1) / leaves);
}

std::uint32_t balance_tree::children(node n) const noexcept {
  if (n.level == 0) return 0;
  return std::min(arity_, nodes(n.level - 1) - n.index * arity_);
}

std::uint32_t balance_tree::first_leaf(node n) const noexcept {
  return static_cast<std::uint32_t>(n.index * width(n.level));
}

std::uint32_t balance_tree::leaves(node n) const noexcept {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(width(n.level), ranks_ - first_leaf(n)));
}

std::uint32_t balance_tree::host(node n) const noexcept {
  while (n.level > 0 && children(n) == 1) n = child(n, 0);
  return n.level == 0 ? n.index : first_leaf(child(n, 1));
}

std::uint32_t balance_tree::hops(std::uint32_t a, std::uint32_t b) const noexcept {
  std::uint32_t levels = 0;
  for (; a != b; ++levels) {
    a /= arity_;
    b /= arity_;
  }
  return 2 * levels;
}

}}}}  // namespace skua::v0::policies::balance
