// SPDX-License-Identifier: MIT
#include "apps/map/draw.hpp"

#include <algorithm>
#include <cmath>

#include "apps/map/sheet.hpp"
#include "apps/picture/look.hpp"

namespace skua::apps {
namespace {

constexpr double longest_side = 640;

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
  return worker == nobody ? look::lost.light : look::worker_colour(worker, workers);
}

colour_picture to_picture(task_map const& map) {
  // Room for captions is left, as in the picture with texts.
  sheet const s(
      map, {.longest_side = longest_side, .least_width = longest_side / 2, .head = sheet::caption, .above_keys = 0});
  colour_picture shown{.width = static_cast<std::size_t>(std::ceil(s.width)),
                       .height = static_cast<std::size_t>(std::ceil(s.height)),
                       .pixels = {}};
  shown.pixels.assign(shown.width * shown.height, look::card.light);
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

std::string map_file(std::filesystem::path const& file, task_map const& map, map_texts const& texts) {
  return is_svg(file) ? to_svg(map, texts) : to_png(to_picture(map));
}

}  // namespace skua::apps
