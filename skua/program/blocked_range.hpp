// SPDX-License-Identifier: MIT
// Ranges that divide themselves, in the form that oneTBB's algorithms take: blocked_range in one, two and three
// dimensions, and the concept for a user's own.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <type_traits>

#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Tag: R(R& r, split) takes the second half of r and leaves it the first.
struct split {};

/// R(R& r, proportional_split& p) leaves r about left() of left() + right() parts and takes the others. Optional: a
/// range that has it is divided only by it, mostly 1 : 1, and among 3 workers 1 : 2 first.
class proportional_split {
 public:
  explicit proportional_split(std::size_t left = 1, std::size_t right = 1) : left_(left), right_(right) {
    if (left == 0 || right == 0) throw usage_error("proportional_split: a part is 0; allowed: 1 and more");
  }
  [[nodiscard]] std::size_t left() const noexcept { return left_; }
  [[nodiscard]] std::size_t right() const noexcept { return right_; }
  explicit operator split() const noexcept { return {}; }

 private:
  std::size_t left_;
  std::size_t right_;
};

/// Laws: a divisible range is not empty, and neither are its halves; together they are the range. Halving ends.
template <class R>
concept self_dividing = std::copy_constructible<R> && std::constructible_from<R, R&, split> && requires(R const& r) {
  { r.empty() } -> std::convertible_to<bool>;
  { r.is_divisible() } -> std::convertible_to<bool>;
};

/// Has the constructor for proportional_split, and does not define `is_splittable_in_proportion = false`.
template <class R>
concept splits_in_proportion = self_dividing<R> && std::constructible_from<R, R&, proportional_split&> &&
                               !requires { requires !static_cast<bool>(R::is_splittable_in_proportion); };

/// [begin, end) of integers or random access iterators, not to be divided once it has at most `grainsize` > 0 elements. It
/// may have more elements than its type can count: all of an int's 2^32 but one. Throws usage_error if the grain is 0.
template <class Value>
class blocked_range {
 public:
  using const_iterator = Value;
  using size_type = std::size_t;

  blocked_range(Value begin, Value end, size_type grainsize = 1) : end_(end), begin_(begin), grainsize_(grainsize) {
    if (grainsize == 0) throw usage_error("blocked_range: a grain of 0; allowed: 1 and more");
  }
  /// Takes the second half of r and leaves it the first.
  blocked_range(blocked_range& r, split) : blocked_range(r, r.size() / 2) {}
  /// Leaves r its share, rounded down, but at least one element of a divisible range.
  blocked_range(blocked_range& r, proportional_split const& p) : blocked_range(r, share_of_left(r.size(), p)) {}

  [[nodiscard]] const_iterator begin() const { return begin_; }
  [[nodiscard]] const_iterator end() const { return end_; }
  [[nodiscard]] bool empty() const { return !(begin_ < end_); }
  [[nodiscard]] size_type size() const {
    if (empty()) return 0;
    if constexpr (std::integral<Value>) {  // unsigned: the difference need not fit into Value
      using count = std::make_unsigned_t<Value>;
      return static_cast<count>(static_cast<count>(end_) - static_cast<count>(begin_));
    } else {
      return static_cast<size_type>(end_ - begin_);
    }
  }
  [[nodiscard]] size_type grainsize() const { return grainsize_; }
  [[nodiscard]] bool is_divisible() const { return grainsize_ < size(); }
  /// Elements [from, to), counted from the first.
  [[nodiscard]] blocked_range part(size_type from, size_type to) const {
    return blocked_range(after(from), after(to), grainsize_);
  }

 private:
  /// Takes all but the first `left` elements.
  blocked_range(blocked_range& r, size_type left) : end_(r.end_), begin_(r.after(left)), grainsize_(r.grainsize_) {
    r.end_ = begin_;
  }
  static size_type share_of_left(size_type n, proportional_split const& p) {
    double const share =
        static_cast<double>(p.left()) / (static_cast<double>(p.left()) + static_cast<double>(p.right()));
    auto const left = static_cast<size_type>(share * static_cast<double>(n));
    return n < 2 ? n / 2 : std::clamp<size_type>(left, 1, n - 1);
  }
  [[nodiscard]] Value after(size_type n) const {
    if constexpr (std::integral<Value>) {
      using count = std::make_unsigned_t<Value>;
      return static_cast<Value>(static_cast<count>(static_cast<count>(begin_) + static_cast<count>(n)));
    } else {
      return begin_ + static_cast<decltype(end_ - begin_)>(n);
    }
  }

