// SPDX-License-Identifier: MIT
// Systems a z = b from Matrix Market files: a symmetric matrix in coordinate form, a right-hand side as an array or in coordinate form.
// matrix_market.md says which files are taken, and why the reader is ours.
// (Boisvert, Pozo, Remington: The Matrix Market Exchange Formats, NISTIR 5935, 1996)
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/cg/matrix.hpp"
#include "apps/text_reader.hpp"

namespace skua::apps::cg {

inline constexpr std::uint64_t most_system_rows = 0x7fff'ffff;
inline constexpr std::uint64_t most_system_entries = 0xffff'ffff;

struct symmetric_matrix {
  matrix a;          ///< both triangles
  std::string form;  ///< what the file's first line says of it: "real symmetric"
};

/// The matrix of the text: every diagonal element is above 0, none is there twice, and it equals its transpose; or, of a pattern,
/// the Laplacian of its graph plus the identity. Throws usage_error that begins with `name:line:` or, where no line is to blame, `name:`.
/// Memory O(elements in the text), whatever the text declares. Work O(elements * log of those in a row).
[[nodiscard]] symmetric_matrix read_matrix(text_reader& in);

/// A vector of this many elements; those that a coordinate form leaves out are 0. Throws usage_error.
[[nodiscard]] std::vector<double> read_vector(text_reader& in, std::size_t rows);

/// The product with a vector of ones.
[[nodiscard]] std::vector<double> sums_of_rows(matrix const& a);

/// An array of one column, each number with as many digits as bring back its bits.
[[nodiscard]] std::string text_of_vector(std::span<double const> v);

/// "ITERATION RESIDUAL\n" for each, from 0.
[[nodiscard]] std::string text_of_residuals(std::span<double const> residuals);

}  // namespace skua::apps::cg
