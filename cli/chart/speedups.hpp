// SPDX-License-Identifier: MIT
// Speed-ups over workers as SVG: what runs reached, the ideal, and what bounds them. The name of each line stands at its
// end, so nobody has to look up a legend.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/chart/chart.hpp"

namespace skua::cli {

/// What runs with so many workers reached.
struct speedup_point {
  std::uint32_t workers = 1;
  double median = 0;
  double least = 0;  ///< if they differ: drawn as a stroke
  double most = 0;
};

struct speedup_curve {
  std::string name;
  std::vector<speedup_point> points;  ///< workers ascending
};

/// The same for any number of workers.
struct speedup_bound {
  std::string name;
  double speedup = 0;
};

/// Both axes begin at 0. Points whose median is not finite are left out; a bound more than twice as high as all else becomes a note.
[[nodiscard]] std::string speedup_chart(chart_texts texts, std::vector<speedup_curve> const& curves,
                                        std::vector<speedup_bound> const& bounds);

/// Positions in the order of those wanted (ascending), at least `gap` apart, from `first` to `last`, and as near to those
/// wanted as that allows. There is room for all.
[[nodiscard]] std::vector<double> spread_out(std::vector<double> const& wanted, double gap, double first, double last);

}  // namespace skua::cli
