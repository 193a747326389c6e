// SPDX-License-Identifier: MIT
// Which PUs make up each place of a topology.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "skua/parts/topology/topology.hpp"

namespace skua::runtime {

/// The PUs of one place, by position in topology::pus(), and what it is: "l3", "numa_node", ..., or "given".
struct place_set {
  std::string_view kind;
  std::vector<std::uint32_t> pus = {};
};

/// The default: L3 clusters, so that a place is where data are cheap to share. Every PU is in exactly one place.
///  * A NUMA node inside an L3 cluster is the place instead: a place never spans NUMA nodes.
///  * Without any L3: clusters of cores that share an L2; without such, NUMA nodes; then packages; then the machine.
///  * An L3 or package with one core only, beside others in the same NUMA node, is no place: virtual machines report
///    one L3 per core, and a place of one worker has nobody to share with. These cores form the NUMA node's place.
[[nodiscard]] std::vector<place_set> default_places(topology const& machine);

/// As the user says, in the grammar of places.hpp; PUs outside all places are not used. `name` is what errors call it.
/// A word with a number larger than there are places means all of them. Throws usage_error: a PU that does not
/// exist or may not be used, or one that is in two places.
[[nodiscard]] std::vector<place_set> places_from(topology const& machine, std::string_view name, std::string_view text);

}  // namespace skua::runtime
