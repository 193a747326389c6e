// SPDX-License-Identifier: MIT
// The matrix of the NAS benchmark CG: sparse, symmetric, of random pattern, the same on every machine.
// (Bailey et al., The NAS Parallel Benchmarks, RNR-94-007, section 2.2.3 and appendix; classes from NPB 3.)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "apps/placed_array.hpp"

namespace skua::apps::cg {

/// The parameters of a class, and the zeta that its eigenvalue estimate must reach.
struct nas_class {
  std::string_view name;
  std::size_t rows;
  std::size_t entries;     ///< random elements of each vector that the matrix is made of ("nonzer")
  std::size_t iterations;  ///< of inverse iteration ("niter")
  double shift;            ///< subtracted from the diagonal
  double zeta;
};

inline constexpr std::array<nas_class, 5> classes{{
    {.name = "S", .rows = 1400, .entries = 7, .iterations = 15, .shift = 10, .zeta = 8.5971775078648},
    {.name = "W", .rows = 7000, .entries = 8, .iterations = 15, .shift = 12, .zeta = 10.362595087124},
    {.name = "A", .rows = 14000, .entries = 11, .iterations = 15, .shift = 20, .zeta = 17.130235054029},
    {.name = "B", .rows = 75000, .entries = 13, .iterations = 75, .shift = 60, .zeta = 22.712745482631},
    {.name = "C", .rows = 150000, .entries = 15, .iterations = 75, .shift = 110, .zeta = 28.973605592845},
}};

/// The published zeta must be met up to this relative error.
inline constexpr double tolerance = 1e-10;

/// Compressed rows: one after the other, the elements of a row by ascending column.
struct matrix {
  placed_array<double> values;
  placed_array<std::uint32_t> columns;  ///< of the values
  placed_array<std::size_t> starts;     ///< row i is values[starts[i] .. starts[i + 1])

  [[nodiscard]] std::size_t rows() const noexcept { return starts.size() - 1; }
  [[nodiscard]] std::size_t nonzeros() const noexcept { return values.size(); }
};

/// The pseudo-random numbers of all NAS benchmarks: x' = 5^13 x mod 2^46, as x' / 2^46 in (0, 1).
class nas_random {
 public:
  double next() noexcept {
    state_ = state_ * 1'220'703'125U & ((std::uint64_t{1} << 46) - 1);  // mod 2^64 first is harmless
    return static_cast<double>(state_) * 0x1.0p-46;
  }

 private:
  std::uint64_t state_ = 314'159'265;
};

/// The sum over i of w^i x_i x_i^T, plus (0.1 - shift) on the diagonal. x_i has `entries` random elements at random
/// positions, and 1/2 at position i; w = 0.1^(1 / rows). Work O(rows * entries^2 * log entries). Space beside the
/// matrix: O(rows * entries). Throws std::bad_alloc.
matrix make_matrix(nas_class const& of);

}  // namespace skua::apps::cg
