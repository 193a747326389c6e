// SPDX-License-Identifier: MIT
// tce on ranks: the tasks are one collection. Every rank has all of A and B, and of C the tiles that it computed. Source: HPDC 2012, section 7.1.
#pragma once

#include <cstdint>

#include "apps/ranks_plan.hpp"
#include "apps/tce/contraction.hpp"
#include "apps/tce/tensors.hpp"

namespace skua::apps::tce {

/// Collective. So many contractions one after the other; the C of the last one is the sum of the ranks'. `with`: of this rank, with C zero.
void over_ranks(communicator& world, contraction const& on, gemm const& by, tensors& with, unsigned iterations,
                ranks_plan const& plan);

/// The tasks by their flops.
[[nodiscard]] ranks_load load_of(contraction const& on);

}  // namespace skua::apps::tce
