// SPDX-License-Identifier: MIT
// The tree over the particles, rebuilt in every step: a square (a cube) with too many particles is divided in four
// (eight). Building it sorts the particles, so that those of a node are neighbours. J. Barnes, P. Hut, Nature 324,
// 1986; [adws-sc19 4.1.1]
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/sph/space.hpp"

namespace skua::apps::sph {

/// The data that move with a particle. `id` is its position in the particle set.
template <std::size_t D>
struct body {
  vec<D> at{};
  vec<D> velocity{};
  std::uint64_t id = 0;
};

/// Indices from `first` up to and without `end`.
struct range {
  std::uint32_t first = 0;
  std::uint32_t end = 0;
  [[nodiscard]] constexpr std::size_t size() const noexcept { return end - first; }
  friend constexpr bool operator==(range const&, range const&) noexcept = default;
};

template <std::size_t D>
struct node {
  box<D> around;   ///< the smallest box around its particles: what a map shows of a leaf
  range own;       ///< particles
  range children;  ///< nodes; none for a leaf
  range near;      ///< of a leaf: elements of near_leaves()
  [[nodiscard]] bool is_leaf() const noexcept { return children.size() == 0; }
};

template <std::size_t D>
class tree {
 public:
  /// A leaf has at most this many particles, unless more are closer together than 2^-deepest of the whole.
  explicit tree(std::size_t most_per_leaf = 64) noexcept : most_per_leaf_(most_per_leaf) {}

  /// Sorts `bodies` and finds, for every leaf, the particles of leaves that come
  /// within `radius` of it. At least one body.
  /// Work O(n log n) for a bounded density, serial.
  void build(std::vector<body<D>>& bodies, double radius);

  [[nodiscard]] node<D> const& root() const noexcept { return nodes_.front(); }
  [[nodiscard]] std::span<node<D> const> nodes() const noexcept { return nodes_; }
  [[nodiscard]] std::span<node<D> const> children(node<D> const& n) const noexcept {
    return nodes().subspan(n.children.first, n.children.size());
  }
  /// The leaves from left to right, as indices of nodes().
  [[nodiscard]] std::span<std::uint32_t const> leaves() const noexcept { return leaves_; }
  [[nodiscard]] node<D> const& leaf(std::size_t i) const noexcept { return nodes_[leaves_[i]]; }
  /// The particles that may interact with those of the leaf, its own included: ascending ranges that do not touch.
  [[nodiscard]] std::span<range const> near_leaves(node<D> const& leaf) const noexcept {
    return std::span<range const>(near_).subspan(leaf.near.first, leaf.near.size());
  }

 private:
  static constexpr unsigned deepest = 40;

  /// Where a node's particles are and where its children's will be. The two change roles at every level.
  struct sides {
    body<D>* from = nullptr;
    body<D>* to = nullptr;
    bool from_is_home = true;
  };
  /// Divides nodes_[which], a cube around `centre`.
  void divide(std::uint32_t which, vec<D> const& centre, double half, unsigned depth, sides const& s);
  void close_leaf(std::uint32_t which, sides const& s);
  /// Appends the leaves below `from` that meet `wide` to near_[first..].
  void search(node<D> const& from, box<D> const& wide, std::size_t first);

  std::size_t most_per_leaf_;
  std::vector<node<D>> nodes_;
  std::vector<std::uint32_t> leaves_;
  std::vector<range> near_;
  std::vector<body<D>> spare_;
};

}  // namespace skua::apps::sph
