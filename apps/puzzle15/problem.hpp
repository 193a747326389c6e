// SPDX-License-Identifier: MIT
// puzzle15: a shortest solution of the 15-puzzle by A*: each reached position is a task, and the scheduler's order takes the
// role of the open list. The search ends when no task is left that could find a shorter solution, so the one that it has
// is a shortest, whatever the order; the nearer the order is to A*'s, the fewer positions are expanded.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/puzzle15/board.hpp"
#include "apps/puzzle15/closed_table.hpp"
#include "apps/worker_counts.hpp"
#include "skua/program/strategy/finish.hpp"

namespace skua::apps::puzzle15 {

/// How tasks are spawned.
enum class choice : std::uint8_t {
  best_first,  ///< with the strategy below
  lifo,        ///< without a strategy, for easy positions only: it visits nearly all that the bound allows
};

/// A*'s order, here and for thieves: the shortest estimated solution first; of equal ones, the one that has come furthest.
struct by_estimate {
  std::atomic<std::uint32_t> const* best;  ///< length of the best known solution
  std::uint16_t moves;                     ///< made so far
  std::uint16_t estimate;                  ///< moves, and those that are still needed at least

  [[nodiscard]] double key(strategies::requester const&) const noexcept { return 256.0 * estimate - moves; }
  [[nodiscard]] double global_key() const noexcept { return 256.0 * estimate - moves; }
  [[nodiscard]] bool is_dead() const noexcept { return estimate >= best->load(std::memory_order_relaxed); }
};
static_assert(strategy<by_estimate>);

struct result {
  std::vector<direction> moves;  ///< of the solution
  std::uint64_t expanded = 0;    ///< positions whose neighbours were computed
  std::uint64_t again = 0;       ///< of these: for the second time, because a shorter way was found
  std::uint64_t stale = 0;       ///< tasks that found when they ran that a shorter way is known
  std::uint64_t states = 0;      ///< positions reached
  std::uint64_t table_bytes = 0;
};

struct limits {
  std::uint32_t length = most_moves;  ///< a solution of at most this length exists
  std::uint64_t table_bytes = std::uint64_t{1} << 30;
};

/// One run. Throws resource_error from its tasks if the table is full.
class search {
 public:
  search(board start, choice how, limits const& within, std::uint32_t workers)
      : start_(start), how_(how), best_(within.length + 1), table_(within.table_bytes), counts_(workers) {}

  /// Spawns the first task.
  template <class Region>
  void begin(Region& f) {
    reach(f, {start_, 0, direction::up});
  }
  /// All tasks have ended. Throws std::logic_error if there is no solution within the limit.
  [[nodiscard]] result found();

 private:
  enum class count : std::uint8_t { expanded, again, stale, all };
  struct arrival {
    board at;
    std::uint16_t moves;
    direction last;
  };

  /// A way to a position. Spawns a task, unless a way as short is known, or no solution that is shorter than the best can
  /// come of it.
  template <class Region>
  void reach(Region& f, arrival const& a) {
    auto const estimate = static_cast<std::uint16_t>(a.moves + costs().estimate(a.at));
    if (estimate >= best_.load(std::memory_order_relaxed)) return;
    if (table_.reach(a.at, {a.moves, a.last}) == closed_table::answer::known) return;
    if (a.at == goal) return improve(a.moves);
    auto const task = [this, a, estimate](auto& inner) { this->expand(inner, a, estimate); };
    static_assert(sizeof(task) <= 32, "puzzle15: millions of tasks wait");
    if (how_ == choice::lifo) return f.spawn(task);
    f.spawn(by_estimate{&best_, a.moves, estimate}, task);
  }
  template <class Region>
  void expand(Region& f, arrival const& a, std::uint16_t estimate) {
    if (estimate >= best_.load(std::memory_order_relaxed)) return;
    auto const worker = f.here().worker();
    auto const which = table_.begin_expansion(a.at, a.moves);
    if (which == closed_table::expansion::stale) return counts_.add(worker, count::stale);
    if (which == closed_table::expansion::again) counts_.add(worker, count::again);
    counts_.add(worker, count::expanded);
    std::uint32_t const blank = blank_of(a.at);
    for (direction const d : directions) {
      if (!can_move(blank, d) || (a.moves > 0 && d == opposite(a.last))) continue;
      reach(f, {moved(a.at, blank, d), static_cast<std::uint16_t>(a.moves + 1), d});
    }
  }
  /// Relaxed: the length says nothing of other data; the table has its locks.
  void improve(std::uint32_t length) noexcept {
    std::uint32_t before = best_.load(std::memory_order_relaxed);
    while (length < before && !best_.compare_exchange_weak(before, length, std::memory_order_relaxed)) {}
  }

  board const start_;
  choice const how_;
  std::atomic<std::uint32_t> best_;  ///< only sinks
  closed_table table_;
  worker_counts<count> counts_;
};

/// A shortest solution. Work and memory are those of A*, plus the cost of the tasks' order.
template <has_finish Here>
result program(Here& here, board start, choice how, limits const& within) {
  search all(start, how, within, here.num_workers());
  here.finish([&](auto& f) { all.begin(f); });
  return all.found();
}

/// Replays the moves: empty if they lead to the goal, else one line.
std::string wrong(board start, std::vector<direction> const& moves);

}  // namespace skua::apps::puzzle15
