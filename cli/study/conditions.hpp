// SPDX-License-Identifier: MIT
// What else happened on the machine while a part of a study ran: other programs, a host that took processors away, a clock that changed.
#pragma once

#include <string>
#include <vector>

#include "cli/text/report.hpp"

namespace skua::cli {

/// Processor time since the machine started, in the kernel's ticks, from the first line of /proc/stat. All 0: it cannot be read.
struct processor_ticks {
  double all = 0;
  double idle = 0;
  double stolen = 0;  ///< a host ran something else
};
[[nodiscard]] processor_ticks read_ticks(std::string const& first_line);
[[nodiscard]] processor_ticks ticks_now();

/// {"stolen": share of the processors' time, "load_average", "clock_spread"}. `clock_spread`: how much longer the slowest tenth of 40 equal loops
/// of 0.5 ms took than the fastest tenth: the clock's frequency changes, or others use this processor. Cost: 20 ms.
[[nodiscard]] json conditions_since(processor_ticks const& before);

/// Sentences about what makes this machine's figures doubtful: a frequency governor that is not `performance`, no more than one processor, load.
[[nodiscard]] std::vector<std::string> doubts_about_machine(unsigned usable_pus, double load_average);

}  // namespace skua::cli
