// SPDX-License-Identifier: MIT
// Whether a run meets the expectations, and whether that depends on figures that the machine model only assumes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/experiment/study.hpp"

namespace skua::cli {

/// A statement must not depend on unknown figures: it holds only if it holds with the figures as stated and at both
/// ends of their ranges.
enum class standing : std::uint8_t {
  holds,
  at_stated_only,  ///< with the figures as stated, but not at both ends
  fails,           ///< with the figures as stated, for any result at the ends
  not_run,         ///< an interrupt came before all its points were simulated, and the others do not refute it
};
/// "holds", "at the stated values only", "does not hold", "not run".
[[nodiscard]] std::string_view name_of(standing s) noexcept;

/// Whether the value is within the bounds.
[[nodiscard]] bool meets(expectation const& e, double value) noexcept;
/// ">= 0.75", "0.9 to 1.1"
[[nodiscard]] std::string bounds_of(expectation const& e);

/// Those of one panel.
[[nodiscard]] std::vector<expectation const*> expected_of(experiment const& what, std::size_t panel);
/// The points that an expectation compares in a panel: `of` and `over`, or these at each x.
[[nodiscard]] std::vector<point_at> points_of(experiment const& what, expectation const& e, std::size_t panel,
                                              figure_setting const& figures);
/// From these points.
[[nodiscard]] double value_of(expectation const& e, std::vector<measured_point const*> const& points);
/// From the points of the study; nothing unless all needed ones were run.
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

/// The points behind a panel's verdicts: with the figures as stated, and at both ends of the assumed ones.
[[nodiscard]] std::vector<point_at> points_of_verdicts(experiment const& what, std::size_t panel);
/// Of one panel, from the points that the study has run.
[[nodiscard]] std::vector<verdict> verdicts_of(experiment_study const& study, std::size_t panel);

}  // namespace skua::cli
