// SPDX-License-Identifier: MIT
// The picture of a task map as SVG, so that its boxes can be counted.
#include "apps/picture/svg.hpp"

#include <cmath>

#include "apps/map/draw.hpp"
#include "apps/map/sheet.hpp"

namespace skua::apps {
namespace {

void add_box(svg& on, map_box const& b, std::uint32_t workers) {
  on.box({b.left, b.top}, b.right - b.left, b.bottom - b.top, hex_of(colour_of(b.worker, workers)));
}

void add_panel(svg& on, sheet const& s, std::size_t panel, map_iteration const& shown, std::uint32_t workers) {
  on.text({s.left(panel), s.top(panel) - 8}, "iteration " + std::to_string(shown.number));
  on.begin_group("class=\"iteration\" stroke=\"#ffffff\" stroke-width=\"0.4\"");
  for (map_box const& b : shown.boxes) add_box(on, s.place(panel, b), workers);
  on.end_group();
}

/// A box for every worker, and as many of their numbers as there is room for.
void add_keys(svg& on, sheet const& s, std::uint32_t workers) {
  on.begin_group("class=\"workers\"");
  for (std::uint32_t w = 0; w < workers; ++w) {
    double const left = s.key_left(w);
    add_box(on, {left, s.keys_top, left + s.key_width, s.keys_top + sheet::key_height, w}, workers);
  }
  on.end_group();
  auto const every = static_cast<std::uint32_t>(std::ceil(sheet::widest_key / s.key_width));
  for (std::uint32_t w = 0; w < workers; w += every)
    on.text({s.key_left(w), s.keys_top + sheet::key_height + 16}, std::to_string(w));
}

}  // namespace

std::string to_svg(task_map const& map, std::string_view title) {
  sheet const s(map);
  svg drawing;
  drawing.text({sheet::margin, sheet::margin + 12}, title);
  auto const panels = map.panels();
  for (std::size_t i = 0; i < panels.size(); ++i) add_panel(drawing, s, i, *panels[i], map.workers());
  add_keys(drawing, s, map.workers());
  return drawing.document(s.width, s.height, title, 14);
}

}  // namespace skua::apps
