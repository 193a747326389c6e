// SPDX-License-Identifier: MIT
// Which rank owns which elements of a matrix, and where they lie in its memory. Pure: the same on every rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "skua/machine/ranks/transport/window.hpp"

namespace skua { inline namespace v0 {

namespace ranks {

class matrix_layout;

}  // namespace ranks

/// Of a matrix: rows [row, row + rows), columns [column, column + columns). Counted from 0.
struct rectangle {
  std::uint64_t row = 0;
  std::uint64_t column = 0;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;

  [[nodiscard]] std::uint64_t size() const noexcept { return rows * columns; }
  [[nodiscard]] bool is_empty() const noexcept { return rows == 0 || columns == 0; }
  friend bool operator==(rectangle const&, rectangle const&) = default;
};
/// "rows [4, 8) and columns [0, 4)".
[[nodiscard]] std::string in_words(rectangle const& r);

/// How a matrix is cut into blocks, and which rank owns each block. Every rank gives the same one.
class matrix_distribution {
 public:
  /// One block of whole rows for each rank. The numbers of rows differ by at most 1.
  [[nodiscard]] static matrix_distribution by_rows() { return {}; }
  /// One block for each rank: ranks as a grid of `grid_rows` times `grid_columns`, numbered row by row. 0 and 0: the grid that is nearest to a
  /// square. Making a matrix throws usage_error unless the grid has as many cells as there are ranks.
  [[nodiscard]] static matrix_distribution grid(std::uint32_t grid_rows = 0, std::uint32_t grid_columns = 0);
  /// Blocks of so many rows and columns, fewer at the ends of the matrix, which ranks own in turn: "block-cyclic". Both above 0.
  [[nodiscard]] static matrix_distribution tiles(std::uint64_t tile_rows, std::uint64_t tile_columns);
  /// Blocks that begin at these rows and columns, in rising order, 0 first. Ranks own the blocks in turn, row by row of blocks: block n is of rank
  /// n mod ranks. For example the first basis function of each atom.
  [[nodiscard]] static matrix_distribution irregular(std::vector<std::uint64_t> row_starts,
                                                     std::vector<std::uint64_t> column_starts);

 private:
  friend class ranks::matrix_layout;
  enum class form : std::uint8_t { rows, grid, tiles, irregular };
  form form_ = form::rows;
  std::uint64_t height_ = 0;  ///< of the grid in ranks, or of a tile in rows
  std::uint64_t width_ = 0;
  std::vector<std::uint64_t> row_starts_;
  std::vector<std::uint64_t> column_starts_;
};

namespace ranks {

/// **One owner**: the blocks cover the matrix, and do not overlap. A block lies in its owner's memory row by row without gaps; the owner's blocks lie
/// one after the other, in the order of their numbers.
class matrix_layout {
 public:
  /// Throws usage_error, also if the matrix has 2^60 bytes or more.
  matrix_layout(std::uint64_t rows, std::uint64_t columns, matrix_distribution const& how, rank_number ranks,
                std::size_t element_bytes);

  struct block {
    rank_number owner = 0;
    rectangle where;
    std::uint64_t at = 0;  ///< its first element in the owner's memory
  };

  [[nodiscard]] std::uint64_t rows() const noexcept { return row_starts_.back(); }
  [[nodiscard]] std::uint64_t columns() const noexcept { return column_starts_.back(); }
  [[nodiscard]] rank_number ranks() const noexcept { return static_cast<rank_number>(elements_.size()); }
  /// In the matrix.
  [[nodiscard]] rank_number owner_of(std::uint64_t row, std::uint64_t column) const noexcept;
  [[nodiscard]] std::uint64_t elements_of(rank_number rank) const noexcept { return elements_[rank]; }
  [[nodiscard]] std::vector<block> blocks_of(rank_number rank) const;
  /// True if rows [row, row + rows) and columns ... are in the matrix.
  [[nodiscard]] bool contains(rectangle const& r) const noexcept;

  /// Calls f(block, part) for each block that a rectangle touches; part: what they have in common.
  template <class F>
  void each_part(rectangle const& r, F f) const {
    if (r.is_empty()) return;
    for (std::size_t i = index_of(row_starts_, r.row); row_starts_[i] < r.row + r.rows; ++i) {
      for (std::size_t j = index_of(column_starts_, r.column); column_starts_[j] < r.column + r.columns; ++j) {
        block const b = block_at(i, j);
        rectangle const part = common(b.where, r);
        if (!part.is_empty()) f(b, part);
      }
    }
  }

  /// The shape and the distribution: what ranks must agree on.
  [[nodiscard]] std::string in_words() const;
  [[nodiscard]] bool has_blocks_of(matrix_layout const& other) const noexcept {
    return row_starts_ == other.row_starts_ && column_starts_ == other.column_starts_;
  }

 private:
  [[nodiscard]] static std::size_t index_of(std::vector<std::uint64_t> const& starts, std::uint64_t n) noexcept;
  [[nodiscard]] static rectangle common(rectangle const& a, rectangle const& b) noexcept;
  [[nodiscard]] std::size_t block_columns() const noexcept { return column_starts_.size() - 1; }
  [[nodiscard]] block block_at(std::size_t i, std::size_t j) const noexcept;

  // Of the blocks, with the end of the matrix as their last element.
  std::vector<std::uint64_t> row_starts_;
  std::vector<std::uint64_t> column_starts_;
  std::vector<std::uint64_t> places_;    ///< of each block in its owner's memory
  std::vector<std::uint64_t> elements_;  ///< of each rank
  std::string how_;
};

}  // namespace ranks
}}  // namespace skua::v0
