// SPDX-License-Identifier: MIT
// Strategies: the shortest path through a grid of tolls, nearest crossings first.
// SKUA_POLICY=strategies ./example_strategies
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>

#include "skua/skua.hpp"

constexpr std::size_t side = 100;
using distances = std::array<std::atomic<int>, side * side>;

int toll(std::size_t at) { return 1 + static_cast<int>(at * 7919 % 13); }

/// Crossings at a smaller distance first. Thieves take the farthest crossing first.
struct nearest_first {
  std::atomic<int> const* known;
  int distance;

  bool prioritize(nearest_first const& other, skua::strategies::requester const& by) const {
    return by.steals ? distance > other.distance : distance < other.distance;
  }
  // A shorter path has been found meanwhile: this task need not run.
  bool is_dead() const { return known->load(std::memory_order_relaxed) < distance; }
};

/// Reports a path of this length to `at`. If it is the shortest so far, spawns a task that tries the neighbours.
void reach(auto& region, distances& shortest, std::size_t at, int distance) {
  int known = shortest[at].load(std::memory_order_relaxed);
  do {
    if (known <= distance) return;
  } while (!shortest[at].compare_exchange_weak(known, distance, std::memory_order_relaxed));
  region.spawn(nearest_first{&shortest[at], distance}, [&shortest, at, distance](auto& f) {
    if (at % side > 0) reach(f, shortest, at - 1, distance + toll(at));
    if (at % side < side - 1) reach(f, shortest, at + 1, distance + toll(at));
    if (at >= side) reach(f, shortest, at - side, distance + toll(at));
    if (at < side * (side - 1)) reach(f, shortest, at + side, distance + toll(at));
  });
}

int main() {
  skua::pool pool;
  distances shortest;
  for (auto& d : shortest) d.store(1'000'000, std::memory_order_relaxed);
  pool.run([&](auto& here) {
    here.finish([&](auto& f) { reach(f, shortest, 0, 0); });  // returns when every task has ended
  });

  // The same by plain iteration until nothing changes.
  std::array<int, side * side> expected;
  expected.fill(1'000'000);
  expected[0] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t at = 0; at < side * side; ++at) {
      auto const relax = [&](std::size_t to) {
        if (expected[at] + toll(at) >= expected[to]) return;
        expected[to] = expected[at] + toll(at);
        changed = true;
      };
      if (at % side > 0) relax(at - 1);
      if (at % side < side - 1) relax(at + 1);
      if (at >= side) relax(at - side);
      if (at < side * (side - 1)) relax(at + side);
    }
  }
  int const found = shortest[side * side - 1].load(std::memory_order_relaxed);
  bool right = true;
  for (std::size_t at = 0; at < side * side; ++at)
    right = right && shortest[at].load(std::memory_order_relaxed) == expected[at];
  std::printf("%d to the opposite corner\n", found);
  return right ? 0 : 1;
}
