// SPDX-License-Identifier: MIT
// The trees of UTS: how many children a node has, the published trees, and the known counts of each.
// (UTS, LCPC 2006, section 2; -x is the name of a parameter in the reference implementation.)
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "apps/uts/splittable.hpp"

namespace skua::apps::uts {

enum class family : std::uint8_t {
  binomial,   ///< below the root, a node has `children` children with probability `probability`, else none
  geometric,  ///< the number of children is geometrically distributed; its mean depends on the depth: see `outline`
  hybrid,     ///< geometric down to `shift` * `depth`, binomial below
};

/// How the mean number of children of a geometric tree changes with the depth.
enum class outline : std::uint8_t { linear, expdec, cyclic, fixed };

struct node {
  splittable random;
  std::uint32_t depth = 0;
};

/// The parameters of a tree.
struct tree {
  family kind = family::geometric;   ///< -t
  outline shape = outline::linear;   ///< -a
  std::int64_t depth = 6;            ///< -d: of a geometric tree, or its period if cyclic
  double branching = 4;              ///< -b: mean number of children at the root (binomial: exactly, rounded down)
  double probability = 15.0 / 64.0;  ///< -q
  std::int64_t children = 4;         ///< -m
  double shift = 0.5;                ///< -f
  std::int64_t seed = 0;             ///< -r

  [[nodiscard]] node root() const { return {splittable::seeded(static_cast<std::uint32_t>(seed)), 0}; }
  [[nodiscard]] std::uint32_t children_of(node const& parent) const noexcept;
  /// The mean of children_of over all nodes at a depth.
  [[nodiscard]] double mean_children(std::uint32_t at_depth) const noexcept;

  /// Throws usage_error if a parameter is out of range or the tree would be infinite.
  void validate() const;
};

inline node child(node const& parent, std::uint32_t i) { return {parent.random.child(i), parent.depth + 1}; }

/// The counters of a search.
struct tally {
  std::uint64_t nodes = 0;
  std::uint64_t leaves = 0;
  std::uint32_t depth = 0;

  friend constexpr tally operator+(tally const& a, tally const& b) noexcept {
    return {a.nodes + b.nodes, a.leaves + b.leaves, a.depth > b.depth ? a.depth : b.depth};
  }
  friend constexpr bool operator==(tally const&, tally const&) = default;
};

/// "7 nodes, 5 leaves, depth 2"
std::string in_words(tally const& counts);

/// A tree with a name, and its published counts.
struct published_tree {
  std::string_view name;
  tree parameters;
  tally counts;
};

std::span<published_tree const> published() noexcept;

/// Throws usage_error that names the known trees.
published_tree const& published(std::string_view name);

family family_named(std::string_view name);    ///< throws usage_error that names the families
outline outline_named(std::string_view name);  ///< throws usage_error that names the outlines

/// Counts with an explicit stack instead of recursion: the answer for a tree that is not published.
/// Throws usage_error once there are more than `most_nodes` nodes.
tally survey(tree const& which, std::uint64_t most_nodes = 1'000'000'000);

}  // namespace skua::apps::uts
