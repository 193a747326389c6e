// SPDX-License-Identifier: MIT
#include "apps/strips/problem.hpp"

#include <limits>

namespace skua::apps::strips {

triangle search::start(worker_id worker, triangle t) noexcept {
  if (!claim(t)) return 0;
  triangle length = 1;
  counts_.add(worker, count::strips);
  for (triangle tail = t;;) {
    triangle const grown = claim_neighbour(tail);
    if (grown == nobody) break;
    state_[tail].store(grown, std::memory_order_relaxed);
    tail = grown;
    ++length;
  }
  for (triangle head = t;;) {
    triangle const grown = claim_neighbour(head);
    if (grown == nobody) break;
    state_[grown].store(head, std::memory_order_relaxed);
    head = grown;
    ++length;
  }
  return length;
}

triangle search::claim_neighbour(triangle t) noexcept {
  for (;;) {
    triangle best = nobody;
    std::uint32_t fewest = std::numeric_limits<std::uint32_t>::max();
    for (triangle const n : mesh_.neighbours(t)) {
      if (n == nobody || !is_free_now(n)) continue;
      if (std::uint32_t const its = free_neighbours(n); its < fewest) {
        best = n;
        fewest = its;
      }
    }
    if (best == nobody || claim(best)) return best;
  }
}

std::string wrong(mesh const& m, std::span<std::atomic<triangle> const> next, std::uint64_t strips) {
  triangle const n = m.triangles();
  auto const name = [](triangle t) { return "triangle " + std::to_string(t); };
  std::vector<bool> has_one_before(n, false);
  for (triangle t = 0; t < n; ++t) {
    triangle const behind = next[t].load(std::memory_order_relaxed);
    if (behind == search::last) continue;
    if (behind >= n) return "strips: " + name(t) + " is in no strip";
    if (has_one_before[behind]) return "strips: " + name(behind) + " stands behind two others";
    if (!share_edge(m.corners_of(t), m.corners_of(behind))) {
      return "strips: " + name(t) + " has no common edge with the next one, " + name(behind);
    }
    has_one_before[behind] = true;
  }
  std::uint64_t heads = 0;
  std::uint64_t reached = 0;
  for (triangle head = 0; head < n; ++head) {
    if (has_one_before[head]) continue;
    ++heads;
    for (triangle t = head; t != search::last; t = next[t].load(std::memory_order_relaxed)) ++reached;
  }
  if (reached != n) return "strips: " + std::to_string(n - reached) + " triangles are in circles";
  if (heads != strips) {
    return "strips: there are " + std::to_string(heads) + " strips, and not " + std::to_string(strips);
  }
  return {};
}

}  // namespace skua::apps::strips
