// SPDX-License-Identifier: MIT
// The body of sweep<Arch> (sweep.hpp), compiled once per vector width. It goes from the top down and
// keeps the last two rows in registers: a cell costs three loads instead of five.
#include <cstddef>

#include "apps/heat/sweep.hpp"
#include "apps/simd/arches.hpp"

namespace skua::apps::heat {

template <class Arch>
struct sweeper {
  /// A rectangle with at least this many columns is swept in bands of `band_rows`, whose rows are streams for the
  /// prefetcher. In narrower ones the streams would be too short; strips from top to bottom are faster there.
  static constexpr std::size_t wide = 128;
  static constexpr std::size_t band_rows = 8;
  /// A strip as wide as four cache lines fetches its cells so many rows ahead: the prefetcher takes up a column of short rows
  /// too late. Bands are too low for that. Never below the rectangle: those cells may be another worker's.
  static constexpr std::size_t ahead = 8;
  static constexpr std::size_t line = 64 / sizeof(float);

  template <std::size_t Lanes, std::size_t Vectors>
  [[gnu::always_inline]] static void strip(float const* from, float* to, std::size_t stride,
                                           std::size_t rows) noexcept {
    using vector [[gnu::vector_size(Lanes * sizeof(float))]] = float;
    // Cells are aligned as floats are. GCC 12 drops the attribute that says so of a type that depends on the template.
    auto const at = [](float const* p) {
      vector v;
      __builtin_memcpy(&v, p, sizeof v);
      return v;
    };
    vector above[Vectors];
    vector middle[Vectors];
    for (std::size_t k = 0; k < Vectors; ++k) {
      above[k] = at(from - stride + k * Lanes);
      middle[k] = at(from + k * Lanes);
    }
    for (std::size_t i = 0; i < rows; ++i) {
      if constexpr (Lanes * Vectors >= 4 * line) {
        if (rows > band_rows && i + ahead <= rows) {
          for (std::size_t j = 0; j < Lanes * Vectors; j += line) __builtin_prefetch(from + (i + ahead) * stride + j);
        }
      }
      for (std::size_t k = 0; k < Vectors; ++k) {
        float const* const cell = from + i * stride + k * Lanes;
        vector const below = at(cell + stride);
        vector const around = (above[k] + below) + (at(cell - 1) + at(cell + 1));
        vector const next = middle[k] + diffusivity * (around - 4.0F * middle[k]);
        __builtin_memcpy(to + i * stride + k * Lanes, &next, sizeof next);
        above[k] = middle[k];
        middle[k] = below;
      }
    }
  }

  /// Strips of all rows from column `j` on; the remaining columns go in narrower ones.
  template <std::size_t Lanes, std::size_t Vectors>
  static void strips(rectangle const& r, std::size_t j) noexcept {
    for (; j + Lanes * Vectors <= r.columns; j += Lanes * Vectors)
      strip<Lanes, Vectors>(r.from + j, r.to + j, r.stride, r.rows);
    if (j == r.columns) return;
    if constexpr (Vectors > 1) {
      strips<Lanes, Vectors / 2>(r, j);
    } else if constexpr (Lanes > 1) {
      strips<Lanes / 2, 1>(r, j);
    }
  }

  static void sweep(rectangle r) noexcept {
    if (r.columns >= wide) {
      for (; r.rows >= band_rows; r.rows -= band_rows) {
        strips<Arch::lanes, 1>({r.from, r.to, r.stride, band_rows, r.columns}, 0);
        r.from += band_rows * r.stride;
        r.to += band_rows * r.stride;
      }
    }
    strips<Arch::lanes, 4>(r, 0);
  }
};

template <class Arch>
void sweep(rectangle const& r) noexcept {
  sweeper<Arch>::sweep(r);
}

template void sweep<simd::SKUA_SIMD_WIDTH>(rectangle const&) noexcept;

}  // namespace skua::apps::heat
