// SPDX-License-Identifier: MIT
// strips: covers a mesh with few triangle strips. A strip is a path in the dual graph: each of its triangles shares an edge
// with the one before. (Who draws it sends some vertices twice where the path turns twice to the same side.) The heuristic
// is SGI's: start where a triangle has the fewest free neighbours, and grow at both ends, always to the neighbour that has the
// fewest itself. (Akeley, Haeberli, Burns: tomesh.c, 1990.) [strategies-2013 4]
//
// Spawn tasks look for free triangles in an interval each, and spawn a start task for some of them. Which of these run first
// decides how many strips there are.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "apps/strips/mesh.hpp"
#include "apps/worker_counts.hpp"
#include "skua/program/strategy/finish.hpp"

namespace skua::apps::strips {

/// How tasks are spawned.
enum class choice : std::uint8_t {
  by_neighbours,  ///< with the strategies below
  lifo,           ///< without a strategy: the newest first, thieves take the oldest
};

/// Both kinds of tasks: starts first; thieves spawn first, for that gives them work of their own.
struct starts_first {
  bool spawns;

  [[nodiscard]] bool prioritize(starts_first const& other, strategies::requester const& by) const noexcept {
    return spawns != other.spawns && spawns == by.steals;
  }
};

/// Starts a strip. The fewest free neighbours first, as they were when the task was spawned.
struct start_strategy : starts_first {
  using base = starts_first;
  std::atomic<triangle> const* state;  ///< of the triangle
  std::uint32_t free_neighbours;

  start_strategy(std::atomic<triangle> const& of_triangle, std::uint32_t neighbours) noexcept
      : starts_first{false}, state(&of_triangle), free_neighbours(neighbours) {}
  [[nodiscard]] double key(strategies::requester const&) const noexcept { return free_neighbours; }
  [[nodiscard]] static constexpr double transitive_weight() noexcept { return 1; }
  /// A call overtakes the tasks that wait. So only those that would go first anyway may be one.
  [[nodiscard]] bool allow_call_conversion() const noexcept { return free_neighbours <= 1; }
  [[nodiscard]] bool is_dead() const noexcept { return state->load(std::memory_order_relaxed) != nobody; }
};

/// Spawns the starts of an interval: ascending; thieves take the last one. Never a call.
struct spawn_strategy : starts_first {
  using base = starts_first;
  triangle first;
  triangle size;

  spawn_strategy(triangle from, triangle triangles) noexcept : starts_first{true}, first(from), size(triangles) {}
  [[nodiscard]] double key(strategies::requester const& by) const noexcept {
    auto const number = static_cast<double>(first);
    return by.steals ? -number : number;
  }
  [[nodiscard]] double transitive_weight() const noexcept { return size; }
};
static_assert(strategy<start_strategy> && strategy<spawn_strategy>);

struct tally {
  std::uint64_t strips = 0;
  std::uint64_t starts = 0;  ///< tasks that were spawned to start one; some find their triangle taken
};

struct result {
  std::vector<std::atomic<triangle>> next;  ///< the triangle behind each in its strip, or search::last
  tally counts;
};

struct options {
  triangle interval = 4096;  ///< triangles per spawn task
  choice how = choice::by_neighbours;
};

/// One run. A triangle is free until a task claims it for its strip; only that task changes its state then.
class search {
 public:
  static constexpr triangle is_free = nobody;
  static constexpr triangle last = nobody - 1;

  search(mesh const& m, options const& with, std::uint32_t workers)
      : mesh_(m), with_(with), state_(m.triangles()), counts_(workers) {
    for (auto& s : state_) s.store(is_free, std::memory_order_relaxed);
  }

  template <class Region>
  void spawn_all(Region& f) {
    for (triangle first = 0; first < mesh_.triangles();) {
      triangle const size = std::min(with_.interval, mesh_.triangles() - first);
      spawn_pass(f, {first, size, starts_apart});
      first += size;
    }
  }

