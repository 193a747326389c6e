// SPDX-License-Identifier: MIT
// Shared by the runners of cholesky_bench.
#pragma once

#include <cstdint>

#include "apps/cholesky/problem.hpp"

namespace skua::bench::choleskies {

/// Factors the matrix once; returns the seconds from the first task's creation to the last one's end.
using runner = double (*)(apps::cholesky::problem& p, std::uint32_t workers);

double run_skua(apps::cholesky::problem& p, std::uint32_t workers);
double run_arms(apps::cholesky::problem& p, std::uint32_t workers);
double run_openmp(apps::cholesky::problem& p, std::uint32_t workers);
/// Null where StarPU is not installed.
[[nodiscard]] runner starpu() noexcept;

}  // namespace skua::bench::choleskies
