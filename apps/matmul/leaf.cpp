// SPDX-License-Identifier: MIT
// The body of leaf<Arch> (leaf.hpp), compiled once per vector width.
#include <cstddef>

#include "apps/matmul/leaf.hpp"
#include "apps/simd/arches.hpp"

namespace skua::apps::matmul {

/// The tile of C in registers: `rows` rows of `vectors` vectors. Its accumulators, one row of B and one broadcast
/// element of A must fit in the registers: 16 below AVX-512, 32 with it.
template <class Arch>
struct tile {
  static constexpr int rows = Arch::lanes == 16 ? 8 : 4;
  static constexpr int vectors = 2;
  static constexpr int columns = vectors * Arch::lanes;
  static constexpr std::size_t line = 16;    ///< floats in a cache line
  static constexpr std::size_t depth = 128;  ///< rows of B in one panel: 16 KiB, a third of the L1 cache
  using vector [[gnu::vector_size(Arch::lanes * sizeof(float))]] = float;

  // Elements are aligned as floats are. GCC 12 drops the attribute that says so of a type that depends on the template.
  [[gnu::always_inline]] static void load(vector& to, float const* from) noexcept {
    __builtin_memcpy(&to, from, sizeof to);
  }
  [[gnu::always_inline]] static void store(float* to, vector const& from) noexcept {
    __builtin_memcpy(to, &from, sizeof from);
  }
};

/// Multiplies rows of A by one packed panel: C[0..Rows) += A[0..Rows) * panel, or = if `replace`.
template <class Arch, int Rows>
[[gnu::noinline]] void times_panel(float* c, std::size_t c_stride, float const* a, std::size_t a_stride,
                                   typename tile<Arch>::vector const* panel, std::size_t depth, bool replace) noexcept {
  using shape = tile<Arch>;
  using vector = typename shape::vector;
  vector sum[Rows][shape::vectors] = {};
  // C is needed last and may be far away, in the cache of the core that wrote it last: ask for it first.
  for (std::size_t i = 0; i < Rows; ++i) {
    for (std::size_t j = 0; j < shape::columns; j += shape::line) __builtin_prefetch(c + i * c_stride + j, 1);
  }
  for (std::size_t k = 0; k < depth; ++k, panel += shape::vectors) {
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i) {
      float const element = a[static_cast<std::size_t>(i) * a_stride + k];
#pragma GCC unroll 4
      for (int j = 0; j < shape::vectors; ++j) sum[i][j] += element * panel[j];
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < Rows; ++i) {
    float* const row = c + static_cast<std::size_t>(i) * c_stride;
#pragma GCC unroll 4
    for (int j = 0; j < shape::vectors; ++j) {
      vector before = {};
      if (!replace) shape::load(before, row + j * Arch::lanes);
      shape::store(row + j * Arch::lanes, replace ? sum[i][j] : before + sum[i][j]);
    }
  }
}

/// The remaining rows if the height of C is not a multiple of the tile's.
template <class Arch, int Rows>
void times_panel_rest(std::size_t rows, float* c, std::size_t c_stride, float const* a, std::size_t a_stride,
                      typename tile<Arch>::vector const* panel, std::size_t depth, bool replace) noexcept {
  if constexpr (Rows > 0) {
    if (rows == Rows) return times_panel<Arch, Rows>(c, c_stride, a, a_stride, panel, depth, replace);
    times_panel_rest<Arch, Rows - 1>(rows, c, c_stride, a, a_stride, panel, depth, replace);
  }
}

template <class Arch>
void leaf(block const& p) noexcept {
  using shape = tile<Arch>;
  typename shape::vector panel[shape::depth * shape::vectors];
  for (std::size_t k = 0; k < p.k; k += shape::depth) {
    std::size_t const depth = p.k - k < shape::depth ? p.k - k : shape::depth;
    bool const replace = p.replace && k == 0;
    for (std::size_t j = 0; j < p.n; j += shape::columns) {
      for (std::size_t row = 0; row < depth; ++row) {
        float const* const from = p.b + (k + row) * p.b_stride + j;
        for (std::size_t v = 0; v < shape::vectors; ++v)
          shape::load(panel[row * shape::vectors + v], from + v * Arch::lanes);
      }
      std::size_t i = 0;
      for (; i + shape::rows <= p.m; i += shape::rows) {
        times_panel<Arch, shape::rows>(p.c + i * p.c_stride + j, p.c_stride, p.a + i * p.a_stride + k, p.a_stride,
                                       panel, depth, replace);
      }
      times_panel_rest<Arch, shape::rows - 1>(p.m - i, p.c + i * p.c_stride + j, p.c_stride, p.a + i * p.a_stride + k,
                                              p.a_stride, panel, depth, replace);
    }
  }
}

template void leaf<simd::SKUA_SIMD_WIDTH>(block const&) noexcept;

}  // namespace skua::apps::matmul
