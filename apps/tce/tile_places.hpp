// SPDX-License-Identifier: MIT
// Where the non-zero tiles of a tensor of four indices lie one after the other. Two tables over pairs of tiles say it for all quadruples: in a tile's
// row (p, q) the tiles (r, s) that are non-zero depend on the representation of (p, q) alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/tce/contraction.hpp"

namespace skua::apps::tce {

class tile_places {
 public:
  using spaces = std::array<index_space const*, 4>;

  tile_places() = default;
  /// `over` must outlive it.
  explicit tile_places(spaces const& over);

  [[nodiscard]] spaces const& over() const noexcept { return over_; }
  [[nodiscard]] bool non_zero(tile_index const& t) const noexcept { return pair(0, t.p, t.q) == pair(2, t.r, t.s); }
  [[nodiscard]] std::size_t size(tile_index const& t) const noexcept { return area(0, t.p, t.q) * area(2, t.r, t.s); }
  /// The first element of a non-zero tile; the last index is fastest, of the tiles and in each of them.
  [[nodiscard]] std::size_t at(tile_index const& t) const noexcept { return at_row(t.p, t.q) + in_row(t); }
  /// The same, counted from the beginning of its row.
  [[nodiscard]] std::size_t in_row(tile_index const& t) const noexcept {
    return area(0, t.p, t.q) * before_[std::size_t{t.r} * over_[3]->tiles() + t.s];
  }
  /// The row (p, q): all tiles (p, q, r, s).
  [[nodiscard]] std::size_t at_row(std::uint32_t p, std::uint32_t q) const noexcept { return rows_[row(p, q)]; }
  [[nodiscard]] std::size_t row_size(std::uint32_t p, std::uint32_t q) const noexcept {
    return rows_[row(p, q) + 1] - rows_[row(p, q)];
  }
  /// Elements of all tiles.
  [[nodiscard]] std::size_t elements() const noexcept { return rows_.back(); }

  /// Calls each(tile) for the non-zero tiles, in their order.
  template <class Each>
  void for_each(Each const& each) const {
    for (std::uint32_t p = 0; p < over_[0]->tiles(); ++p) {
      for (std::uint32_t q = 0; q < over_[1]->tiles(); ++q) {
        for (std::uint32_t r = 0; r < over_[2]->tiles(); ++r) {
          for (std::uint32_t s = 0; s < over_[3]->tiles(); ++s) {
            if (tile_index const t{p, q, r, s}; non_zero(t)) each(t);
          }
        }
      }
    }
  }

 private:
  [[nodiscard]] std::uint32_t pair(std::size_t first, std::uint32_t a, std::uint32_t b) const noexcept {
    return over_[first]->representation(a) ^ over_[first + 1]->representation(b);
  }
  [[nodiscard]] std::size_t area(std::size_t first, std::uint32_t a, std::uint32_t b) const noexcept {
    return std::size_t{over_[first]->size(a)} * over_[first + 1]->size(b);
  }
  [[nodiscard]] std::size_t row(std::uint32_t p, std::uint32_t q) const noexcept {
    return std::size_t{p} * over_[1]->tiles() + q;
  }

  spaces over_{};
  std::vector<std::size_t> rows_;    ///< where each row begins, and where the last one ends
  std::vector<std::size_t> before_;  ///< for each (r, s): the areas of the pairs before it that have its representation
};

/// Calls each(indices, element) for the elements of a tile.
template <class Each>
void visit_elements(tile_places::spaces const& over, tile_index const& t, double const* element, Each const& each) {
  std::array<std::uint32_t, 4> const first{over[0]->first(t.p), over[1]->first(t.q), over[2]->first(t.r),
                                           over[3]->first(t.s)};
  for (std::uint32_t p = 0; p < over[0]->size(t.p); ++p) {
    for (std::uint32_t q = 0; q < over[1]->size(t.q); ++q) {
      for (std::uint32_t r = 0; r < over[2]->size(t.r); ++r) {
        for (std::uint32_t s = 0; s < over[3]->size(t.s); ++s) {
          each(std::array<std::uint32_t, 4>{first[0] + p, first[1] + q, first[2] + r, first[3] + s}, *element++);
        }
      }
    }
  }
}

}  // namespace skua::apps::tce
