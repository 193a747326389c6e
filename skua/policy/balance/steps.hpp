// SPDX-License-Identifier: MIT
// The steps of persistence-based balancing, one function for each thing that a rank does between two messages. They
// know loads and no transport: a machine calls them message by message; `centralised` and `hierarchical` call them for
// all ranks in one process.
// [retentive-hpdc12 5, Algorithm 1, Algorithm 2]
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "skua/policy/balance/load_database.hpp"
#include "skua/policy/balance/loads.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance {

/// What a rank offers, in the order of removal (shortest first), and the load that it keeps.
struct donation {
  std::vector<donated_task> tasks;
  load_ns kept = 0;
};

/// Removes tasks from `database`, shortest first, while its total is above `factor` times `average`. The last task
/// always stays: a rank that hands over its only task makes no rank faster, and a task longer than the average would
/// move in every iteration. An average of 0, as where nothing was measured, removes nothing.
/// Cost: O(removed), and a sort if the database is exact. [retentive-hpdc12 5.1, Algorithm 1]
[[nodiscard]] donation donate(std::uint32_t rank, load_database& database, double average, double factor);

/// The limit of sweep i of `sweeps` through the tree: a rank sends up the tasks that are longer. The first limit is a
/// quarter of the average, each later one a quarter of the one before, and the last sweep takes all tasks (a limit
/// below 0). Long tasks find a place while all ranks still have room, and the shorter ones that follow even out the
/// loads.
[[nodiscard]] double sweep_limit(std::uint32_t i, std::uint32_t sweeps, double average) noexcept;
/// Removes the tasks that are longer than `limit` from a donation, whose shortest come first, and returns them.
[[nodiscard]] std::vector<donated_task> take_longer(std::vector<donated_task>& shortest_first, double limit);

/// A task of a pool, and the position of the load or the child that receives it.
struct assignment {
  donated_task task;
  std::uint32_t receiver = 0;
};

/// Gives the longest task of the pool to the least load until the pool is empty, and adds to the loads what they got.
/// `loads` are all ranks' after their donations, not empty unless the pool is. Ties: the lowest position; so all
/// callers agree. Cost: O(n log n + n log p). [retentive-hpdc12 5.1, Algorithm 1]
[[nodiscard]] std::vector<assignment> assign_longest_to_least(std::vector<donated_task> pool, std::span<load_ns> loads);

/// A child of a tree node: the load of all leaves below it, and how many these are (at least 1).
struct subtree {
  load_ns load = 0;
  std::uint32_t size = 1;
  [[nodiscard]] double average() const noexcept { return static_cast<double>(load) / size; }
  friend bool operator==(subtree const&, subtree const&) = default;
};
static_assert(std::is_trivially_copyable_v<subtree>);

/// The children as one child of the next node.
[[nodiscard]] subtree whole_of(std::span<subtree const> children) noexcept;

/// How a node on the way up chooses what to keep for its children.
struct fill_rule {
  double limit = 0;  ///< D times the average load of all ranks
  /// A child gets a task only if its average plus the task stays within the limit; a task that fits nowhere goes up,
  /// where there are more children. False: as published, any child below the limit gets the longest task, however far
  /// that lifts it.
  bool fits = true;
};

/// What a node keeps for its children on the way up, and what it passes on to its parent.
struct filling {
  std::vector<assignment> given;
  std::vector<donated_task> left;  ///< longest first
};

/// On the way up, longest task first: it goes to the child with the least average load, if that child is below the limit
/// (and the task fits, see fill_rule); else it is left for the parent. Adds to the children what they got.
/// Cost: O(n log n + given log children). [retentive-hpdc12 5.2, Figure 1b]
[[nodiscard]] filling fill_children(std::vector<donated_task> pool, std::span<subtree> children, fill_rule const& rule);

/// On the way down: the child with the least average load gets the longest task until the pool is empty.
/// [retentive-hpdc12 5.2, Figure 1c]
[[nodiscard]] std::vector<assignment> spread(std::vector<donated_task> pool, std::span<subtree> children);

}}}}  // namespace skua::v0::policies::balance
