// SPDX-License-Identifier: MIT
#include "cli/text/json_row.hpp"

#include <iterator>
#include <utility>

#include "cli/text/interrupt.hpp"

namespace skua::cli {
namespace {

cell verified_cell(std::optional<bool> answer) {
  if (!answer) return {nullptr, "not checked"};
  return {*answer, *answer ? "yes" : "NO"};
}

}  // namespace

report row_report(common_heads const& heads, std::vector<report::column> more) {
  report all({{"runner", heads.runner, false},
              {"workers", heads.workers},
              {"median_s", heads.median},
              {"verified", heads.verified, false},
              {"simulated", ""}});
  for (report::column& c : more) all.add_column(std::move(c));
  return all;
}

std::vector<cell> row_of(common_keys const& common, std::vector<cell> more) {
  std::vector<cell> all{cell::of(common.runner), cell::of(common.workers),
                        common.median_s ? cell::seconds(*common.median_s) : cell{nullptr, "-"},
                        verified_cell(common.verified), cell::of(common.simulated)};
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  return all;
}

json document_of(std::string_view subcommand, std::string_view app, json options, bool simulated) {
  return {{"subcommand", subcommand},
          {"app", app},
          {"options", std::move(options)},
          {"simulated", simulated},
          {"interrupted", interrupted()}};
}

}  // namespace skua::cli
