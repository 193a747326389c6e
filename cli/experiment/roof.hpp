// SPDX-License-Identifier: MIT
// What memory allows: the least time in which a machine moves the bytes of a run, however they are scheduled.
#pragma once

#include "skua/machine/sim/model/machine_numbers.hpp"
#include "skua/machine/sim/model/model_costs.hpp"
#include "skua/parts/topology/layout.hpp"

namespace skua::cli {

/// In seconds: the bytes from and to memory over the bandwidth of all NUMA nodes that have workers, the bytes that came from outside of
/// a place over the bandwidth of all places that have workers, or the bytes that were read over what the cores can draw; whichever takes longest.
/// It takes all of these to be used equally, so no schedule is faster unless it moves fewer bytes, or uses memory of nodes without workers.
[[nodiscard]] double least_memory_s(sim::memory_account const& moved, sim::machine_numbers const& by,
                                    layout const& where);

}  // namespace skua::cli
