// SPDX-License-Identifier: MIT
// hartree-fock on ranks: the tasks of the Fock builds are one collection, which every iteration processes again. Each rank has a share of every matrix; or, to recover from the
// death of a rank, each has the whole density and adds to a Fock matrix of its own, and these are added up after each build. [retentive-hpdc12 7.1]
#pragma once

#include <cstdint>

#include "apps/hartree_fock/distributed_problem.hpp"
#include "apps/hartree_fock/problem.hpp"
#include "apps/ranks_plan.hpp"

namespace skua::apps::hartree_fock {

/// Collective. The first build runs all tasks, null ones included, if there are not too many; null ones do not come again. Returns what tasks of all ranks got from other ranks
/// and accumulated to them, in bytes. If a rank dies, its shares are lost, and process() throws rank_lost.
std::uint64_t over_ranks(communicator& world, distributed_problem& p, ranks_plan const& plan);
/// The same. What a rank has computed lies with it, so that plan.on_loss may run its tasks again.
void over_ranks_with_copies(communicator& world, problem& p, ranks_plan const& plan);

/// The tasks that are not null, on the machine on which the paper measured them.
[[nodiscard]] ranks_load load_of(screening const& on);

}  // namespace skua::apps::hartree_fock
