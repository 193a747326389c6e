// SPDX-License-Identifier: MIT
// The machine of the paper's example. [arms-2021 Figure 4]
#pragma once

#include "skua/parts/topology/layout.hpp"
#include "skua/parts/topology/topology.hpp"

namespace skua { inline namespace v0 { namespace policies {

/// Two packages of four cores, a worker on each.
inline runtime::layout figure_4() { return runtime::layout(topology::synthetic("package:2 numa:1 core:4 pu:1")); }

}}}  // namespace skua::v0::policies
