// SPDX-License-Identifier: MIT
// Which PUs get a worker when there are fewer workers than PUs.
#pragma once

#include <cstdint>
#include <vector>

#include "skua/parts/topology/layout.hpp"
#include "skua/parts/topology/topology.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Orders `usable` (positions in topology::pus()), the PU to be used first in front.
[[nodiscard]] std::vector<std::uint32_t> binding_order(topology const& machine,
                                                       std::vector<std::uint32_t> const& usable, spread order);

}}}  // namespace skua::v0::runtime
