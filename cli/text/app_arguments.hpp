// SPDX-License-Identifier: MIT
// An app and its options as typed: `skua SUBCOMMAND APP [options of both, in any order]`, or a name and a line of
// options.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apps/app.hpp"
#include "cli/text/command.hpp"
#include "cli/text/report.hpp"

namespace skua::cli {

/// The apps as subcommands of a subcommand.
class app_arguments {
 public:
  explicit app_arguments(parser command);
  /// The app that was named; its options are set. Only after parsing.
  [[nodiscard]] apps::app& chosen() const;
  /// The app's own options that were given, as typed: {"n": "4096"}.
  [[nodiscard]] json given() const;

 private:
  struct choice {
    parser command;
    std::unique_ptr<apps::app> app;
  };
  [[nodiscard]] choice const& chosen_one() const;
  std::vector<choice> choices_;
};

/// The names of all apps for which this holds.
[[nodiscard]] std::vector<std::string_view> apps_that(bool (*holds)(apps::app&));

/// The app with its options set, not prepared; of an option that is given twice the last value counts. Throws
/// usage_error for an app or option that does not exist.
[[nodiscard]] std::unique_ptr<apps::app> make_app(std::string const& name, std::string const& options);

}  // namespace skua::cli
