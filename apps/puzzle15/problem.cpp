// SPDX-License-Identifier: MIT
#include "apps/puzzle15/problem.hpp"

#include <algorithm>
#include <stdexcept>

namespace skua::apps::puzzle15 {

result search::found() {
  result all{.moves = {},
             .expanded = counts_.sum(count::expanded),
             .again = counts_.sum(count::again),
             .stale = counts_.sum(count::stale),
             .states = table_.size(),
             .table_bytes = table_.bytes()};
  // From the goal back, by the last move of the shortest way to each position.
  board b = goal;
  for (auto at = table_.find(b); b != start_; at = table_.find(b)) {
    if (!at || all.moves.size() > most_moves) throw std::logic_error("puzzle15: the search has found no solution");
    all.moves.push_back(at->last);
    b = moved(b, blank_of(b), opposite(at->last));
  }
  std::ranges::reverse(all.moves);
  return all;
}

std::string wrong(board start, std::vector<direction> const& moves) {
  board b = start;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    if (!can_move(blank_of(b), moves[i])) return "puzzle15: move " + std::to_string(i + 1) + " leaves the board";
    b = moved(b, blank_of(b), moves[i]);
  }
  return b == goal ? "" : "puzzle15: the " + std::to_string(moves.size()) + " moves do not lead to the goal";
}

}  // namespace skua::apps::puzzle15
