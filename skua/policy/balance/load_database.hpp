// SPDX-License-Identifier: MIT
// What one rank measured in an iteration: the duration of each task that it executed, sorted well enough to find the
// shortest.
//
// Times are rounded and tasks of about the same duration share a bin, so a task costs its index and a link however long it
// took: Theta(n) + b memory for n tasks and b bins [retentive-hpdc12 5]. There are eight bins to a factor of two, and a task
// counts as the geometric middle of its bin: at most a factor of 2^(1/16), 5 % with the rounding to whole nanoseconds.
// Bins of a fixed width would make all short tasks alike. In exact mode each task keeps its own time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "skua/policy/balance/loads.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance {

class load_database {
 public:
  enum class detail : std::uint8_t { binned, exact };
  explicit load_database(detail d = detail::binned) noexcept : exact_(d == detail::exact) {}

  /// Adds a task that took `ns`, under its index. A task that ran twice is added twice. `ns` may be any time; the sum
  /// of a rank stays below 2^64 ns, and a time beyond that is cut. Cost: O(1), amortised.
  void add(std::uint32_t task, load_ns ns);

  /// The sum of the times that were added, not rounded, less the loads of what was removed; 0 when nothing is left.
  [[nodiscard]] load_ns total() const noexcept { return total_; }
  [[nodiscard]] std::size_t tasks() const noexcept { return tasks_; }
  [[nodiscard]] bool empty() const noexcept { return tasks_ == 0; }

  /// Removes the task of the shortest bin, or the shortest task, and returns it with the load that the database assumes
  /// for it. Returns nothing if the database is empty. Cost: O(1) binned, and exact O(n log n) for the first of many,
  /// all amortised.
  std::optional<measured_task> remove_shortest();

  /// All tasks, shortest first, with the loads that remove_shortest would give. Cost: O(n log n).
  [[nodiscard]] std::vector<measured_task> shortest_first() const;

  /// Forgets all tasks and keeps the memory for the next iteration.
  void clear() noexcept;

  /// Memory in use for tasks and bins.
  [[nodiscard]] std::size_t bytes() const noexcept;

  /// The load that a binned database gives to a task of this duration.
  [[nodiscard]] static load_ns rounded(load_ns ns) noexcept;

 private:
  /// A task of a bin and the next one of the same bin; links are positions in links_ plus 1, and 0 ends the list.
  struct link {
    std::uint32_t task;
    std::uint32_t next;
  };
  std::optional<measured_task> remove_from_bins();
  std::optional<measured_task> remove_exact();

  bool exact_;
  load_ns total_ = 0;
  std::size_t tasks_ = 0;

  std::vector<std::uint32_t> bins_;  ///< the first link of each bin, up to the longest that was ever used
  std::vector<link> links_;
  std::size_t lowest_ = 0;  ///< no bin below this has a task

  std::vector<measured_task> tail_;  ///< exact: longest first as far as `sorted_`, so that the shortest is last
  bool sorted_ = true;
};

}}}}  // namespace skua::v0::policies::balance
