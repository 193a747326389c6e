// SPDX-License-Identifier: MIT
// The level next to the gap, by Lanczos's method on a matrix that has the same eigenvectors and in which this level is by far the largest.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "apps/hartree_fock/distributed_algebra.hpp"

namespace skua::apps::hartree_fock {

/// The eigenvalue of `f` at the eigenvector of the largest eigenvalue of `filter` in a subspace: those of X - X^2 for a nearly projecting polynomial X of f have their maxima at the
/// two sides of the gap (Rubensson and Zahedi, J. Chem. Phys. 128, 176101, 2008). `within` projects on the subspace, which has `dimension` > 0. Collective; each step takes
/// three products of a matrix and a vector, and a vector of n numbers on every rank.
[[nodiscard]] double edge_level(distributed_algebra const& algebra, shared_matrix& f, shared_matrix& filter,
                                std::function<std::vector<double>(std::vector<double>)> const& within,
                                std::uint32_t dimension);

}  // namespace skua::apps::hartree_fock
