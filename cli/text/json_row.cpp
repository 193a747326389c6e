// SPDX-License-Identifier: MIT
#include "cli/text/json_row.hpp"

#include <algorithm>
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

std::vector<named_cell> row_of(common_keys const& common, std::vector<named_cell> more, common_heads const& heads) {
  cell const time = common.median_s ? cell::seconds(*common.median_s) : cell{nullptr, "-"};
  std::vector<named_cell> all{{"runner", heads.runner, cell::of(common.runner), false},
                              {"workers", heads.workers, cell::of(common.workers)},
                              {"median_s", heads.median, time},
                              {"verified", heads.verified, verified_cell(common.verified), false},
                              {"simulated", "", cell::of(common.simulated)}};
  std::ranges::move(more, std::back_inserter(all));
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
