// SPDX-License-Identifier: MIT
// A topology and the workers on it, as text and as JSON, for `skua topology` and `skua doctor`.
#pragma once

#include <string>

#include "cli/text/report.hpp"
#include "skua/parts/topology/layout.hpp"
#include "skua/parts/topology/machine_details.hpp"
#include "skua/parts/topology/topology.hpp"

namespace skua::cli {

/// The tree, indented, with the workers at their PUs.
[[nodiscard]] std::string tree_text(topology const& machine, layout const& map);
/// "l3, workers 0-1"
[[nodiscard]] std::string place_text(layout const& map, place_id p);
/// A line per place.
[[nodiscard]] std::string places_text(layout const& map);
/// Memories, if there are several or their tier is known; distances between NUMA nodes; kinds of cores, if there are several. May be empty.
[[nodiscard]] std::string details_text(runtime::machine_details const& details);
/// {"source", "this_system", "machine_pus", "pus", "tree", "places", "workers", "remarks"}
[[nodiscard]] json topology_json(topology const& machine, layout const& map);

}  // namespace skua::cli
