// SPDX-License-Identifier: MIT
// The 15-puzzle by iterative deepening with the Manhattan distance (Korf 1985): no table and no linear conflicts, so
// that it shares nothing but the moves with the program that it checks.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/puzzle15/board.hpp"

namespace skua::apps::puzzle15 {

struct deepening_result {
  std::vector<direction> moves;  ///< a shortest solution
  std::uint64_t visited = 0;     ///< positions, in all iterations
};

/// b is solvable. O(squares) of memory; its time is exponential in the length.
[[nodiscard]] deepening_result ida_star(board b);

}  // namespace skua::apps::puzzle15
