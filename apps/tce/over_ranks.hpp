// SPDX-License-Identifier: MIT
// tce on ranks: the tasks are one collection. Each rank has a share of A, B and C; or, to recover from the death of a rank, every rank has all of A and B,
// and of C the tiles that it computed. [retentive-hpdc12 7.1]
#pragma once

#include <cstdint>

#include "apps/ranks_plan.hpp"
#include "apps/tce/contraction.hpp"
#include "apps/tce/distributed_tensors.hpp"
#include "apps/tce/tensors.hpp"

namespace skua::apps::tce {

/// Collective. So many contractions one after the other; `with` has the C of the last one. If a rank dies, its share is lost, and process() throws
/// rank_lost.
void over_ranks(communicator& world, contraction const& on, gemm const& by, distributed_tensors& with,
                unsigned iterations, ranks_plan const& plan);
/// The same; the C of the last one is the sum of the ranks'. `with`: of this rank, with C zero. What a rank has computed lies with it, so that plan.on_loss may
/// run its tasks again.
void over_ranks_with_copies(communicator& world, contraction const& on, gemm const& by, tensors& with,
                            unsigned iterations, ranks_plan const& plan);

/// The tasks by their flops.
[[nodiscard]] ranks_load load_of(contraction const& on);

}  // namespace skua::apps::tce
