// SPDX-License-Identifier: MIT
// The statistics of each worker during some runs, and what the policy has chosen (--stats).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/measure/breakdown.hpp"
#include "cli/measure/choices.hpp"
#include "cli/text/report.hpp"
#include "skua/machine/threads/face/pool.hpp"

namespace skua::cli {

class statistics {
 public:
  /// The counters of the pool's workers since they were `before`; their times in these runs only.
  statistics(pool const& workers, std::span<worker_counters const> before, std::span<breakdown const> runs);

  /// One object per worker.
  [[nodiscard]] json counters() const { return report_.rows(); }
  /// One object per call site: what the pool's policy has chosen so far.
  [[nodiscard]] json choices() const { return choices_.rows(); }
  /// A table with a row per worker and one for all of them, and one with a row per call site, if there is any.
  [[nodiscard]] std::string as_text() const { return report_.text("  ") + legend_ + choices_text(choices_); }

 private:
  report report_;
  std::string legend_;
  report choices_;
};

}  // namespace skua::cli
