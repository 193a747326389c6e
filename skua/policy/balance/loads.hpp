// SPDX-License-Identifier: MIT
// The plain values of persistence-based balancing: what a task took in the last iteration, who offers it, where it goes.
// Every balancer, and the machine that carries its messages, uses these and nothing else. balance.md tells the whole.
// [retentive-hpdc12 5]
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace skua { inline namespace v0 { namespace policies { namespace balance {

/// Nanoseconds, or any other unit of work as long as all ranks use the same.
using load_ns = std::uint64_t;

/// Sums stop at 2^64 - 1 ns, 584 years, instead of starting again at 0.
[[nodiscard]] constexpr load_ns plus(load_ns a, load_ns b) noexcept {
  return a > std::numeric_limits<load_ns>::max() - b ? std::numeric_limits<load_ns>::max() : a + b;
}

/// A task that a rank executed: its index there, which is any number that the rank knows it by, and its duration.
struct measured_task {
  std::uint32_t task = 0;
  load_ns load = 0;
  friend bool operator==(measured_task const&, measured_task const&) = default;
};

/// A task that another rank may take. This description travels through the balancer; the task itself goes once, from
/// donor to receiver.
struct donated_task {
  std::uint32_t donor = 0;  ///< rank
  std::uint32_t task = 0;   ///< its index there
  load_ns load = 0;
  friend bool operator==(donated_task const&, donated_task const&) = default;
};
static_assert(std::is_trivially_copyable_v<donated_task> && sizeof(donated_task) == 16);

/// Longest first; equal ones by donor and index, so that every rank that sorts them sees the same order.
[[nodiscard]] constexpr bool longer(donated_task const& a, donated_task const& b) noexcept {
  if (a.load != b.load) return a.load > b.load;
  return a.donor != b.donor ? a.donor < b.donor : a.task < b.task;
}

/// A task that moves before the next iteration.
struct migration {
  std::uint32_t donor = 0;     ///< rank
  std::uint32_t task = 0;      ///< its index there
  std::uint32_t receiver = 0;  ///< rank, not `donor`
  friend bool operator==(migration const&, migration const&) = default;
};

/// For functions that do the steps of all ranks: `loads[rank][task index]`.
using machine_loads = std::vector<std::vector<load_ns>>;

}}}}  // namespace skua::v0::policies::balance
