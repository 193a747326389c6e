// SPDX-License-Identifier: MIT
// `skua VERB APP [options of the app and of the verb, in any order]`: one subcommand per app.
#pragma once

#include <memory>
#include <vector>

#include "apps/app.hpp"

namespace CLI {
class App;
}

namespace skua::cli {

class app_words {
 public:
  explicit app_words(CLI::App& verb);
  /// The app that was named; its options are set. Only after parsing.
  [[nodiscard]] apps::app& chosen() const;

 private:
  struct choice {
    CLI::App* words;
    std::unique_ptr<apps::app> app;
  };
  std::vector<choice> choices_;
};

}  // namespace skua::cli
