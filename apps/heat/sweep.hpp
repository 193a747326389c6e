// SPDX-License-Identifier: MIT
// The leaf of heat: one Jacobi step on a rectangle. Compiled once per vector width. Every width rounds alike (no fused
// operations, no other order), so all give the same bits.
#pragma once

#include <cstddef>

#include "apps/simd/variant.hpp"

namespace skua::apps::heat {

/// Both buffers have the same stride, in floats; `from` and `to` point at the first cell of the rectangle.
struct rectangle {
  float const* from = nullptr;
  float* to = nullptr;
  std::size_t stride = 0;
  std::size_t rows = 0;
  std::size_t columns = 0;
};

/// The part of a difference that flows between neighbours in one step; the iteration is stable up to 1/4.
inline constexpr float diffusivity = 0.2F;

/// to = from + diffusivity * (up + down + left + right - 4 from): 7 flops per cell. Reads one cell beyond each side.
template <class Arch>
void sweep(rectangle const& r) noexcept;

using sweep_function = void(rectangle const&) noexcept;

/// The sweeps that this processor can run, narrowest vectors first.
simd::variants<sweep_function> sweeps();

}  // namespace skua::apps::heat
