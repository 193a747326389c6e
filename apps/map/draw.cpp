// SPDX-License-Identifier: MIT
#include "apps/map/draw.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "apps/map/sheet.hpp"

namespace skua::apps {
namespace {

constexpr rgb white{255, 255, 255};
constexpr rgb grey{176, 176, 176};

/// Full colours are hard on the eye and hide the lines between leaves.
constexpr double strength = 0.78;
constexpr double brightness = 0.92;

/// The share of a primary colour that is purest at `at` degrees of the colour wheel.
double share_of(double hue, double at) noexcept {
  double const apart = std::abs(std::remainder(hue - at, 360.0));
  return std::clamp(2 - apart / 60, 0.0, 1.0);
}

/// Paints the pixels whose centres are in the box. Boxes of six pixels or more leave a pixel to their neighbours.
void paint(colour_picture& on, map_box const& b, rgb colour) {
  auto const first = [](double from) { return static_cast<std::size_t>(std::max(0.0, std::ceil(from - 0.5))); };
  auto const end = [&first](double from, double to, std::size_t most) {
    return std::min(first(to - (to - from >= 6 ? 1 : 0)), most);
  };
  std::size_t const right = end(b.left, b.right, on.width);
  std::size_t const bottom = end(b.top, b.bottom, on.height);
  for (std::size_t y = first(b.top); y < bottom; ++y) {
    for (std::size_t x = first(b.left); x < right; ++x) on.pixels[y * on.width + x] = colour;
  }
}

bool is_svg(std::filesystem::path const& file) { return lower_extension(file) == ".svg"; }

}  // namespace

rgb colour_of(std::uint32_t worker, std::uint32_t workers) noexcept {
  if (worker == nobody) return grey;
  double const along = workers < 2 ? 0 : static_cast<double>(worker) / static_cast<double>(workers - 1);
  double const hue = 240 * (1 - along);
  std::array const primaries{0.0, 120.0, 240.0};
  rgb colour{};
  for (std::size_t i = 0; i < 3; ++i) {
    double const amount = brightness * (1 - strength * (1 - share_of(hue, primaries[i])));
    colour[i] = static_cast<std::uint8_t>(std::lround(255 * amount));
  }
  return colour;
}

colour_picture to_picture(task_map const& map) {
  sheet const s(map);
  colour_picture shown{.width = static_cast<std::size_t>(std::ceil(s.width)),
                       .height = static_cast<std::size_t>(std::ceil(s.height)),
                       .pixels = {}};
  shown.pixels.assign(shown.width * shown.height, white);
  auto const panels = map.panels();
  for (std::size_t i = 0; i < panels.size(); ++i) {
    for (map_box const& b : panels[i]->boxes) paint(shown, s.place(i, b), colour_of(b.worker, map.workers()));
  }
  for (std::uint32_t w = 0; w < map.workers(); ++w) {
    double const left = s.key_left(w);
    paint(shown, {left, s.keys_top, left + s.key_width, s.keys_top + sheet::key_height, w},
          colour_of(w, map.workers()));
  }
  return shown;
}

void require_map_name(std::string_view option, std::filesystem::path const& file) {
  require_file_name(option, file, {".svg", ".png"});
}

std::string map_file(std::filesystem::path const& file, task_map const& map, std::string_view title) {
  return is_svg(file) ? to_svg(map, title) : to_png(to_picture(map));
}

}  // namespace skua::apps
