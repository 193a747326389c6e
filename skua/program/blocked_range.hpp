// SPDX-License-Identifier: MIT
// Ranges that divide themselves, in the form that oneTBB's algorithms take: blocked_range, blocked_range2d, and the
// concept for a user's own.
#pragma once

#include <concepts>
#include <cstddef>

#include "skua/parts/base/assert.hpp"

namespace skua::runtime {

/// Tag: R(R& r, split) takes the second half of r and leaves it the first.
struct split {};

/// Laws: a divisible range is not empty, and neither are its halves; together they are the range. Halving ends.
template <class R>
concept self_dividing = std::copy_constructible<R> && std::constructible_from<R, R&, split> && requires(R const& r) {
  { r.empty() } -> std::convertible_to<bool>;
  { r.is_divisible() } -> std::convertible_to<bool>;
};

/// [begin, end) of integers or random access iterators, not to be divided once it has at most `grainsize` > 0 elements.
template <class Value>
class blocked_range {
 public:
  using const_iterator = Value;
  using size_type = std::size_t;

  blocked_range(Value begin, Value end, size_type grainsize = 1) : end_(end), begin_(begin), grainsize_(grainsize) {
    expects(grainsize > 0, "blocked_range: grainsize > 0");
  }
  /// Takes the second half of r and leaves it the first.
  blocked_range(blocked_range& r, split) : end_(r.end_), begin_(r.middle()), grainsize_(r.grainsize_) {
    r.end_ = begin_;
  }

  [[nodiscard]] const_iterator begin() const { return begin_; }
  [[nodiscard]] const_iterator end() const { return end_; }
  [[nodiscard]] bool empty() const { return !(begin_ < end_); }
  [[nodiscard]] size_type size() const { return empty() ? 0 : static_cast<size_type>(end_ - begin_); }
  [[nodiscard]] size_type grainsize() const { return grainsize_; }
  [[nodiscard]] bool is_divisible() const { return grainsize_ < size(); }
  /// Elements [from, to), counted from the first.
  [[nodiscard]] blocked_range part(size_type from, size_type to) const {
    return blocked_range(after(from), after(to), grainsize_);
  }

 private:
  [[nodiscard]] Value after(size_type n) const {
    if constexpr (std::integral<Value>) {
      return static_cast<Value>(begin_ + static_cast<Value>(n));
    } else {
      return begin_ + static_cast<decltype(end_ - begin_)>(n);
    }
  }
  [[nodiscard]] Value middle() const { return after(size() / 2); }

  Value end_;
  Value begin_;
  size_type grainsize_;
};

/// A rectangle. Divides the longer side first, where lengths are measured in grains.
template <class Row, class Column = Row>
class blocked_range2d {
 public:
  using row_range_type = blocked_range<Row>;
  using col_range_type = blocked_range<Column>;
  using size_type = std::size_t;

  blocked_range2d(Row row_begin, Row row_end, size_type row_grainsize, Column col_begin, Column col_end,
                  size_type col_grainsize)
      : rows_(row_begin, row_end, row_grainsize), cols_(col_begin, col_end, col_grainsize) {}
  blocked_range2d(Row row_begin, Row row_end, Column col_begin, Column col_end)
      : rows_(row_begin, row_end), cols_(col_begin, col_end) {}
  blocked_range2d(blocked_range2d& r, split) : rows_(r.rows_), cols_(r.cols_) {
    if (grains(rows_) < grains(cols_)) {
      cols_ = col_range_type(r.cols_, split{});
    } else {
      rows_ = row_range_type(r.rows_, split{});
    }
  }

  [[nodiscard]] row_range_type const& rows() const { return rows_; }
  [[nodiscard]] col_range_type const& cols() const { return cols_; }
  [[nodiscard]] bool empty() const { return rows_.empty() || cols_.empty(); }
  [[nodiscard]] bool is_divisible() const { return !empty() && (rows_.is_divisible() || cols_.is_divisible()); }

 private:
  template <class Range>
  static double grains(Range const& r) {
    return static_cast<double>(r.size()) / static_cast<double>(r.grainsize());
  }

  row_range_type rows_;
  col_range_type cols_;
};

}  // namespace skua::runtime

namespace skua {

using runtime::blocked_range;
using runtime::blocked_range2d;
using runtime::split;

}  // namespace skua