  /// All tasks have ended.
  [[nodiscard]] result found() && {
    return {std::move(state_), {counts_.sum(count::strips), counts_.sum(count::starts)}};
  }

 private:
  enum class count : std::uint8_t { strips, starts, all };

  /// The work of a spawn task. The first pass over an interval leaves room for strips to grow, the second misses
  /// nothing.
  struct pass {
    triangle first;
    triangle size;
    triangle apart;  ///< triangles from one start to the next where two or more neighbours are free
  };
  static constexpr triangle starts_apart = 16;
  static constexpr double looks_per_triangle = 16;  ///< at states: three neighbours, their neighbours, and claims

  template <class Region>
  void spawn_pass(Region& f, pass const& p) {
    auto const task = [this, p](auto& inner) { this->spawn_starts(inner, p); };
    if (with_.how == choice::lifo) return f.spawn(task);
    f.spawn(spawn_strategy{p.first, p.size}, task);
  }
  template <class Region>
  void spawn_starts(Region& f, pass const& p) {
    if (p.apart > 1) spawn_pass(f, {p.first, p.size, 1});
    f.here().leaf(flops{static_cast<double>(p.size)}, [] {});  // for the simulator: a look at each triangle
    triangle next = p.first;
    for (triangle t = p.first; t < p.first + p.size; ++t) {
      if (!is_free_now(t)) continue;
      std::uint32_t const neighbours = free_neighbours(t);
      if (neighbours > 1) {
        if (t < next) continue;
        next = t + p.apart;
      }
      spawn_start(f, t, neighbours);
    }
  }
  template <class Region>
  void spawn_start(Region& f, triangle t, std::uint32_t neighbours) {
    counts_.add(f.here().worker(), count::starts);
    auto const task = [this, t](auto& inner) {
      triangle const length = this->start(inner.here().worker(), t);
      inner.here().leaf(flops{looks_per_triangle * (length + 1)},
                        [] {});  // for the simulator, which cannot know it before
    };
    if (with_.how == choice::lifo) return f.spawn(task);
    f.spawn(start_strategy{state_[t], neighbours}, task);
  }

  /// Makes a strip of t, unless another strip has it. Returns its length.
  triangle start(worker_id worker, triangle t) noexcept;
  /// Claims the free neighbour of t with the fewest free neighbours; returns `nobody` if there is none.
  triangle claim_neighbour(triangle t) noexcept;
  /// Relaxed, here and below: a state says nothing of other data, and an old one only makes a worse choice.
  bool claim(triangle t) noexcept {
    triangle before = is_free;
    return state_[t].compare_exchange_strong(before, last, std::memory_order_relaxed);
  }
  [[nodiscard]] bool is_free_now(triangle t) const noexcept {
    return state_[t].load(std::memory_order_relaxed) == is_free;
  }
  [[nodiscard]] std::uint32_t free_neighbours(triangle t) const noexcept {
    std::uint32_t sum = 0;
    for (triangle const n : mesh_.neighbours(t)) sum += static_cast<std::uint32_t>(n != nobody && is_free_now(n));
    return sum;
  }

  mesh const& mesh_;
  options const with_;
  std::vector<std::atomic<triangle>> state_;  ///< is_free, or what comes next in the strip
  worker_counts<count> counts_;
};

/// Work O(triangles), times log interval with strategies.
template <has_finish Here>
result program(Here& here, mesh const& m, options const& with) {
  search all(m, with, here.num_workers());
  here.finish([&](auto& f) { all.spawn_all(f); });
  return std::move(all).found();
}

/// Empty if each triangle is in one strip, consecutive triangles share an edge, and there are `strips` strips; else one
/// line.
/// `next` is the successor of each triangle.
std::string wrong(mesh const& m, std::span<std::atomic<triangle> const> next, std::uint64_t strips);

}  // namespace skua::apps::strips
