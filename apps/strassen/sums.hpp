// SPDX-License-Identifier: MIT
// The additions of one step of Strassen's product, in Winograd's form (15 of them; Cilk-5 and NUMA-WS use it, too),
// fused into three passes, so that every quadrant is read once per pass.
#pragma once

#include <cstddef>
#include <cstdint>

#include "apps/simd/variant.hpp"

namespace skua::apps::strassen {

/// Which pass. Quadrants are numbered 11, 12, 21, 22.
///   of_a         in: A's quadrants.          out: S1 = A21 + A22, S2 = S1 - A11, S3 = A11 - A21, S4 = A12 - S2
///   of_b         in: B's quadrants.          out: T1 = B12 - B11, T2 = B22 - T1, T3 = B22 - B12, T4 = T2 - B21
///   of_products  in: P1, P6, P7.             out, read first: P2, P3, P4, P5, which become C's quadrants:
///                C11 = P1 + P2, C12 = P1 + P6 + P5 + P3, C21 = P1 + P6 + P7 - P4, C22 = P1 + P6 + P7 + P5
enum class pass : std::uint8_t { of_a, of_b, of_products };

/// `count` elements of every array, a multiple of `sums_unit`. Arch is a tag of apps/simd.
template <class Arch>
void sum(pass which, std::size_t count, float const* const* in, float* const* out) noexcept;

inline constexpr std::size_t sums_unit = 16;

using sum_function = void(pass, std::size_t, float const* const*, float* const*) noexcept;

/// The sums that this processor can run, slowest first.
simd::variants<sum_function> sums();

}  // namespace skua::apps::strassen
