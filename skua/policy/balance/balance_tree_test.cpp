// SPDX-License-Identifier: MIT
#include "skua/policy/balance/balance_tree.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "skua/policy/balance/loads_for_test.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance { namespace {

constexpr std::uint32_t arities[] = {2, 3, 4, 7, 1000};

std::vector<balance_tree::node> inner_nodes(balance_tree const& tree) {
  std::vector<balance_tree::node> all;
  for (std::uint32_t level = 1; level <= tree.root_level(); ++level) {
    for (std::uint32_t i = 0; i < tree.nodes(level); ++i) all.push_back({level, i});
  }
  return all;
}

TEST(balance_tree, every_rank_is_a_leaf_and_every_node_but_the_root_is_one_child_of_its_parent) {  // I1, I10
  for (std::uint32_t const ranks : machine_sizes) {
    for (std::uint32_t const arity : arities) {
      balance_tree const tree(ranks, arity);
      EXPECT_EQ(tree.nodes(0), ranks);
      EXPECT_EQ(tree.nodes(tree.root_level()), 1U);
      std::uint32_t below = 0;
      for (balance_tree::node const n : inner_nodes(tree)) {
        EXPECT_GE(tree.children(n), 1U);
        EXPECT_LE(tree.children(n), arity);
        for (std::uint32_t c = 0; c < tree.children(n); ++c, ++below) {
          EXPECT_EQ(tree.parent(tree.child(n, c)), n);
          EXPECT_EQ(tree.position(tree.child(n, c)), c);
        }
      }
      std::uint32_t nodes = 0;
      for (std::uint32_t level = 0; level < tree.root_level(); ++level) nodes += tree.nodes(level);
      EXPECT_EQ(below, nodes) << ranks << " ranks, arity " << arity;
    }
  }
}

TEST(balance_tree, the_leaves_below_a_node_are_those_below_its_children) {
  for (std::uint32_t const ranks : machine_sizes) {
    for (std::uint32_t const arity : arities) {
      balance_tree const tree(ranks, arity);
      EXPECT_EQ(tree.leaves(tree.root()), ranks);
      for (balance_tree::node const n : inner_nodes(tree)) {
        std::uint32_t leaf = tree.first_leaf(n);
        for (std::uint32_t c = 0; c < tree.children(n); ++c) {
          EXPECT_EQ(tree.first_leaf(tree.child(n, c)), leaf);
          leaf += tree.leaves(tree.child(n, c));
        }
        EXPECT_EQ(leaf, tree.first_leaf(n) + tree.leaves(n));
      }
    }
  }
}

TEST(balance_tree, a_rank_hosts_at_most_one_node_with_several_children_and_stands_below_it) {  // I1
  for (std::uint32_t const ranks : machine_sizes) {
    for (std::uint32_t const arity : arities) {
      balance_tree const tree(ranks, arity);
      std::vector<std::uint32_t> hosted(ranks, 0);
      for (balance_tree::node const n : inner_nodes(tree)) {
        std::uint32_t const host = tree.host(n);
        ASSERT_GE(host, tree.first_leaf(n));
        ASSERT_LT(host, tree.first_leaf(n) + tree.leaves(n));
        if (tree.children(n) > 1) ++hosted[host];
        if (tree.children(n) == 1) {
          EXPECT_EQ(host, tree.host(tree.child(n, 0))) << "a message to oneself is none";
        }
      }
      for (std::uint32_t const r : hosted) EXPECT_LE(r, 1U) << ranks << " ranks, arity " << arity;
    }
  }
}

TEST(balance_tree, its_height_is_the_logarithm_of_the_ranks) {
  EXPECT_EQ(balance_tree(1, 3).root_level(), 0U);
  EXPECT_EQ(balance_tree(2, 3).root_level(), 1U);
  EXPECT_EQ(balance_tree(3, 3).root_level(), 1U);
  EXPECT_EQ(balance_tree(4, 3).root_level(), 2U);
  EXPECT_EQ(balance_tree(6, 3).root_level(), 2U) << "figure 1 of the paper";
  EXPECT_EQ(balance_tree(163'840, 3).root_level(), 11U);
  EXPECT_EQ(balance_tree(0xffff'ffffU, 2).root_level(), 32U);
}

TEST(balance_tree, hops_are_the_edges_up_to_the_common_node_and_down_again) {
  balance_tree const tree(10, 3);
  EXPECT_EQ(tree.hops(4, 4), 0U);
  EXPECT_EQ(tree.hops(0, 2), 2U);
  EXPECT_EQ(tree.hops(2, 3), 4U);
  EXPECT_EQ(tree.hops(8, 9), 6U);
  EXPECT_EQ(tree.hops(9, 0), 6U);
}

}}}}}  // namespace skua::v0::policies::balance
