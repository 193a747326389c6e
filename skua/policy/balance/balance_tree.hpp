// SPDX-License-Identifier: MIT
// The tree of hierarchical balancing: every rank is a leaf, up to `arity` neighbours share a parent, and so on up to one
// root. Internal nodes are hosted by ranks, which are leaves as well.
// [retentive-hpdc12 5.2, Figure 1]
#pragma once

#include <cstdint>

namespace skua { inline namespace v0 { namespace policies { namespace balance {

/// A node. Level 0 holds the leaves, whose indices are ranks; the children of node i are the nodes i * arity .. of the
/// level below. The tree is a formula: it takes O(1) memory, and any rank computes its neighbours alone. One rank is a
/// tree of one leaf, which is its root and has no children.
class balance_tree {
 public:
  struct node {
    std::uint32_t level = 0;
    std::uint32_t index = 0;
    friend bool operator==(node const&, node const&) = default;
  };

  /// ranks >= 1, arity >= 2.
  explicit balance_tree(std::uint32_t ranks, std::uint32_t arity = 3);

  [[nodiscard]] std::uint32_t ranks() const noexcept { return ranks_; }
  [[nodiscard]] std::uint32_t arity() const noexcept { return arity_; }
  /// The root's level, ceil(log_arity(ranks)).
  [[nodiscard]] std::uint32_t root_level() const noexcept { return root_level_; }
  [[nodiscard]] node root() const noexcept { return {root_level_, 0}; }
  /// The number of nodes of a level; 1 at the root's.
  [[nodiscard]] std::uint32_t nodes(std::uint32_t level) const noexcept;

  [[nodiscard]] node parent(node n) const noexcept { return {n.level + 1, n.index / arity_}; }
  [[nodiscard]] std::uint32_t children(node n) const noexcept;
  /// The i-th child, i < children(n).
  [[nodiscard]] node child(node n, std::uint32_t i) const noexcept { return {n.level - 1, n.index * arity_ + i}; }
  /// The position of the node among its parent's children.
  [[nodiscard]] std::uint32_t position(node n) const noexcept { return n.index % arity_; }
  [[nodiscard]] std::uint32_t first_leaf(node n) const noexcept;
  /// The node of this level above a leaf; the leaf itself at level 0.
  [[nodiscard]] node above(std::uint32_t leaf, std::uint32_t level) const noexcept {
    return {level, static_cast<std::uint32_t>(leaf / width(level))};
  }
  /// The number of leaves below the node.
  [[nodiscard]] std::uint32_t leaves(node n) const noexcept;

  /// The rank that hosts this node. A leaf hosts itself; the first leaf of its second child hosts an internal node. So
  /// a rank hosts at most one node with two or more children, however large the tree. The host of a node with one child
  /// is the host of its child.
  [[nodiscard]] std::uint32_t host(node n) const noexcept;

  /// Edges between two leaves: twice the level of the lowest node above both.
  [[nodiscard]] std::uint32_t hops(std::uint32_t a, std::uint32_t b) const noexcept;

 private:
  /// arity to the power of `level`: the leaves below a full node.
  [[nodiscard]] std::uint64_t width(std::uint32_t level) const noexcept;

  std::uint32_t ranks_;
  std::uint32_t arity_;
  std::uint32_t root_level_ = 0;
};

}}}}  // namespace skua::v0::policies::balance
