// SPDX-License-Identifier: MIT
// The task map on the command line: --map FILE of run, --map-overlap of compare.
#pragma once

#include <string>
#include <string_view>

#include "apps/app.hpp"
#include "cli/measure/runner.hpp"
#include "cli/text/report.hpp"

namespace skua::cli {

/// The app's maps. Throws usage_error that names `option` if the app has none.
[[nodiscard]] apps::mapped& maps_of(apps::app& a, std::string_view option);

/// The value of --map: nowhere (empty), or the name of a picture.
class map_target {
 public:
  /// Throws usage_error for a name that is no picture's, resource_error if the file cannot be written. Writes nothing.
  explicit map_target(std::string path);

  [[nodiscard]] bool wanted() const noexcept { return !path_.empty(); }
  /// Throws resource_error.
  /// `speeds`: of the workers' cores if they differ, as text.
  void write(apps::task_map const& map, std::string_view app, runner const& who, std::string const& speeds = {}) const;
  /// For people: what the picture shows, and the overlap.
  [[nodiscard]] std::string to_text(apps::task_map const& map, std::string const& speeds = {}) const;

 private:
  std::string path_;
};

/// The share of work that stayed on its worker: null and "-" if there were no two iterations.
[[nodiscard]] cell overlap_of(apps::task_map const& map);
/// Each worker's share of the work, a list; as text the largest.
[[nodiscard]] cell shares_of(apps::task_map const& map);
/// "0: 52%, 1: 48%", or of more than 16 workers the least and the largest.
[[nodiscard]] std::string shares_text(apps::task_map const& map);

}  // namespace skua::cli
