// SPDX-License-Identifier: MIT
// The lanes of all workers in the simulator: plain double-ended queues, and one word per worker that says which of its
// lanes are empty, because idle workers mostly look into empty lanes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "skua/machine/sim/cached_lines.hpp"
#include "skua/machine/sim/names.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/program/task_tree.hpp"

namespace skua { inline namespace v0 { namespace sim {

using fiber_id = std::uint32_t;
inline constexpr fiber_id no_fiber = 0xffff'ffffU;
using team_id = std::uint32_t;
inline constexpr team_id no_team = 0xffff'ffffU;

/// An entry of a lane.
struct item {
  enum class kind : std::uint8_t {
    rest,   ///< the children of a group from `node` on: a join's continuation
    child,  ///< one task, `node`
    frame,  ///< a stack that may continue
  };
  kind content;
  tree_node_id node = no_tree_node;
  fiber_id fiber = no_fiber;
  task_tag tag{};          ///< unused in `forks`, `spawned` and `ordered`
  bool dead = false;       ///< its strategy allows dropping it
  team_id team = no_team;  ///< of a child: it is a member of this team
};

/// The two ends of a lane.
enum class end : std::uint8_t { oldest, newest };

class lanes {
 public:
  explicit lanes(std::uint32_t workers) : queues_(workers), ordered_(workers), changes_(workers), filled_(workers) {}

  void push(worker_id w, lane where, item const& it) {
    queue(w, where).push_back(it);
    ++all_;
    if (is_open(where)) ++open_;
    changed(w, where);
    if (where != lane::injected) filled_[index(w)] |= bit(where);
  }

  /// Sets the size of this worker's lane `ordered`, which is kept elsewhere.
  void set_ordered(worker_id w, std::uint64_t size) {
    std::uint64_t const before = std::exchange(ordered_[index(w)], size);
    changed(w, lane::ordered);
    all_ = all_ + size - before;
    open_ = open_ + size - before;
    std::uint16_t const rest = filled_[index(w)] & static_cast<std::uint16_t>(~bit(lane::ordered));
    filled_[index(w)] = size > 0 ? static_cast<std::uint16_t>(rest | bit(lane::ordered)) : rest;
  }

  /// The newest item, or nullptr. Valid until the lane changes.
  [[nodiscard]] item const* newest(worker_id w, lane where) const {
    return empty(w, where) ? nullptr : &items_of(w, where).back();
  }

  /// Removes the first wanted item from this end; returns nothing if there is none.
  template <class Wanted>
  std::optional<item> take(worker_id w, lane where, end from, Wanted&& wanted) {
    std::deque<item>& q = queue(w, where);
    for (std::size_t i = 0; i < q.size(); ++i) {
      auto const at = q.begin() + static_cast<std::ptrdiff_t>(from == end::oldest ? i : q.size() - 1 - i);
      if (!wanted(*at)) continue;
      item const taken = *at;
      q.erase(at);
      left(w, where, 1);
      return taken;
    }
    return {};
  }

  /// Takes one item from a lane that is not empty.
  item take(worker_id w, lane where, end from) {
    return *take(w, where, from, [](item const&) { return true; });
  }

  /// Empties a lane; oldest first.
  std::deque<item> take_all(worker_id w, lane where) {
    std::deque<item> all;
    all.swap(queue(w, where));
    left(w, where, all.size());
    return all;
  }

  /// The items of a lane, oldest first; not of `ordered`. All workers share `injected`.
  [[nodiscard]] std::deque<item> const& items_of(worker_id w, lane where) const {
    return where == lane::injected ? injected_ : queues_[index(w)][static_cast<std::size_t>(where)];
  }
  [[nodiscard]] bool empty(worker_id w, lane where) const {
    return where == lane::injected ? injected_.empty() : (filled_[index(w)] & bit(where)) == 0;
  }
  /// How often the cache line that shows whether this lane is empty has changed.
  [[nodiscard]] std::uint32_t changes(worker_id w, lane where) const {
    return changes_[index(w)][cached_lines::line_of(where)];
  }
  [[nodiscard]] bool all_empty() const noexcept { return all_ == 0; }

  /// True if there is an item in one of the worker's own lanes, or in the region's.
  [[nodiscard]] bool at_hand_of(worker_id w) const { return filled_[index(w)] != 0 || !injected_.empty(); }
  /// The same, or in a lane of another worker that is open to thieves (not its inbox, not its mailbox).
  [[nodiscard]] bool in_reach_of(worker_id w) const { return open_ > 0 || at_hand_of(w); }

 private:
  std::deque<item>& queue(worker_id w, lane where) {
    return where == lane::injected ? injected_ : queues_[index(w)][static_cast<std::size_t>(where)];
  }
  static constexpr bool is_open(lane where) noexcept {
    return where == lane::forks || where == lane::spawned || where == lane::local || where == lane::migrated ||
           where == lane::next || where == lane::nodes;
  }
  static constexpr std::uint16_t bit(lane where) noexcept {
    static_assert(lane_kinds <= 16);
    return static_cast<std::uint16_t>(1U << static_cast<unsigned>(where));
  }
  void changed(worker_id w, lane where) { ++changes_[index(w)][cached_lines::line_of(where)]; }
  /// `n` items have left a lane.
  void left(worker_id w, lane where, std::uint64_t n) {
    all_ -= n;
    if (is_open(where)) open_ -= n;
    changed(w, where);
    if (where != lane::injected && items_of(w, where).empty())
      filled_[index(w)] &= static_cast<std::uint16_t>(~bit(where));
  }

  std::vector<std::array<std::deque<item>, lane_kinds>> queues_;  ///< by lane; `injected` is unused here
  std::deque<item> injected_;
  std::vector<std::uint64_t> ordered_;  ///< by worker: entries of `ordered`
  std::vector<std::array<std::uint32_t, cached_lines::lines>> changes_;
  // Invariant (filled): bit l of filled_[w] is set while lane l of w holds an item; all_ and open_ count the items in
  // all lanes, and in those open to thieves.
  std::vector<std::uint16_t> filled_;
  std::uint64_t all_ = 0;
  std::uint64_t open_ = 0;
};

}}}  // namespace skua::v0::sim
