// SPDX-License-Identifier: MIT
// The hundred positions of Korf, Depth-First Iterative-Deepening (1985), on which solvers of the 15-puzzle are compared.
#pragma once

#include <cstdint>

#include "apps/puzzle15/board.hpp"

namespace skua::apps::puzzle15 {

inline constexpr std::uint32_t korf_instances = 100;

struct instance {
  board start = goal;
  std::uint32_t length = 0;  ///< of a shortest solution
};

/// `number`: 1 to korf_instances.
[[nodiscard]] instance korf(std::uint32_t number) noexcept;

}  // namespace skua::apps::puzzle15
