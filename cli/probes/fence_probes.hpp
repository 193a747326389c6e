// SPDX-License-Identifier: MIT
// What fences cost on this machine, in ns, where deques are biased (fence_kind() is asymmetric).
#pragma once

namespace skua::cli {

/// The extra time of a pop while the owner does not have the bias.
double fence_ns();

struct heavy_fence_cost {
  double fence_ns;      ///< for the caller
  double interrupt_ns;  ///< for one that it interrupts
};
/// While this many other threads run, each on a processor of its own if there are enough. Medians of 200 fences.
heavy_fence_cost with_running_threads(unsigned others);

}  // namespace skua::cli
