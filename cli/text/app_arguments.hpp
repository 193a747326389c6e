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
  /// Throws usage_error for the first given option of the app's own that counts in none of the ways in which the app runs
  /// (apps/ways.hpp): "--hints is given with --peer serial; allowed: one of them, because WHY". `typed` is what asked for
  /// these ways; `peer_option` names a peer, where the command has such an option.
  void refuse_unused(apps::ways in_use, std::string_view typed, std::string_view peer_option = {}) const;

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

/// The app with its options set, for simulations, not prepared; of an option that is given twice the last value counts.
/// Throws usage_error for an app or option that does not exist, and for an option that counts for nothing.
[[nodiscard]] std::unique_ptr<apps::app> make_app(std::string const& name, std::string const& options);

}  // namespace skua::cli
