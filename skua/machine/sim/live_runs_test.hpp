// SPDX-License-Identifier: MIT
// What the tests of live programs run on: machines of some sizes, whose workers search for a while and then sleep.
#pragma once

#include <cstdint>
#include <string>

#include "skua/machine/sim/costs.hpp"
#include "skua/parts/topology/layout.hpp"

namespace skua { inline namespace v0 { namespace sim {

inline constexpr std::uint32_t some_workers[] = {1, 2, 3, 7, 16, 64};

inline layout layout_of(std::uint32_t workers) {
  return workers % 4 != 0
             ? layout::flat(workers)
             : layout(topology::synthetic("package:" + std::to_string(workers / 4) + " numa:1 l3:1 core:4 pu:1"));
}

inline rules sleepy(std::uint64_t seed) { return {.seed = seed, .spin_ticks = 300}; }

}}}  // namespace skua::v0::sim
