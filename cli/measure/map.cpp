// SPDX-License-Identifier: MIT
#include "cli/measure/map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "apps/map/draw.hpp"
#include "cli/text/app_arguments.hpp"
#include "cli/text/option_values.hpp"
#include "cli/text/output.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::cli {

apps::mapped& maps_of(apps::app& a, std::string_view option) {
  if (auto* const maps = a.maps()) return *maps;
  auto const able = apps_that([](apps::app& other) { return other.maps() != nullptr; });
  throw usage_error(fmt::format("{} is given for {}; allowed: for the apps {}", option, a.name(), joined(able)));
}

map_target::map_target(std::string path) : path_(std::move(path)) {
  if (!wanted()) return;
  apps::require_map_name("--map", path_);
  require_writable(path_);
}

void map_target::write(apps::task_map const& map, std::string_view app, runner const& who,
                       std::string const& speeds) const {
  if (!wanted()) return;
  apps::map_texts texts{.title = fmt::format("{}: which worker ran which leaf", app), .subtitle = who.full_name()};
  if (map.overlap()) texts.subtitle += fmt::format("; overlap of consecutive iterations {}", overlap_of(map).text);
  if (!speeds.empty()) texts.subtitle += "; " + speeds;
  write_to_file(path_, apps::map_file(path_, map, texts));
}

std::string map_target::to_text(apps::task_map const& map, std::string const& speeds) const {
  std::string text = fmt::format("  map     {}: {}", path_, in_words(map.iterations(), "iteration"));
  if (map.overlap()) text += fmt::format(", overlap of consecutive ones {}", overlap_of(map).text);
  if (map.lost() > 0) text += fmt::format("; INCOMPLETE, no memory for {} leaves", map.lost());
  return text + fmt::format("\n  shares  of the work by worker: {}{}\n", shares_text(map),
                            speeds.empty() ? "" : "; " + speeds);
}

cell overlap_of(apps::task_map const& map) {
  auto const share = map.overlap();
  return share ? cell{*share, fmt::format("{:.3f}", *share)} : cell::ratio(std::nullopt);
}

cell shares_of(apps::task_map const& map) {
  std::vector<double> const all = map.shares();
  return {all, in_percent(all.empty() ? 0 : std::ranges::max(all), 0)};
}

std::string shares_text(apps::task_map const& map) {
  constexpr std::size_t most_in_a_line = 16;
  std::vector<double> const all = map.shares();
  if (all.size() > most_in_a_line) {
    auto const [least, most] = std::ranges::minmax_element(all);
    return fmt::format("{} (worker {}) to {} (worker {})", in_percent(*least), least - all.begin(), in_percent(*most),
                       most - all.begin());
  }
  std::string text;
  for (std::size_t w = 0; w < all.size(); ++w)
    text += fmt::format("{}{}: {}", w == 0 ? "" : ", ", w, in_percent(all[w], 0));
  return text;
}

}  // namespace skua::cli
