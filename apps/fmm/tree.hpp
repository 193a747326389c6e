// SPDX-License-Identifier: MIT
// The adaptive quadtree of the charges, and the interactions of its cells.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/fmm/expansion.hpp"

namespace skua::apps::fmm {

/// A square with its charges [begin, end). Children lie one after the other, in the order of their charges.
struct cell {
  complex centre;
  double half = 0;  ///< of its side
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t parent = 0;
  std::uint32_t first_child = 0;
  std::uint32_t children = 0;  ///< 0: a leaf
  std::uint32_t level = 0;

  [[nodiscard]] std::uint32_t charges() const noexcept { return end - begin; }
  [[nodiscard]] double radius() const noexcept;
};

/// Lists of cells, one per cell.
class interactions {
 public:
  void clear(std::size_t cells);
  void add(std::uint32_t target, std::uint32_t source);
  /// After the last `add`.
  void sort();
  [[nodiscard]] std::span<std::uint32_t const> of(std::uint32_t target) const noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return pairs_.size(); }

 private:
  std::vector<std::array<std::uint32_t, 2>> pairs_;
  std::vector<std::uint32_t> sources_;
  std::vector<std::size_t> begins_;
};

class tree {
 public:
  static constexpr std::uint32_t most_levels = 24;

  /// Sorts the charges along the Z-order curve; a leaf has at most `leaf` of them, or lies most_levels deep. Two cells
  /// interact by their series if their radii together are less than `theta` of the distance of their centres, leaves that are
  /// closer by their charges. Precondition: at least one charge, all finite; 0 < theta < 1.
  tree(std::vector<charge>& charges, std::uint32_t leaf, double theta);

  /// The first is the root; children come after their parents.
  [[nodiscard]] std::span<cell const> cells() const noexcept { return cells_; }
  [[nodiscard]] interactions const& far() const noexcept { return far_; }    ///< of series
  [[nodiscard]] interactions const& near() const noexcept { return near_; }  ///< of leaves: their charges

 private:
  void interact(std::uint32_t target, std::uint32_t source, double theta);

  std::vector<cell> cells_;
  interactions far_;
  interactions near_;
};

}  // namespace skua::apps::fmm
