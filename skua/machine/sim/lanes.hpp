// SPDX-License-Identifier: MIT
// The lanes of all workers in the simulator: plain double-ended queues, and one word per worker that says which of its
// lanes are empty, because idle workers mostly look into empty lanes. What a fork touches of its worker lies together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "skua/machine/sim/cached_lines.hpp"
#include "skua/machine/sim/item_queue.hpp"
#include "skua/machine/sim/names.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/program/task_tree.hpp"

namespace skua { inline namespace v0 { namespace sim {

/// The two ends of a lane.
enum class end : std::uint8_t { oldest, newest };

class lanes {
 public:
  explicit lanes(std::uint32_t workers) : workers_(workers) {}

  void push(worker_id w, lane where, item const& it) {
    queue(w, where).push(it);
    ++all_;
    if (is_open(where)) ++open_;
    changed(w, where);
    if (where != lane::injected) of(w).filled |= bit(where);
  }

  /// Sets the size of this worker's lane `ordered`, which is kept elsewhere.
  void set_ordered(worker_id w, std::uint64_t size) {
    lanes_of_worker& its = of(w);
    std::uint64_t const before = std::exchange(its.ordered, size);
    changed(w, lane::ordered);
    all_ = all_ + size - before;
    open_ = open_ + size - before;
    std::uint16_t const rest = its.filled & static_cast<std::uint16_t>(~bit(lane::ordered));
    its.filled = size > 0 ? static_cast<std::uint16_t>(rest | bit(lane::ordered)) : rest;
  }

  /// The newest item, or nullptr. Valid until the lane changes.
  [[nodiscard]] item const* newest(worker_id w, lane where) const {
    return empty(w, where) ? nullptr : &items_of(w, where).newest();
  }

  /// Removes the first wanted item from this end; returns nothing if there is none.
  template <class Wanted>
  std::optional<item> take(worker_id w, lane where, end from, Wanted&& wanted) {
    item_queue& q = queue(w, where);
    for (std::size_t i = 0; i < q.size(); ++i) {
      std::size_t const at = from == end::oldest ? i : q.size() - 1 - i;
      if (!wanted(q[at])) continue;
      item const taken = q.take(at);
      left(w, where, 1);
      return taken;
    }
    return {};
  }

  /// Takes one item from a lane that is not empty.
  item take(worker_id w, lane where, end from) {
    item_queue& q = queue(w, where);
    item const taken = q.take(from == end::oldest ? 0 : q.size() - 1);
    left(w, where, 1);
    return taken;
  }

  /// Empties a lane; oldest first.
  item_queue take_all(worker_id w, lane where) {
    item_queue all(std::move(queue(w, where)));
    left(w, where, all.size());
    return all;
  }

  /// The items of a lane, oldest first; not of `ordered`. All workers share `injected`.
  [[nodiscard]] item_queue const& items_of(worker_id w, lane where) const {
    return where == lane::injected ? injected_ : of(w).queues[static_cast<std::size_t>(where)];
  }
  [[nodiscard]] bool empty(worker_id w, lane where) const {
    return where == lane::injected ? injected_.empty() : (of(w).filled & bit(where)) == 0;
  }
  /// How often the cache line that shows whether this lane is empty has changed.
  [[nodiscard]] std::uint32_t changes(worker_id w, lane where) const {
    return of(w).changes[cached_lines::line_of(where)];
  }
  /// The worker will soon fork, or take back: two steps, because the second reads what the first has fetched.
  void fetch(worker_id w) const noexcept { __builtin_prefetch(&of(w)); }
  void fetch_newest_fork(worker_id w) const noexcept {
    of(w).queues[static_cast<std::size_t>(lane::forks)].fetch_newest();
  }
  [[nodiscard]] bool all_empty() const noexcept { return all_ == 0; }

  /// True if there is an item in one of the worker's own lanes, or in the region's.
  [[nodiscard]] bool at_hand_of(worker_id w) const { return of(w).filled != 0 || !injected_.empty(); }
  /// The same, or in a lane of another worker that is open to thieves (not its inbox, not its mailbox).
  [[nodiscard]] bool in_reach_of(worker_id w) const { return open_ > 0 || at_hand_of(w); }

 private:
  struct alignas(64) lanes_of_worker {
    std::uint16_t filled = 0;  ///< a bit per lane
    std::array<std::uint32_t, cached_lines::lines> changes = {};
    std::array<item_queue, lane_kinds> queues = {};  ///< by lane; `injected` is unused here
    std::uint64_t ordered = 0;                       ///< entries of `ordered`
  };

  [[nodiscard]] lanes_of_worker& of(worker_id w) noexcept { return workers_[index(w)]; }
  [[nodiscard]] lanes_of_worker const& of(worker_id w) const noexcept { return workers_[index(w)]; }
  item_queue& queue(worker_id w, lane where) {
    return where == lane::injected ? injected_ : of(w).queues[static_cast<std::size_t>(where)];
  }
  static constexpr bool is_open(lane where) noexcept {
    return where == lane::forks || where == lane::spawned || where == lane::local || where == lane::migrated ||
           where == lane::next || where == lane::nodes;
  }
  static constexpr std::uint16_t bit(lane where) noexcept {
    static_assert(lane_kinds <= 16);
    return static_cast<std::uint16_t>(1U << static_cast<unsigned>(where));
  }
  void changed(worker_id w, lane where) { ++of(w).changes[cached_lines::line_of(where)]; }
  /// `n` items have left a lane.
  void left(worker_id w, lane where, std::uint64_t n) {
    all_ -= n;
    if (is_open(where)) open_ -= n;
    changed(w, where);
    if (where != lane::injected && items_of(w, where).empty()) of(w).filled &= static_cast<std::uint16_t>(~bit(where));
  }

  // Invariant (filled): bit l of `filled` of w is set while lane l of w holds an item; all_ and open_ count the items in
  // all lanes, and in those open to thieves.
  std::vector<lanes_of_worker> workers_;
  item_queue injected_;
  std::uint64_t all_ = 0;
  std::uint64_t open_ = 0;
};

}}}  // namespace skua::v0::sim
