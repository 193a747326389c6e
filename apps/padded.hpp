// SPDX-License-Identifier: MIT
// A matrix of floats, row by row, whose rows begin on cache lines. [adws-sc19 5.1]
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>

#include "apps/placed_array.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/platform.hpp"

namespace skua::apps {

/// The gap between rows. Rows a multiple of 1 KiB apart put the lines of one column into few sets of a cache.
enum class row_gap : std::uint8_t {
  against_conflicts,  ///< rows are never a multiple of 1 KiB apart
  none,               ///< as in a plain array, to measure what that costs
};

/// Rows are padded to whole cache lines, and by the gap. Padding and contents start as zero.
class padded {
 public:
  static constexpr std::size_t line = runtime::cache_line_bytes / sizeof(float);

  padded() = default;
  /// Throws resource_error if there is not enough memory. Work O(rows * columns): this touches all pages.
  padded(std::size_t rows, std::size_t columns, row_gap gap = row_gap::against_conflicts)
      : rows_(rows), columns_(columns), stride_(stride_for(columns, gap)), data_(allocate(rows * stride_)) {
    fill(0);
  }

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }
  [[nodiscard]] std::size_t stride() const noexcept { return stride_; }  ///< distance between rows, in floats
  [[nodiscard]] float* row(std::size_t i) noexcept { return data_.data() + i * stride_; }
  [[nodiscard]] float const* row(std::size_t i) const noexcept { return data_.data() + i * stride_; }

  void fill(float value) noexcept { std::ranges::fill(data_.elements(), value); }

  /// Its elements are the floats, row by row, padding included.
  [[nodiscard]] placed_memory& memory() noexcept { return data_; }

  /// The distance between rows of a matrix with so many columns, in floats.
  static constexpr std::size_t stride_for(std::size_t columns, row_gap gap) noexcept {
    std::size_t const whole = (columns + line - 1) / line * line;
    return gap == row_gap::against_conflicts && whole * sizeof(float) % 1024 == 0 ? whole + line / 2 : whole;
  }

 private:
  static placed_array<float> allocate(std::size_t count) {
    try {
      return placed_array<float>(count);
    } catch (std::bad_alloc const&) {
      throw resource_error("no memory for a matrix of " + std::to_string((count * sizeof(float)) >> 20) +
                           " MiB: choose a smaller one");
    }
  }

  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::size_t stride_ = 0;
  placed_array<float> data_;
};

}  // namespace skua::apps
