// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/matrix/matrix_layout.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "skua/parts/base/checksum.hpp"
#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 {

namespace {

constexpr std::uint64_t too_many_bytes = std::uint64_t{1} << 60;

std::string interval_in_words(std::uint64_t first, std::uint64_t count) {
  return "[" + std::to_string(first) + ", " + std::to_string(first) + " + " + std::to_string(count) + ")";
}

/// Each rank keeps the place of every block.
constexpr std::uint64_t most_blocks = std::uint64_t{1} << 24;

[[noreturn]] void refuse_many_blocks() {
  throw usage_error("a distribution of more than 16777216 blocks; allowed: fewer, so larger ones");
}

/// n parts of [0, all) whose sizes differ by at most 1.
std::vector<std::uint64_t> even_starts(std::uint64_t all, std::uint64_t n) {
  std::vector<std::uint64_t> starts;
  for (std::uint64_t i = 0; i <= n; ++i) starts.push_back(all / n * i + std::min(i, all % n));
  return starts;
}

std::vector<std::uint64_t> tile_starts(std::uint64_t all, std::uint64_t size) {
  if (size == 0) throw usage_error("a distribution in tiles without elements; allowed: at least one row and column");
  if (all / size > most_blocks) refuse_many_blocks();
  std::vector<std::uint64_t> starts;
  for (std::uint64_t at = 0; at < all; at += size) starts.push_back(at);
  starts.push_back(all);
  if (all == 0) starts.push_back(all);
  return starts;
}

/// The user's boundaries, and the end.
std::vector<std::uint64_t> checked_starts(std::vector<std::uint64_t> starts, std::uint64_t all, char const* what) {
  bool const rises = std::ranges::adjacent_find(starts, std::greater_equal<>{}) == starts.end();
  if (starts.empty() || starts.front() != 0 || !rises || starts.back() >= std::max<std::uint64_t>(all, 1)) {
    throw usage_error("a distribution whose blocks begin at irregular " + std::string(what) +
                      "; allowed: 0 first, in rising order, each in the matrix, which has " + std::to_string(all) +
                      " " + what);
  }
  starts.push_back(all);
  return starts;
}

/// A list that fits into a sentence, or its length and its checksum.
std::string list_in_words(std::vector<std::uint64_t> const& starts) {
  std::string text;
  for (std::size_t i = 0; i + 1 < starts.size() && i < 8; ++i) text += (i > 0 ? ", " : "") + std::to_string(starts[i]);
  if (starts.size() <= 9) return text;
  runtime::checksum sum;
  sum.add(std::as_bytes(std::span(starts)));
  return text + ", ... (" + std::to_string(starts.size() - 1) + " with checksum " + std::to_string(sum.value()) + ")";
}

}  // namespace

std::string in_words(rectangle const& r) {
  return "rows " + interval_in_words(r.row, r.rows) + " and columns " + interval_in_words(r.column, r.columns);
}

matrix_distribution matrix_distribution::grid(std::uint32_t grid_rows, std::uint32_t grid_columns) {
  matrix_distribution d;
  d.form_ = form::grid;
  d.height_ = grid_rows;
  d.width_ = grid_columns;
  return d;
}

matrix_distribution matrix_distribution::tiles(std::uint64_t tile_rows, std::uint64_t tile_columns) {
  matrix_distribution d;
  d.form_ = form::tiles;
  d.height_ = tile_rows;
  d.width_ = tile_columns;
  return d;
}

matrix_distribution matrix_distribution::irregular(std::vector<std::uint64_t> row_starts,
                                                   std::vector<std::uint64_t> column_starts) {
  matrix_distribution d;
  d.form_ = form::irregular;
  d.row_starts_ = std::move(row_starts);
  d.column_starts_ = std::move(column_starts);
  return d;
}

