// SPDX-License-Identifier: MIT
#include "cli/experiment/app_of_words.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <vector>

#include "cli/complaint.hpp"
#include "cli/names.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::cli {

std::unique_ptr<apps::app> app_of_words(std::string const& name, std::string const& options) {
  auto const at = std::ranges::find(apps::all(), name, &apps::entry::name);
  if (at == apps::all().end()) {
    std::vector<std::string_view> names;
    for (apps::entry const& e : apps::all()) names.push_back(e.name);
    throw usage_error(unknown("app", name, names));
  }
  auto app = at->make();
  CLI::App words("", name);
  app->options(words);
  // A series says again what its panel says: the last word counts.
  for (CLI::Option* const o : words.get_options()) o->take_last();
  try {
    words.parse(options, false);
  } catch (CLI::ParseError const& fault) {
    throw usage_error(fmt::format("{} {}: {}", name, options, complaint_of(words, fault)));
  }
  return app;
}

}  // namespace skua::cli
