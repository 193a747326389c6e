// SPDX-License-Identifier: MIT
// The blocked Z-Morton layout: square blocks on a Z curve, row-major inside a block. [numa-ws-2018 III-C, Fig. 6b]
//
// Every quadrant of the matrix, of its quadrants and so on down to one block is contiguous in memory. So a leaf of a
// divide-and-conquer algorithm reads few pages, which hold only its own data and can be bound to a place. Programs
// descend with `quadrants()`, a few additions per step, and use plain row-major addresses inside a block; no bits are
// interleaved.
//
// A side that is no power of two is halved in whole blocks, the larger half first. If the sides are equal powers of two
// blocks this is the Z curve of the paper; otherwise it is the same order without holes. The halves of a side depend on
// that side alone, so the quadrants of A (m x k), B (k x n) and C (m x n) have matching sizes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// A view of a matrix in Z layout, or of a quadrant of one: a pointer and sizes, passed by value. Rows and columns
/// count elements. Blocks at the lower and right edge are stored whole, with padding beyond the edge.
template <class T>
class z_view {
 public:
  z_view() = default;
  /// `side`: the number of rows and of columns of a block, in elements, at least 1.
  z_view(T* data, std::size_t rows, std::size_t columns, std::size_t side) noexcept
      : data_(data), rows_(rows), columns_(columns), side_(side) {
    expects(side > 0, "a block of a z_view has at least one element");
  }
  /// Converts the view to a read-only one.
  operator z_view<T const>() const noexcept
    requires(!std::is_const_v<T>)
  {
    return {data_, rows_, columns_, side_};
  }

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }
  [[nodiscard]] std::size_t side() const noexcept { return side_; }
  [[nodiscard]] bool empty() const noexcept { return rows_ == 0 || columns_ == 0; }
  [[nodiscard]] bool is_block() const noexcept { return rows_ <= side_ && columns_ <= side_; }

  /// The first element; the whole view lies in [data, data + stored).
  [[nodiscard]] T* data() const noexcept { return data_; }
  /// The number of elements in memory, padding included.
  [[nodiscard]] std::size_t stored() const noexcept { return stored(rows_, columns_, side_); }
  [[nodiscard]] static std::size_t stored(std::size_t rows, std::size_t columns, std::size_t side) noexcept {
    return blocks(rows, side) * blocks(columns, side) * side * side;
  }

  /// The distance between rows inside a block, in elements.
  [[nodiscard]] std::size_t stride() const noexcept { return side_; }
  /// Row i of a view that is one block.
  [[nodiscard]] T* row(std::size_t i) const noexcept {
    expects(is_block() && i < side_, "only a single block has rows");
    return data_ + i * side_;
  }

  /// The quadrants in their order in memory: upper left, upper right, lower left, lower right. A side of one block is
  /// not halved, so up to three quadrants may be empty; the first is empty only if all are.
  [[nodiscard]] std::array<z_view, 4> quadrants() const noexcept {
    std::size_t const top = first_half(rows_, side_);
    std::size_t const left = first_half(columns_, side_);
    std::size_t const bottom = rows_ - top;
    std::size_t const right = columns_ - left;
    z_view const a{data_, top, left, side_};
    z_view const b{a.end(), top, right, side_};
    z_view const c{b.end(), bottom, left, side_};
    return {a, b, c, {c.end(), bottom, right, side_}};
  }

  /// One element, in O(log(rows + columns)). For checks and rare look-ups, not for loops.
  [[nodiscard]] T& at(std::size_t i, std::size_t j) const noexcept {
    expects(i < rows_ && j < columns_, "an element of the view");
    z_view v = *this;
    while (!v.is_block()) {
      auto const q = v.quadrants();
      bool const lower = i >= q[0].rows_;
      bool const right = j >= q[0].columns_;
      i -= lower ? q[0].rows_ : 0;
      j -= right ? q[0].columns_ : 0;
      v = q[(lower ? 2U : 0U) + (right ? 1U : 0U)];
    }
    return v.data_[i * side_ + j];
  }

 private:
  static constexpr std::size_t blocks(std::size_t length, std::size_t side) noexcept {
    return length / side + (length % side == 0 ? 0 : 1);
  }
  static constexpr std::size_t first_half(std::size_t length, std::size_t side) noexcept {
    return length <= side ? length : (blocks(length, side) + 1) / 2 * side;
  }
  [[nodiscard]] T* end() const noexcept { return data_ + stored(); }

  T* data_ = nullptr;
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::size_t side_ = 1;
};

