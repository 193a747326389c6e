// SPDX-License-Identifier: MIT
// How many processors a rank has for its workers. Launchers bind ranks to processors, or leave all of them to all ranks
// of a node: only the masks of all ranks together show which rank has which processors.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "skua/machine/ranks/communicator/collectives.hpp"
#include "skua/parts/topology/cpu_mask.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// The processors that one rank may use.
struct allowed_processors {
  std::uint32_t node = 0;   ///< the same for the ranks of one node
  std::uint32_t quota = 0;  ///< of processors, from its control groups; 0: none
  runtime::cpu_mask mask = {};
};

/// Of the calling thread.
[[nodiscard]] allowed_processors processors_here(std::uint32_t node);

[[nodiscard]] bytes encode(allowed_processors const& a);

/// The number of processors of each rank, at least 1. `all`: encoded, by rank. A processor that n ranks of a node may
/// use counts 1/n for each; the quota is assumed to be the node's. O(ranks times processors).
[[nodiscard]] std::vector<std::uint32_t> shares_of(std::span<bytes const> all);

}}}  // namespace skua::v0::ranks
