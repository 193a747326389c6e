// SPDX-License-Identifier: MIT
// The leaf of the matrix product: C += A * B or C = A * B on blocks small enough for the caches, without forks.
//
// As in every fast GEMM (Goto and van de Geijn 2008) a tile of C stays in registers while a column of A and a row
// of B pass by. The leaf copies B, a panel of tile columns at a time, to a buffer on the stack (16 KiB), so that
// one step needs two neighbouring lines instead of two lines of a new page. It reads A in place, with one
// broadcast per row of the tile.
#pragma once

#include <cstddef>

#include "apps/simd/variant.hpp"

namespace skua::apps::matmul {

/// C is m x n, A is m x k, B is k x n, row by row; `*_stride` is the distance between rows in floats.
struct block {
  float* c = nullptr;
  float const* a = nullptr;
  float const* b = nullptr;
  std::size_t c_stride = 0;
  std::size_t a_stride = 0;
  std::size_t b_stride = 0;
  std::size_t m = 0;
  std::size_t n = 0;
  std::size_t k = 0;
  bool replace = false;  ///< C = A * B: C is not read
};

/// Columns come in groups of this many: the rows of C and B must be padded to a multiple of it, and the
/// padding of B must be zero. The product of the padding is added to the padding of C, which stays as it
/// was, or replaces it by zero.
inline constexpr std::size_t column_group = 32;

/// C += A * B (or C = A * B), 2 m n k flops, at most 20 KiB of stack. Arch is a tag of apps/simd.
template <class Arch>
void leaf(block const& p) noexcept;

using leaf_function = void(block const&) noexcept;

/// The leaves that this processor can run, slowest first.
simd::variants<leaf_function> leaves();

}  // namespace skua::apps::matmul
