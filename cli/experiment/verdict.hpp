// SPDX-License-Identifier: MIT
// Does a run meet the expectations, and does that depend on what the machine model only assumes?
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/experiment/study.hpp"

namespace skua::cli {

/// Whether a statement holds does not depend on figures that nobody knows: only what holds with the figures as stated and at
/// both ends of their ranges counts as holding.
enum class standing : std::uint8_t {
  holds,
  at_stated_only,  ///< with the figures as stated, but not at both ends
  fails,           ///< with the figures as stated, whatever the ends say
};
/// "holds", "at the stated values only", "does not hold".
[[nodiscard]] std::string_view name_of(standing s) noexcept;

/// Whether the value is within the bounds.
[[nodiscard]] bool meets(expectation const& e, double value) noexcept;

/// Those of one panel.
[[nodiscard]] std::vector<expectation const*> expected_of(experiment const& what, std::size_t panel);
/// What an expectation compares in a panel: `of` and `over`, or all points along x.
[[nodiscard]] std::vector<point_at> points_of(experiment const& what, expectation const& e, std::size_t panel,
                                              figure_setting const& figures);
/// From these points.
[[nodiscard]] double value_of(expectation const& e, std::vector<measured_point const*> const& points);

/// One expectation in one panel.
struct verdict {
  expectation const* of = nullptr;
  std::string panel;
  double value = 0;  ///< with the model's figures as stated
  double low = 0;    ///< with every assumed figure at the low end of its range
  double high = 0;   ///< ... at its high end

  [[nodiscard]] standing stands() const noexcept;
};

/// Of one panel. Runs what has not been run yet, also at both ends of the assumed figures.
[[nodiscard]] std::vector<verdict> verdicts_of(experiment_study& study, std::size_t panel);

}  // namespace skua::cli
