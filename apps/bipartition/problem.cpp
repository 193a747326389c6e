// SPDX-License-Identifier: MIT
#include "apps/bipartition/problem.hpp"

#include "apps/checks.hpp"

namespace skua::apps::bipartition {

search::search(graph const& g, choice how, std::uint32_t workers, std::uint64_t start_ns)
    : graph_(g), how_(how), start_ns_(start_ns), best_(g.total_weight() + 1), counts_(workers) {}

void search::improve(subproblem const& solved, std::uint64_t now_ns) {
  std::lock_guard const lock(improving_);
  if (!promises_more(solved)) return;
  found_.cut = solved.lower;  // exact
  found_.side_a = solved.solution(graph_);
  found_.optimum_expanded = counts_.sum(count::expanded);
  found_.optimum_ns = now_ns - start_ns_;
  // Relaxed: readers use nothing but the number.
  best_.store(solved.lower, std::memory_order_relaxed);
}

result search::found() const {
  result all = found_;
  all.expanded = counts_.sum(count::expanded);
  return all;
}

cost least_cut(graph const& g) {
  require_between("bipartition: the vertices of a graph to search exhaustively", std::int64_t{g.vertices()}, 1, 24);
  cost least = g.total_weight();
  for (vertex_set s = 0; s <= g.all(); ++s) {
    if (size(s) == g.size_of_a()) least = std::min(least, g.cut(s));
  }
  return least;
}

std::string wrong(graph const& g, result const& r) {
  if ((r.side_a & ~g.all()) != 0 || size(r.side_a) != g.size_of_a()) {
    return "bipartition: side A has " + std::to_string(size(r.side_a)) + " vertices; right are " +
           std::to_string(g.size_of_a()) + " of the graph's";
  }
  if (cost const cut = g.cut(r.side_a); cut != r.cut) {
    return "bipartition: the partition cuts " + std::to_string(cut) + ", and not " + std::to_string(r.cut);
  }
  return {};
}

}  // namespace skua::apps::bipartition
