// SPDX-License-Identifier: MIT
// Which PUs make up each place of a topology.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "skua/parts/topology/topology.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// The PUs of one place, by position in topology::pus(), and its kind: "l3", "numa_node", ..., or "given".
struct place_set {
  std::string_view kind;
  std::vector<std::uint32_t> pus = {};
};

/// The default: L3 clusters, so that a place is where data are cheap to share. Every PU is in exactly one place.
///  * A NUMA node inside an L3 cluster is the place instead: a place never spans NUMA nodes.
///  * Without any L3: clusters of cores that share an L2; without such, NUMA nodes; then packages; then the machine.
///  * An L3 or package with one core only, beside others in the same NUMA node, is no place: virtual machines report
///    one L3 per core, and a place of one worker shares with no other. These cores form the NUMA node's place.
[[nodiscard]] std::vector<place_set> default_places(topology const& machine);

/// The places that the user lists, in the grammar of places.hpp; PUs outside all places stay unused. `name` is the
/// list's name in errors. A word with a number larger than there are places means all of them. Throws usage_error for a
/// PU that does not exist, may not be used, or is in two places.
[[nodiscard]] std::vector<place_set> places_from(topology const& machine, std::string_view name, std::string_view text);

}}}  // namespace skua::v0::runtime
