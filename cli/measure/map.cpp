// SPDX-License-Identifier: MIT
#include "cli/map_words.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "apps/map/draw.hpp"
#include "cli/names.hpp"
#include "cli/report.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::cli {

apps::mapped& maps_of(apps::app& a, std::string_view option) {
  if (auto* const maps = a.maps()) return *maps;
  std::vector<std::string_view> able;
  for (apps::entry const& e : apps::all()) {
    if (e.make()->maps() != nullptr) able.push_back(e.name);
  }
  throw usage_error(fmt::format("{}: {} cannot draw itself; apps that can: {}", option, a.name(), joined(able)));
}

map_target::map_target(std::string where) : where_(std::move(where)) {
  if (!wanted()) return;
  try {
    apps::require_map_name(where_);
  } catch (usage_error const& refused) {
    throw usage_error(fmt::format("--map {}", refused.what()));
  }
  require_writable(where_);
}

void map_target::write(apps::task_map const& map, std::string_view app, runner const& who) const {
  if (!wanted()) return;
  std::string const title = fmt::format("{}: which worker ran which leaf, on {}; overlap of consecutive iterations {}",
                                        app, name_of(who), overlap_as_text(map));
  write_to_file(where_, apps::map_file(where_, map, title));
}

std::string map_target::to_text(apps::task_map const& map) const {
  std::string said = fmt::format("  map     {}: {} iterations", where_, map.iterations());
  if (map.overlap()) said += fmt::format(", overlap of consecutive ones {}", overlap_as_text(map));
  if (map.lost() > 0) said += fmt::format("; INCOMPLETE, no memory for {} leaves", map.lost());
  return said + "\n";
}

json overlap_as_json(apps::task_map const& map) {
  auto const share = map.overlap();
  return share ? json(*share) : json();
}

std::string overlap_as_text(apps::task_map const& map) {
  auto const share = map.overlap();
  return share ? fmt::format("{:.3f}", *share) : "-";
}

}  // namespace skua::cli