  Value end_;
  Value begin_;
  size_type grainsize_;
};

/// The length of a range, in grains.
template <class Range>
double in_grains(Range const& r) {
  return static_cast<double>(r.size()) / static_cast<double>(r.grainsize());
}

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
  blocked_range2d(blocked_range2d& r, split s) : rows_(r.rows_), cols_(r.cols_) { take_from(r, s); }
  blocked_range2d(blocked_range2d& r, proportional_split const& p) : rows_(r.rows_), cols_(r.cols_) { take_from(r, p); }

  [[nodiscard]] row_range_type const& rows() const { return rows_; }
  [[nodiscard]] col_range_type const& cols() const { return cols_; }
  [[nodiscard]] bool empty() const { return rows_.empty() || cols_.empty(); }
  [[nodiscard]] bool is_divisible() const { return !empty() && (rows_.is_divisible() || cols_.is_divisible()); }

 private:
  template <class Split>
  void take_from(blocked_range2d& r, Split const& s) {
    if (in_grains(rows_) < in_grains(cols_)) {
      cols_ = col_range_type(r.cols_, s);
    } else {
      rows_ = row_range_type(r.rows_, s);
    }
  }

  row_range_type rows_;
  col_range_type cols_;
};

/// A box. Divides the longest side first, where lengths are measured in grains.
template <class Page, class Row = Page, class Column = Row>
class blocked_range3d {
 public:
  using page_range_type = blocked_range<Page>;
  using row_range_type = blocked_range<Row>;
  using col_range_type = blocked_range<Column>;
  using size_type = std::size_t;

  blocked_range3d(Page page_begin, Page page_end, size_type page_grainsize, Row row_begin, Row row_end,
                  size_type row_grainsize, Column col_begin, Column col_end, size_type col_grainsize)
      : pages_(page_begin, page_end, page_grainsize), rows_(row_begin, row_end, row_grainsize),
        cols_(col_begin, col_end, col_grainsize) {}
  blocked_range3d(Page page_begin, Page page_end, Row row_begin, Row row_end, Column col_begin, Column col_end)
      : pages_(page_begin, page_end), rows_(row_begin, row_end), cols_(col_begin, col_end) {}
  blocked_range3d(blocked_range3d& r, split s) : pages_(r.pages_), rows_(r.rows_), cols_(r.cols_) { take_from(r, s); }
  blocked_range3d(blocked_range3d& r, proportional_split const& p) : pages_(r.pages_), rows_(r.rows_), cols_(r.cols_) {
    take_from(r, p);
  }

  [[nodiscard]] page_range_type const& pages() const { return pages_; }
  [[nodiscard]] row_range_type const& rows() const { return rows_; }
  [[nodiscard]] col_range_type const& cols() const { return cols_; }
  [[nodiscard]] bool empty() const { return pages_.empty() || rows_.empty() || cols_.empty(); }
  [[nodiscard]] bool is_divisible() const {
    return !empty() && (pages_.is_divisible() || rows_.is_divisible() || cols_.is_divisible());
  }

 private:
  template <class Split>
  void take_from(blocked_range3d& r, Split const& s) {
    double const pages = in_grains(pages_);
    double const rows = in_grains(rows_);
    double const cols = in_grains(cols_);
    if (cols > std::max(pages, rows)) {
      cols_ = col_range_type(r.cols_, s);
    } else if (rows > pages) {
      rows_ = row_range_type(r.rows_, s);
    } else {
      pages_ = page_range_type(r.pages_, s);
    }
  }

  page_range_type pages_;
  row_range_type rows_;
  col_range_type cols_;
};

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

using runtime::blocked_range;
using runtime::blocked_range2d;
using runtime::blocked_range3d;
using runtime::proportional_split;
using runtime::split;

}}  // namespace skua::v0
