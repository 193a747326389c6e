// SPDX-License-Identifier: MIT
// The task map on the command line: --map FILE of run, --map-overlap of compare.
#pragma once

#include <string>
#include <string_view>

#include "apps/app.hpp"
#include "cli/measure.hpp"
#include "cli/output.hpp"
#include "cli/runner.hpp"

namespace skua::cli {

/// The app's maps. Throws usage_error, with `option` as its culprit, if it draws none.
[[nodiscard]] apps::mapped& maps_of(apps::app& a, std::string_view option);

/// The value of --map: nowhere (empty), or a picture's name.
class map_target {
 public:
  /// Throws usage_error for a name that is no picture's, resource_error if the file could not be written. Writes nothing.
  explicit map_target(std::string where);

  [[nodiscard]] bool wanted() const noexcept { return !where_.empty(); }
  /// Throws resource_error.
  void write(apps::task_map const& map, std::string_view app, runner const& who) const;
  /// For people: what was drawn, and how much of it came home.
  [[nodiscard]] std::string to_text(apps::task_map const& map) const;

 private:
  std::string where_;
};

/// A share, or null if there were no two iterations.
[[nodiscard]] json overlap_as_json(apps::task_map const& map);
/// "0.987"; "-" if there were no two iterations.
[[nodiscard]] std::string overlap_as_text(apps::task_map const& map);

}  // namespace skua::cli
