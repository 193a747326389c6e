// SPDX-License-Identifier: MIT
// The plate: cells with a temperature, and a fixed frame of one cell around them. Two buffers, padded. [adws-sc19 5.1]
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "apps/heat/sweep.hpp"
#include "apps/padded.hpp"
#include "apps/picture/picture.hpp"

namespace skua::apps::heat {

/// One buffer. Row -1, row rows(), column -1 and column columns() are the frame.
/// Every row of cells begins a cache line.
class field {
 public:
  field() = default;
  /// All cells are zero. Throws resource_error if there is no memory.
  field(std::size_t rows, std::size_t columns)
      : rows_(rows), columns_(columns), cells_(rows + 2, columns + 2 * margin) {}

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }
  [[nodiscard]] std::size_t stride() const noexcept { return cells_.stride(); }
  /// The first cell of row i, -1 <= i <= rows().
  [[nodiscard]] float* row(std::ptrdiff_t i) noexcept { return cells_.row(static_cast<std::size_t>(i + 1)) + margin; }
  [[nodiscard]] float const* row(std::ptrdiff_t i) const noexcept {
    return cells_.row(static_cast<std::size_t>(i + 1)) + margin;
  }
  /// The first float of the field's memory, frame and margin included; shares count from here.
  [[nodiscard]] float const* origin() const noexcept { return cells_.row(0); }
  [[nodiscard]] placed_memory& memory() noexcept { return cells_.memory(); }

 private:
  /// Floats to the left of the cells: room for the frame, while the cells stay on whole cache lines.
  static constexpr std::size_t margin = padded::line;

  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  padded cells_;
};

/// Temperatures are in [1, 2], so that no difference of neighbours decays into denormal numbers, which would be slow.
/// A grey value g of a picture is the temperature 1 + g.
field field_of(picture const& shown);
picture picture_of(field const& f);

/// A smooth random landscape: random heights on a coarse lattice, bilinear in between. The same on every machine.
field landscape(std::size_t rows, std::size_t columns, std::uint64_t seed);

/// Copies cells and frame; the fields have the same size.
void copy(field const& from, field& to);

/// Gives the frame the temperature of the nearest cell.
void frame(field& f);

/// One step as the textbook writes it, cell by cell: the reference of every check.
void plain_step(field const& from, field& to);

/// Describes a cell whose bits differ; empty if there is none. The fields have the same size.
std::string difference(field const& got, field const& right);

/// 64 bits of FNV-1a over the bits of the cells, row by row.
std::uint64_t checksum(field const& f);

}  // namespace skua::apps::heat
