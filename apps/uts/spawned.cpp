// SPDX-License-Identifier: MIT
#include "apps/uts/spawned.hpp"

#include <algorithm>

namespace skua::apps::uts {

// A subtree is its root and the subtrees of its children. Below the last level of the table the mean stays as it is there:
// 1 / (1 - mean) solves size = 1 + mean * size.
expected_sizes::expected_sizes(tree const& which) {
  double const mean = which.mean_children(most_levels);
  beyond_ = mean < 1 ? std::min(most, 1 / (1 - mean)) : most;
  by_depth_.assign(most_levels, beyond_);
  double size = beyond_;
  for (std::uint32_t depth = most_levels; depth-- > 0;) {
    size = std::min(most, 1 + which.mean_children(depth) * size);
    by_depth_[depth] = size;
  }
}

}  // namespace skua::apps::uts
