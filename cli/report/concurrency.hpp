// SPDX-License-Identifier: MIT
// How many workers worked at once, and how the run ended: this tells a serial part and a long last task from general
// idling.
#pragma once

#include <cstdint>
#include <vector>

#include "cli/report/activity.hpp"

namespace skua::cli::traced {

struct concurrency {
  std::vector<std::uint64_t> ns_with;  ///< ns_with[k]: k workers worked; k = 0 .. workers; while all of them are known
  std::uint64_t unknown_ns = 0;        ///< what at least one worker did is unknown
  std::uint64_t tail_ns =
      0;  ///< at the end of the work: one worker worked, the others had finished; 0 if the end is unknown
  std::uint32_t tail_task = no_task;  ///< the task that ran longest in there

  /// During which all workers are known.
  [[nodiscard]] std::uint64_t known_ns() const noexcept;
  /// A part of the known time, as the mean is.
  [[nodiscard]] double share_with(std::size_t workers) const noexcept;
  [[nodiscard]] double mean() const noexcept;
  /// Of all workers' time: that in which a worker does not work while at least two others do.
  [[nodiscard]] double idle_beside_several() const noexcept;
};

/// O(segments log segments).
[[nodiscard]] concurrency concurrency_of(history const& h);

}  // namespace skua::cli::traced
