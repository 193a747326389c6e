// SPDX-License-Identifier: MIT
// `skua VERB APP [options of the app and of the verb, in any order]`: one subcommand per app.
#pragma once

#include <memory>
#include <vector>

#include "apps/app.hpp"
#include "cli/output.hpp"

namespace CLI {
class App;
}

namespace skua::cli {

class app_words {
 public:
  explicit app_words(CLI::App& verb);
  /// The app that was named; its options are set. Only after parsing.
  [[nodiscard]] apps::app& chosen() const;
  /// The app's own options that were given, as typed: {"n": "4096"}.
  [[nodiscard]] json given() const;

 private:
  struct choice {
    CLI::App* words;
    std::unique_ptr<apps::app> app;
  };
  [[nodiscard]] choice const& chosen_one() const;
  std::vector<choice> choices_;
};

}  // namespace skua::cli
