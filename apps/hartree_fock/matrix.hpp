// SPDX-License-Identifier: MIT
// A square matrix in one process, row by row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/hartree_fock/screening.hpp"

namespace skua::apps::hartree_fock {

struct matrix {
  matrix() = default;
  /// Zeros.
  explicit matrix(std::size_t order) : n(order), elements(order * order) {}

  [[nodiscard]] double& at(std::size_t i, std::size_t j) noexcept { return elements[i * n + j]; }
  [[nodiscard]] double at(std::size_t i, std::size_t j) const noexcept { return elements[i * n + j]; }

  /// Copies the block (I, J), row by row.
  void copy_block(tiling const& t, std::uint32_t i, std::uint32_t j, double* into) const noexcept {
    for (std::uint32_t row = 0; row < t.size(i); ++row) {
      double const* const from = &elements[std::size_t{t.first(i) + row} * n + t.first(j)];
      into = std::copy_n(from, t.size(j), into);
    }
  }
  /// Adds to the block (I, J).
  void add_block(tiling const& t, std::uint32_t i, std::uint32_t j, double const* from) noexcept {
    for (std::uint32_t row = 0; row < t.size(i); ++row) {
      double* const to = &elements[std::size_t{t.first(i) + row} * n + t.first(j)];
      for (std::uint32_t column = 0; column < t.size(j); ++column) to[column] += *from++;
    }
  }

  std::size_t n = 0;
  std::vector<double> elements;
};

/// The blocks of a Fock build in one process, for one worker; see fock_blocks.
struct local_blocks {
  void bounds(std::uint32_t i, std::uint32_t j, double* into) const noexcept { on.block(i, j, into); }
  void density(std::uint32_t i, std::uint32_t j, double* into) const noexcept { d.copy_block(on.tiles(), i, j, into); }
  void add_to_fock(std::uint32_t i, std::uint32_t j, double const* from) const noexcept {
    f.add_block(on.tiles(), i, j, from);
  }

  screening const& on;
  matrix const& d;
  matrix& f;  ///< of this worker alone
};

}  // namespace skua::apps::hartree_fock