namespace ranks {

matrix_layout::matrix_layout(std::uint64_t rows, std::uint64_t columns, matrix_distribution const& how,
                             rank_number ranks, std::size_t element_bytes)
    : elements_(ranks) {
  if (columns > 0 && rows >= too_many_bytes / element_bytes / columns) {
    throw usage_error("a matrix of " + std::to_string(rows) + " x " + std::to_string(columns) +
                      " elements; allowed: less than 2^60 bytes");
  }
  std::uint64_t grid_rows = how.height_;
  std::uint64_t grid_columns = how.width_;
  switch (how.form_) {
    case matrix_distribution::form::rows:
      row_starts_ = even_starts(rows, ranks);
      column_starts_ = {0, columns};
      how_ = "by rows";
      break;
    case matrix_distribution::form::grid:
      if (grid_rows == 0 && grid_columns == 0) {
        for (grid_rows = 1; (grid_rows + 1) * (grid_rows + 1) <= ranks; ++grid_rows) {}
        while (ranks % grid_rows != 0) --grid_rows;
        grid_columns = ranks / grid_rows;
      }
      if (grid_rows * grid_columns != ranks) {
        throw usage_error("a distribution over a grid of " + std::to_string(grid_rows) + " x " +
                          std::to_string(grid_columns) + " ranks; allowed: as many as there are, " +
                          std::to_string(ranks));
      }
      row_starts_ = even_starts(rows, grid_rows);
      column_starts_ = even_starts(columns, grid_columns);
      how_ = "in a grid of " + std::to_string(grid_rows) + " x " + std::to_string(grid_columns);
      break;
    case matrix_distribution::form::tiles:
      row_starts_ = tile_starts(rows, how.height_);
      column_starts_ = tile_starts(columns, how.width_);
      how_ = "in tiles of " + std::to_string(how.height_) + " x " + std::to_string(how.width_);
      break;
    case matrix_distribution::form::irregular:
      row_starts_ = checked_starts(how.row_starts_, rows, "rows");
      column_starts_ = checked_starts(how.column_starts_, columns, "columns");
      how_ =
          "in blocks from the rows " + list_in_words(row_starts_) + " and the columns " + list_in_words(column_starts_);
      break;
  }
  if ((row_starts_.size() - 1) * block_columns() > most_blocks) refuse_many_blocks();
  for (std::size_t i = 0; i + 1 < row_starts_.size(); ++i) {
    for (std::size_t j = 0; j < block_columns(); ++j) {
      std::uint64_t& used = elements_[places_.size() % ranks];
      places_.push_back(used);
      used += (row_starts_[i + 1] - row_starts_[i]) * (column_starts_[j + 1] - column_starts_[j]);
    }
  }
}

matrix_layout::block matrix_layout::block_at(std::size_t i, std::size_t j) const noexcept {
  std::size_t const number = i * block_columns() + j;
  return {.owner = static_cast<rank_number>(number % elements_.size()),
          .where = {row_starts_[i], column_starts_[j], row_starts_[i + 1] - row_starts_[i],
                    column_starts_[j + 1] - column_starts_[j]},
          .at = places_[number]};
}

/// Of the last block that begins at n or before, and is not empty.
std::size_t matrix_layout::index_of(std::vector<std::uint64_t> const& starts, std::uint64_t n) noexcept {
  return static_cast<std::size_t>(std::ranges::upper_bound(starts, n) - starts.begin()) - 1;
}

rectangle matrix_layout::common(rectangle const& a, rectangle const& b) noexcept {
  std::uint64_t const row = std::max(a.row, b.row);
  std::uint64_t const column = std::max(a.column, b.column);
  std::uint64_t const row_end = std::min(a.row + a.rows, b.row + b.rows);
  std::uint64_t const column_end = std::min(a.column + a.columns, b.column + b.columns);
  return {row, column, row_end > row ? row_end - row : 0, column_end > column ? column_end - column : 0};
}

rank_number matrix_layout::owner_of(std::uint64_t row, std::uint64_t column) const noexcept {
  return block_at(index_of(row_starts_, row), index_of(column_starts_, column)).owner;
}

std::vector<matrix_layout::block> matrix_layout::blocks_of(rank_number rank) const {
  std::vector<block> mine;
  for (std::size_t n = rank; n < places_.size(); n += elements_.size()) {
    block const b = block_at(n / block_columns(), n % block_columns());
    if (!b.where.is_empty()) mine.push_back(b);
  }
  return mine;
}

bool matrix_layout::contains(rectangle const& r) const noexcept {
  return r.row <= rows() && r.rows <= rows() - r.row && r.column <= columns() && r.columns <= columns() - r.column;
}

std::string matrix_layout::in_words() const {
  return std::to_string(rows()) + " x " + std::to_string(columns()) + " " + how_;
}

}  // namespace ranks
}}  // namespace skua::v0
