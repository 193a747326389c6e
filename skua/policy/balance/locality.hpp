// SPDX-License-Identifier: MIT
// After a balancer: of the placements whose largest load is as good, within a tolerance, one that moves fewer bytes. A task should start on a rank
// that owns what it reads and writes. locality.md has the states and the invariants.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "skua/policy/balance/loads.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance {

/// The bytes that a task gets from each rank and puts or adds to it, for the ranks with most. Of one iteration.
struct owner_footprint {
  static constexpr std::uint32_t most_owners = 4;
  struct share {
    std::uint64_t bytes = 0;  ///< 0: the place is free
    std::uint32_t owner = 0;  ///< rank
    std::uint32_t unused = 0;
    friend bool operator==(share const&, share const&) = default;
  };
  std::array<share, most_owners> heaviest{};  ///< the first has most
  std::uint64_t bytes = 0;                    ///< of all ranks, also those that are not listed

  /// Of what lies on this rank; 0 if it is not listed.
  [[nodiscard]] constexpr std::uint64_t on(std::uint32_t rank) const noexcept {
    for (share const& s : heaviest) {
      if (s.owner == rank && s.bytes > 0) return s.bytes;
    }
    return 0;
  }
  /// That travel if the task runs on this rank.
  [[nodiscard]] constexpr std::uint64_t away_from(std::uint32_t rank) const noexcept { return bytes - on(rank); }
  friend bool operator==(owner_footprint const&, owner_footprint const&) = default;
};
static_assert(std::is_trivially_copyable_v<owner_footprint> && sizeof(owner_footprint) == 72);

/// Keeps the heaviest of these shares, one per owner; equal ones by owner. O(n log n), reorders them.
[[nodiscard]] owner_footprint footprint_of(std::span<owner_footprint::share> shares) noexcept;

/// A task where a balancer puts it.
struct placed_task {
  load_ns load = 0;
  std::uint32_t rank = 0;
  owner_footprint needs;
};

/// Where tasks start.
struct near_placement {
  std::vector<std::uint32_t> ranks;  ///< of each task, in the order of the argument
  std::uint64_t away_before = 0;     ///< bytes that travel if each task gets what it needs for itself
  std::uint64_t away_after = 0;
  load_ns most_before = 0;  ///< load of a rank
  load_ns most_after = 0;
};

/// Prefers, for each task, the rank that has most of what it needs. No rank ends above max(most_before, (1 + tolerance) * average), and away_after
/// <= away_before; nothing moves for a gain of less than 1 %. `tolerance`: 0 or more. Ranks in `tasks` and in their footprints are below `ranks`.
/// Same arguments: same answer. Cost for n tasks: O(n log n + n log ranks), and a rank's tasks once more whenever tasks that return lift it above the limit again.
[[nodiscard]] near_placement prefer_owners(std::span<placed_task const> tasks, std::uint32_t ranks, double tolerance);

}}}}  // namespace skua::v0::policies::balance
