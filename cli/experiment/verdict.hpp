// SPDX-License-Identifier: MIT
// Does a run meet the expectations, and does that depend on what the machine model only assumes?
#pragma once

#include <array>
#include <string>
#include <vector>

#include "cli/experiment/study.hpp"

namespace skua::cli {

/// One expectation in one panel.
struct verdict {
  expectation const* of = nullptr;
  std::string panel;
  double value = 0;  ///< with the model's figures as stated
  double low = 0;    ///< with every assumed figure at the low end of its range
  double high = 0;   ///< ... at its high end
  bool holds = false;
};

/// Of one panel. Runs what has not been run yet, also at both ends of the assumed figures.
[[nodiscard]] std::vector<verdict> verdicts_of(experiment_study& study, std::size_t panel);

}  // namespace skua::cli
