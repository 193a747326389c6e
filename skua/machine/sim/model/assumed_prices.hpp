// SPDX-License-Identifier: MIT
// A model of a real machine of which only hwloc's topology is known: its own tree, distances and cache sizes, and the speeds and prices
// of the shipped model that is most like it, all of them assumed.
#pragma once

#include <string>

#include "skua/machine/sim/model/machine_models.hpp"
#include "skua/parts/topology/topology.hpp"

namespace skua { inline namespace v0 { namespace sim {

/// Like means: the least sum of |log2| of the ratios of NUMA nodes, PUs that share an L3 cache, and the bytes of L3 and L2 caches, as far as
/// both know them; of equals, the one with the nearest number of PUs. A machine of several nodes takes the prices of one of several nodes, since the others have no links.
[[nodiscard]] machine_model const& nearest_shipped(topology const& tree);

/// `origin`, the path of the file, names it in errors, and its stem is the model's name. Every pair of nodes has a link; pairs at further
/// distances than the shipped model has take the figures of its furthest. Measured figures of the other machine get a range from
/// half to double. Throws usage_error for a machine without an L3 cache, which no model has.
[[nodiscard]] machine_model model_of(topology tree, std::string const& origin);

}}}  // namespace skua::v0::sim
