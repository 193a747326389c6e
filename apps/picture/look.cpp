// SPDX-License-Identifier: MIT
#include "apps/picture/look.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "apps/picture/svg.hpp"

namespace skua::apps::look {
namespace {

std::string property(std::string_view name, std::string_view value) {
  return "  --" + std::string{name} + ": " + std::string{value} + ";\n";
}

std::string properties(std::string_view name, std::span<rgb const> colours) {
  std::string all;
  for (std::size_t i = 0; i < colours.size(); ++i)
    all += property(std::string{name} + "-" + std::to_string(i), hex_of(colours[i]));
  return all;
}

}  // namespace

rgb worker_colour(std::uint32_t worker, std::uint32_t workers) noexcept {
  if (workers <= few_workers.size()) return few_workers[worker % few_workers.size()];
  double const at = static_cast<double>(worker) / (workers - 1) * static_cast<double>(many_workers.size() - 1);
  std::size_t const low = std::min(static_cast<std::size_t>(at), many_workers.size() - 2);
  rgb mix{};
  for (std::size_t i = 0; i < mix.size(); ++i) {
    double const from = many_workers[low][i];
    mix[i] = static_cast<std::uint8_t>(
        std::lround(from + (many_workers[low + 1][i] - from) * (at - static_cast<double>(low))));
  }
  return mix;
}

std::string css_of_look() {
  std::string light = ":root {\n";
  std::string dark = ":root[data-theme=\"dark\"] {\n";
  for (paint const& p : paints) {
    light += property(p.name, hex_of(p.light));
    dark += property(p.name, hex_of(p.dark));
  }
  light += properties("worker", few_workers) + properties("worker-of-many", many_workers);
  light += property("font", font);
  for (auto const& [name, pixels] : {std::pair{"text-size", text_size},
                                     {"heading-size", heading_size},
                                     {"curve-width", curve_width},
                                     {"dot-size", dot_size},
                                     {"grid-width", grid_width},
                                     {"tick-length", tick_length},
                                     {"bar-height", bar_height}})
    light += property(name, digits_of(pixels) + "px");
  light +=
      property("second-dash", second_dash) + property("third-dash", third_dash) + property("ideal-dash", ideal_dash);
  return light + "}\n" + dark + "}\n";
}

}  // namespace skua::apps::look
