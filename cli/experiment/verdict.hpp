// SPDX-License-Identifier: MIT
// Does a run meet the expectations, and does that depend on what the machine model only assumes?
#pragma once

#include <cstdint>
#include <optional>
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
  not_run,         ///< an interrupt came before all that it needs was simulated, and what was does not refute it
};
/// "holds", "at the stated values only", "does not hold", "not run".
[[nodiscard]] std::string_view name_of(standing s) noexcept;

/// Whether the value is within the bounds.
[[nodiscard]] bool meets(expectation const& e, double value) noexcept;
/// ">= 0.75", "0.9 to 1.1"
[[nodiscard]] std::string bounds_of(expectation const& e);

/// Those of one panel.
[[nodiscard]] std::vector<expectation const*> expected_of(experiment const& what, std::size_t panel);
/// What an expectation compares in a panel: `of` and `over`, or all points along x.
[[nodiscard]] std::vector<point_at> points_of(experiment const& what, expectation const& e, std::size_t panel,
                                              figure_setting const& figures);
/// From these points.
[[nodiscard]] double value_of(expectation const& e, std::vector<measured_point const*> const& points);
/// From the points of the study; none unless all that it needs were run.
[[nodiscard]] std::optional<double> value_if_known(experiment_study const& study, expectation const& e,
                                                   std::size_t panel, figure_setting const& setting);

/// One expectation in one panel.
struct verdict {
  expectation const* of = nullptr;
  std::string panel;
  std::optional<double> value = {};  ///< with the model's figures as stated; all three unset if not run
  std::optional<double> low = {};    ///< with every assumed figure at the low end of its range
  std::optional<double> high = {};   ///< ... at its high end

  [[nodiscard]] standing stands() const noexcept;
};

/// What the verdicts of a panel rest on: with the figures as stated, and at both ends of the assumed ones.
[[nodiscard]] std::vector<point_at> points_of_verdicts(experiment const& what, std::size_t panel);
/// Of one panel, from the points that the study has run.
[[nodiscard]] std::vector<verdict> verdicts_of(experiment_study const& study, std::size_t panel);

}  // namespace skua::cli
