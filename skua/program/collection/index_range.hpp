// SPDX-License-Identifier: MIT
// Tasks that stand for many and split when they run, and an interval of indices as such a task.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>

namespace skua { inline namespace v0 {

/// A task that can split: `t.is_divisible()` says whether, and `t.split()` takes a part away from it and returns it. Before it runs, a collection
/// splits it until it is no longer divisible; the parts wait on the rank, where others may steal them. Both functions depend on nothing
/// but the task's members. A task that was recorded does not split again.
template <class Task>
concept divisible_task = requires(Task& t, Task const& c) {
  { c.is_divisible() } -> std::convertible_to<bool>;
  { t.split() } -> std::same_as<Task>;
};

/// The indices first, first + 1, .. last - 1. It splits in the middle, at a multiple of `grain` from `first`, until it has at most `grain` indices.
struct index_range {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t grain = 1;  ///< 0 counts as 1

  [[nodiscard]] constexpr std::uint64_t size() const noexcept { return last > first ? last - first : 0; }
  [[nodiscard]] constexpr bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] constexpr bool is_divisible() const noexcept { return size() > unit(); }
  /// Keeps the lower half, and returns the upper one. Precondition: is_divisible().
  constexpr index_range split() noexcept {
    std::uint64_t const middle = first + units() / 2 * unit();
    index_range const upper{middle, last, grain};
    last = middle;
    return upper;
  }
  /// The number of leaves that it splits into.
  [[nodiscard]] constexpr std::uint64_t leaves() const noexcept { return units(); }
  /// The share of one rank, of whole leaves, as equal as they can be: the shares of all ranks are the range, in the order of the ranks.
  [[nodiscard]] constexpr index_range part(std::uint32_t rank, std::uint32_t ranks) const noexcept {
    std::uint64_t const each = units() / ranks;
    std::uint64_t const longer = units() % ranks;  // so many ranks have one more
    auto const begin = [&](std::uint64_t r) {
      std::uint64_t const before = r * each + std::min<std::uint64_t>(r, longer);
      return before == units() ? std::max(first, last) : first + before * unit();
    };
    return {begin(rank), begin(std::uint64_t{rank} + 1), grain};
  }
  friend bool operator==(index_range const&, index_range const&) = default;

 private:
  [[nodiscard]] constexpr std::uint64_t unit() const noexcept { return std::max<std::uint64_t>(grain, 1); }
  [[nodiscard]] constexpr std::uint64_t units() const noexcept {
    return size() / unit() + (size() % unit() != 0 ? 1 : 0);
  }
};

static_assert(divisible_task<index_range>);

}}  // namespace skua::v0