/// Fills `to` from a row-major matrix of the same sizes whose rows are `stride` elements apart; padding becomes T{}.
/// Several workers may convert the quadrants: `to_z(q[1], from + q[0].columns(), stride)`, and so on.
/// Work O(elements).
template <class T>
void to_z(z_view<T> to, T const* from, std::size_t stride) noexcept {
  if (to.empty()) return;
  if (!to.is_block()) {
    auto const q = to.quadrants();
    for (std::size_t i = 0; i < 4; ++i) {
      to_z(q[i], from + (i >= 2 ? q[0].rows() * stride : 0) + (i % 2 == 1 ? q[0].columns() : 0), stride);
    }
    return;
  }
  for (std::size_t i = 0; i < to.side(); ++i) {
    std::size_t const given = i < to.rows() ? to.columns() : 0;
    T* const row = to.row(i);
    std::copy_n(from + (given > 0 ? i * stride : 0), given, row);
    std::fill(row + given, row + to.side(), T{});
  }
}

/// The inverse of to_z. Does not write the gaps between the rows of `to`. Work O(elements).
template <class T>
void from_z(z_view<T> from, std::remove_const_t<T>* to, std::size_t stride) noexcept {
  if (from.empty()) return;
  if (!from.is_block()) {
    auto const q = from.quadrants();
    for (std::size_t i = 0; i < 4; ++i) {
      from_z(q[i], to + (i >= 2 ? q[0].rows() * stride : 0) + (i % 2 == 1 ? q[0].columns() : 0), stride);
    }
    return;
  }
  for (std::size_t i = 0; i < from.rows(); ++i) std::copy_n(from.row(i), from.columns(), to + i * stride);
}

/// Owns a matrix in Z layout. The matrix begins on a page boundary, so a block whose size is whole pages shares none of
/// them with another block.
template <class T>
class z_matrix {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_default_constructible_v<T>);

 public:
  static constexpr std::size_t alignment = 4096;

  z_matrix() = default;
  /// Sets all elements and the padding to T{}. Throws resource_error if there is not enough memory. Work O(elements).
  z_matrix(std::size_t rows, std::size_t columns, std::size_t side) : z_matrix(untouched(rows, columns, side)) {
    std::fill_n(data_.get(), view().stored(), T{});
  }
  /// A matrix with indeterminate contents on untouched pages: the kernel puts each page on the NUMA node of the
  /// thread that first writes it. So convert or fill it by quadrants, each on the worker that will use it. Throws as
  /// above.
  [[nodiscard]] static z_matrix untouched(std::size_t rows, std::size_t columns, std::size_t side) {
    return z_matrix(rows, columns, side, allocate(rows, columns, side));
  }

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }
  [[nodiscard]] z_view<T> view() noexcept { return {data_.get(), rows_, columns_, side_}; }
  [[nodiscard]] z_view<T const> view() const noexcept { return {data_.get(), rows_, columns_, side_}; }

 private:
  struct release {
    void operator()(T* p) const noexcept { ::operator delete(p, std::align_val_t{alignment}); }
  };
  using elements = std::unique_ptr<T[], release>;

  z_matrix(std::size_t rows, std::size_t columns, std::size_t side, elements data) noexcept
      : rows_(rows), columns_(columns), side_(side), data_(std::move(data)) {}

  static elements allocate(std::size_t rows, std::size_t columns, std::size_t side) {
    expects(side > 0, "a block of a z_matrix has at least one element");
    // In floating point, because the integer product may overflow. Rounding up to blocks adds less than `side` per
    // side.
    double const wanted = (static_cast<double>(rows) + static_cast<double>(side)) *
                          (static_cast<double>(columns) + static_cast<double>(side)) * sizeof(T);
    auto const most = static_cast<double>(std::numeric_limits<std::ptrdiff_t>::max());
    try {
      if (wanted > most) throw std::bad_alloc();
      std::size_t const bytes = z_view<T>::stored(rows, columns, side) * sizeof(T);
      return elements(static_cast<T*>(::operator new(bytes, std::align_val_t{alignment})));
    } catch (std::bad_alloc const&) {
      throw resource_error("no memory for a matrix of " + std::to_string(rows) + " x " + std::to_string(columns) +
                           " elements of " + std::to_string(sizeof(T)) + " bytes: choose a smaller one");
    }
  }

  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::size_t side_ = 1;
  elements data_;
};

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

using runtime::from_z;
using runtime::to_z;
using runtime::z_matrix;
using runtime::z_view;

}}  // namespace skua::v0
