// SPDX-License-Identifier: MIT
#include "cli/report/title.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "apps/app.hpp"
#include "cli/text/report.hpp"
#include "skua/parts/base/printable.hpp"

namespace skua::cli::traced {
namespace {

std::string file_of(std::string const& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

std::string app_of(run const& of) {
  std::vector<std::string> const& words = of.how.arguments;
  if (words.size() > 2 && file_of(words[0]) == "skua" && (words[1] == "run" || words[1] == "sim")) {
    auto const is_app = [](std::string const& word) {
      return std::ranges::find(apps::all(), word, &apps::entry::name) != apps::all().end();
    };
    if (auto const found = std::ranges::find_if(words, is_app); found != words.end()) return *found;
  }
  return runtime::printable(file_of(of.program));
}

std::string title_of(run const& of) {
  std::vector<std::string> all;
  if (std::string const app = app_of(of); !app.empty()) all.push_back(app);
  if (!of.policy.empty()) all.push_back(of.policy);
  if (of.ranks > 1) all.push_back(in_words(of.ranks, "rank"));
  if (!of.workers.empty()) all.push_back(in_words(of.workers.size(), "worker"));
  return fmt::format("{}", fmt::join(all, ", "));
}

}  // namespace skua::cli::traced
