// SPDX-License-Identifier: MIT
// The body of sweep<Arch> (sweep.hpp), for the files that compile it with their own flags. The compiler vectorises it.
#pragma once

#include <cstddef>

#include "apps/heat/sweep.hpp"
#include "apps/simd/arches.hpp"

namespace skua::apps::heat {

template <class Arch>
void sweep(rectangle const& r) noexcept {
  for (std::size_t i = 0; i < r.rows; ++i) {
    float* __restrict const to = r.to + i * r.stride;
    float const* const centre = r.from + i * r.stride;
    float const* const up = centre - r.stride;
    float const* const down = centre + r.stride;
    float const* const left = centre - 1;
    float const* const right = centre + 1;
    for (std::size_t j = 0; j < r.columns; ++j) {
      to[j] = centre[j] + diffusivity * (((up[j] + down[j]) + (left[j] + right[j])) - 4.0F * centre[j]);
    }
  }
}

}  // namespace skua::apps::heat
