// SPDX-License-Identifier: MIT
// Which worker wrote which memory in which iteration, and how much of it kept its worker. [adws-sc19 1, Figure 1]
//
// An item is the block that a leaf names. Where every item runs in every iteration, overlap is that of
// apps/map/task_map.hpp: bytes of items that have the same worker as in the iteration before, over the bytes of all items. A
// program that alternates between two arrays writes each item in every other iteration, so an item is compared with the
// last iteration in which it ran; an item that never ran before is not compared.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cli/report/iterations.hpp"

namespace skua::cli::traced {

inline constexpr std::uint32_t nobody = 0xffff'ffff;

struct owner_picture {
  std::vector<std::int64_t> numbers;     ///< of the iterations that are columns: evenly chosen, with first and last
  std::vector<std::uint64_t> addresses;  ///< where each row begins
  std::vector<std::uint32_t> owners;     ///< row x columns + column: who ran most of its bytes last, or nobody
};

struct task_map {
  std::size_t items = 0;
  std::uint64_t bytes = 0;                      ///< of all items together, each counted once
  std::vector<std::optional<double>> overlaps;  ///< per iteration; unset: nothing to compare with
  owner_picture picture;

  /// The mean over the iterations that have one.
  [[nodiscard]] std::optional<double> overlap() const noexcept;
};

/// Rows share the bytes equally, in the order of addresses. Empty (items == 0) if no leaf says what it writes.
[[nodiscard]] task_map map_tasks(run const& of, std::vector<iteration> const& all, std::size_t most_rows,
                                 std::size_t most_columns);

}  // namespace skua::cli::traced
