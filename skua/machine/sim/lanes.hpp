// SPDX-License-Identifier: MIT
// The lanes of all workers on the tabletop: plain double-ended queues, and a count of what lies in them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "skua/parts/base/ids.hpp"
#include "skua/policy/vocabulary.hpp"
#include "skua/program/task_tree.hpp"

namespace skua::sim {

using fiber_id = std::uint32_t;
inline constexpr fiber_id no_fiber = 0xffff'ffffU;

/// What lies in a lane.
struct item {
  enum class kind : std::uint8_t {
    rest,   ///< the children of a group from `node` on: a join's continuation
    child,  ///< one task, `node`
    frame,  ///< a parked stack that may go on
  };
  kind what;
  node_id node = no_node;
  fiber_id fiber = no_fiber;
};

/// The two ends of a lane.
enum class end : std::uint8_t { oldest, newest };

class lanes {
 public:
  explicit lanes(std::uint32_t workers) : of_(workers) {}

  void push(worker_id w, lane where, item const& it) {
    queue(w, where).push_back(it);
    ++count(where);
  }

  /// The newest item, or nullptr. Valid until the lane changes.
  [[nodiscard]] item const* newest(worker_id w, lane where) const {
    std::deque<item> const& q = queue(w, where);
    return q.empty() ? nullptr : &q.back();
  }

  /// Take one item from a lane that is not empty.
  item take(worker_id w, lane where, end from) {
    std::deque<item>& q = queue(w, where);
    item const taken = from == end::newest ? q.back() : q.front();
    from == end::newest ? q.pop_back() : q.pop_front();
    --count(where);
    return taken;
  }

  [[nodiscard]] bool empty(worker_id w, lane where) const { return queue(w, where).empty(); }
  [[nodiscard]] bool all_empty() const noexcept { return in_the_open_ + in_inboxes_ == 0; }
  /// Worker w might find something: in a lane open to thieves, in the region's, or in its own inbox.
  [[nodiscard]] bool in_reach_of(worker_id w) const { return in_the_open_ > 0 || !empty(w, lane::inbox); }

 private:
  [[nodiscard]] std::deque<item> const& queue(worker_id w, lane where) const {
    return where == lane::injected ? injected_ : of_[index(w)][static_cast<std::size_t>(where)];
  }
  std::deque<item>& queue(worker_id w, lane where) {
    return where == lane::injected ? injected_ : of_[index(w)][static_cast<std::size_t>(where)];
  }
  std::uint64_t& count(lane where) noexcept { return where == lane::inbox ? in_inboxes_ : in_the_open_; }

  std::vector<std::array<std::deque<item>, 3>> of_;  ///< forks, spawned, inbox
  std::deque<item> injected_;
  std::uint64_t in_the_open_ = 0;
  std::uint64_t in_inboxes_ = 0;
};

}  // namespace skua::sim
