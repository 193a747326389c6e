// SPDX-License-Identifier: MIT
// A row-major matrix of floats or a part of one, cut as a z_view is cut (skua/parts/memory/z_matrix.hpp): programs that
// walk by quadrants run unchanged on both layouts, with the same leaves.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>

namespace skua::apps::matmul {

template <class T>
class rows_view {
 public:
  rows_view() = default;
  /// Rows are `stride` elements apart; sides are cut in whole blocks of `side`.
  rows_view(T* data, std::size_t rows, std::size_t columns, std::size_t stride, std::size_t side) noexcept
      : data_(data), rows_(rows), columns_(columns), stride_(stride), side_(side) {}
  operator rows_view<T const>() const noexcept
    requires(!std::is_const_v<T>)
  {
    return {data_, rows_, columns_, stride_, side_};
  }

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }
  [[nodiscard]] std::size_t stride() const noexcept { return stride_; }
  [[nodiscard]] std::size_t side() const noexcept { return side_; }
  [[nodiscard]] bool empty() const noexcept { return rows_ == 0 || columns_ == 0; }
  [[nodiscard]] bool is_block() const noexcept { return rows_ <= side_ && columns_ <= side_; }
  [[nodiscard]] T* data() const noexcept { return data_; }
  [[nodiscard]] T* row(std::size_t i) const noexcept { return data_ + i * stride_; }

  /// Upper left, upper right, lower left, lower right. A side of one block is not cut.
  [[nodiscard]] std::array<rows_view, 4> quadrants() const noexcept {
    std::size_t const top = first_half(rows_);
    std::size_t const left = first_half(columns_);
    auto const part = [&](std::size_t i, std::size_t j, std::size_t height, std::size_t width) {
      return rows_view(height == 0 || width == 0 ? data_ : row(i) + j, height, width, stride_, side_);
    };
    return {part(0, 0, top, left), part(0, left, top, columns_ - left), part(top, 0, rows_ - top, left),
            part(top, left, rows_ - top, columns_ - left)};
  }

 private:
  [[nodiscard]] std::size_t first_half(std::size_t length) const noexcept {
    return length <= side_ ? length : ((length + side_ - 1) / side_ + 1) / 2 * side_;
  }

  T* data_ = nullptr;
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::size_t stride_ = 0;
  std::size_t side_ = 1;
};

}  // namespace skua::apps::matmul
