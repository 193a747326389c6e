// SPDX-License-Identifier: MIT
// A type of strategy, type-erased: the order of its tasks, and its base. Types form a
// hierarchy whose root is the order of a work-stealing deque. [strategies-2013 2, Fig. 1]
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "skua/parts/base/ids.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// The largest value of a strategy: a store keeps a copy of it.
inline constexpr std::size_t strategy_value_bytes = 40;

/// The worker for which tasks are ordered: it chooses among its own tasks, or steals. [strategies-2013 2]
struct requester {
  worker_id worker{};
  bool steals = false;
  std::span<std::uint32_t const> distances{};  ///< to each worker, nearer is smaller; empty: all are equally far

  /// 0: the requester itself; else at least 1, nearer is smaller.
  [[nodiscard]] std::uint32_t distance(worker_id to) const noexcept {
    if (to == worker) return 0;
    return index(to) < distances.size() ? distances[index(to)] + 1 : 1;
  }
};

/// One per type, with static lifetime. Values point to a strategy of this type, or to the part of a derived one.
struct strategy_kind {
  strategy_kind const* base = nullptr;  ///< null: the root is the base
  /// True if a task with the value `a` should go before one with `b`. Code of the program: it may throw, contradict itself, or change its answers.
  /// Null: the root's order.
  bool (*prioritize)(void const* a, void const* b, requester const& by) = nullptr;
  /// Instead: smaller numbers go first. Asked once, when a task enters an order; a NaN has no order.
  double (*key)(void const* value, requester const& by) = nullptr;
  /// The urgency among the tasks of this type of all workers: smaller numbers first. Null: each worker orders its own tasks only.
  double (*global_key)(void const* value) = nullptr;
  /// The base's part of a value of this kind; null: the base is the root, which has no values.
  void const* (*as_base)(void const* value) noexcept = nullptr;
  bool (*is_dead)(void const* value) = nullptr;                                ///< null: never
  void (*spawned)(void* value, worker_id at, std::uint64_t number) = nullptr;  ///< null: nothing is noted
  void (*stolen)(void* value, worker_id by, std::uint64_t number) = nullptr;   ///< null: nothing changes
};

/// True if a task with this strategy need not run. Who asks has the task for itself.
[[nodiscard]] inline bool says_dead(strategy_kind const* kind, void const* value) noexcept {
  if (kind == nullptr || kind->is_dead == nullptr) return false;
  try {
    return kind->is_dead(value);
  } catch (...) {
    return false;
  }
}

/// A task in an ordered store, as orders see it.
struct ordered_task {
  strategy_kind const* kind = nullptr;  ///< null: the root
  void const* value = nullptr;
  worker_id place{};         ///< hinted, or where it was spawned or stolen to
  std::uint64_t number = 0;  ///< ascending at each place
};

/// True if a goes before b in the root's order: the nearest place first, ties by place; there the newest first, for a thief the oldest.
/// [strategies-2013 2]
[[nodiscard]] inline bool goes_first_at_root(ordered_task const& a, ordered_task const& b,
                                             requester const& by) noexcept {
  if (a.place != b.place) {
    std::uint32_t const to_a = by.distance(a.place);
    std::uint32_t const to_b = by.distance(b.place);
    return to_a != to_b ? to_a < to_b : index(a.place) < index(b.place);
  }
  return by.steals ? a.number < b.number : a.number > b.number;
}

}}}  // namespace skua::v0::runtime
