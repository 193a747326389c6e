// SPDX-License-Identifier: MIT
// hartree-fock on ranks: the tasks of the Fock builds are one collection, which every iteration processes again. Each rank has the whole density and
// adds to a Fock matrix of its own; the matrices are added up after each build. Source: HPDC 2012, section 7.1.
#pragma once

#include "apps/hartree_fock/problem.hpp"
#include "apps/ranks_plan.hpp"

namespace skua::apps::hartree_fock {

/// Collective. The first build runs all tasks, null ones included, if there are not too many; null ones do not come again.
void over_ranks(communicator& world, problem& p, ranks_plan const& plan);

/// The tasks that are not null, on the machine on which the paper measured them.
[[nodiscard]] ranks_load load_of(screening const& on);

}  // namespace skua::apps::hartree_fock
