// SPDX-License-Identifier: MIT
// Software topology addresses: the position of a task's data in the program's own space, on a line from 0 to 1. Tasks
// with the same address work on the same data, tasks with close addresses on close data. [arms-2021 3.1]
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace skua { inline namespace v0 { namespace runtime {

/// A position in units of 2^-32 of the line. Every machine maps the line to its own workers. As a hint it holds for one
/// task, and for the tasks that this task spawns or forks without an address of their own.
struct address {
  std::uint32_t fraction;

  /// The position x, clipped to [0, 1); a NaN is 0.
  [[nodiscard]] static constexpr address at(double x) noexcept {
    constexpr double all = 4294967296.0;
    constexpr std::uint32_t last = 0xffff'fffeU;  // 0xffff'ffff stands for no address
    if (!(x > 0)) return {0};
    return {x * all < last ? static_cast<std::uint32_t>(x * all) : last};
  }
  /// The middle of element i of n on the line, such as a block of an array or a chain of tasks. Precondition: i < n.
  [[nodiscard]] static constexpr address of(std::uint64_t i, std::uint64_t n) noexcept {
    return at((static_cast<double>(i) + 0.5) / static_cast<double>(n));
  }
  /// The position in Z order of cell {x, y} of {nx, ny}, {x, y, z} of {nx, ny, nz}, or block {i, j} of {rows, columns}
  /// (space_filling_curve.hpp).
  template <std::integral T, std::integral U, std::size_t D>
  [[nodiscard]] static constexpr address morton(T const (&cell)[D], U const (&extents)[D]) noexcept;
  /// The same along Hilbert's curve: neighbours on the line are neighbours in the grid.
  template <std::integral T, std::integral U, std::size_t D>
  [[nodiscard]] static constexpr address hilbert(T const (&cell)[D], U const (&extents)[D]) noexcept;

  friend constexpr bool operator==(address, address) noexcept = default;
};

/// The function that a task runs, as a number, and whether the task may run on several workers. arms models the times
/// of tasks per type. [arms-2021 3.3]
struct task_type {
  std::uint16_t number;
  std::uint16_t moldable = 0;  ///< 1: it may run as a team. Flows add `on_critical_path`
  friend constexpr bool operator==(task_type, task_type) noexcept = default;
};

/// The type of a task that may run as a team.
[[nodiscard]] constexpr task_type as_team(task_type t) noexcept {
  t.moldable |= 1;
  return t;
}
/// For `task_type::moldable`: the task is a node on the critical path of its flow. Set for policies that ask for it.
inline constexpr std::uint16_t on_critical_path = 2;

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

using runtime::address;
using runtime::task_type;

}}  // namespace skua::v0
