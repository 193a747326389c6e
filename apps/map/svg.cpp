// SPDX-License-Identifier: MIT
// The picture of a task map as SVG, so that its boxes can be counted.
#include "apps/picture/svg.hpp"

#include <algorithm>
#include <cmath>

#include "apps/map/draw.hpp"
#include "apps/map/sheet.hpp"
#include "apps/picture/text.hpp"

namespace skua::apps {
namespace {

/// The gap between a box and its neighbour, so that both are seen: small for a small box.
double gap_of(double side) noexcept { return std::min(0.08 * side, 0.8); }

void add_box(svg& on, map_box const& b, std::uint32_t workers) {
  double const width = b.right - b.left;
  double const height = b.bottom - b.top;
  auto const add = [&](auto const& colour) {
    on.box({b.left, b.top}, width - gap_of(width), height - gap_of(height), colour);
  };
  b.worker == nobody ? add(look::lost) : add(colour_of(b.worker, workers));
}

void add_panel(svg& on, sheet const& s, std::size_t panel, map_iteration const& shown, std::uint32_t workers) {
  on.text({s.left(panel), s.top(panel) - 7}, "iteration " + std::to_string(shown.number), svg::anchor::start,
          {.colour = look::soft});
  on.begin_group("iteration");
  for (map_box const& b : shown.boxes) add_box(on, s.place(panel, b), workers);
  on.end_group();
}

/// A box for every worker, and as many of their numbers as there is room for.
void add_keys(svg& on, sheet const& s, std::uint32_t workers) {
  on.begin_group("workers");
  for (std::uint32_t w = 0; w < workers; ++w) {
    double const left = s.key_left(w);
    add_box(on, {left, s.keys_top, left + s.key_width, s.keys_top + sheet::key_height, w}, workers);
  }
  on.end_group();
  on.text({sheet::margin, s.keys_top - 7}, "worker", svg::anchor::start, {.colour = look::soft});
  double const room = text_width(std::to_string(workers)) + 8;
  auto const every = static_cast<std::uint32_t>(std::ceil(room / s.key_width));
  for (std::uint32_t w = 0; w < workers; w += every) {
    on.text({s.key_left(w) + s.key_width / 2, s.keys_top + sheet::key_height + 15}, std::to_string(w),
            svg::anchor::middle, {.colour = look::soft});
  }
}

void add_key_of_lost(svg& on, sheet const& s) {
  constexpr std::string_view says = "not recorded";
  double const left = s.width - sheet::margin - text_width(says) - 18;
  on.box({left, s.keys_top - 17}, 12, 12, look::lost);
  on.text({left + 18, s.keys_top - 7}, says, svg::anchor::start, {.colour = look::soft});
}

bool has_lost(map_iteration const* shown) { return std::ranges::count(shown->boxes, nobody, &map_box::worker) > 0; }

}  // namespace

std::string to_svg(task_map const& map, map_texts const& texts) {
  constexpr double width = look::picture_width;
  constexpr double line_width = width - 2 * sheet::margin;
  svg drawing;
  svg::point next{sheet::margin, sheet::margin + 12};
  next = drawing.paragraph(next, texts.title, line_width, {.bold = true, .size = look::heading_size});
  next = drawing.paragraph(next, texts.subtitle, line_width, {.colour = look::soft});
  sheet const s(map, {.longest_side = sheet::side_within(width, map),
                      .least_width = width,
                      .head = next.y - sheet::margin - 12,
                      .above_keys = sheet::caption});
  auto const panels = map.panels();
  for (std::size_t i = 0; i < panels.size(); ++i) add_panel(drawing, s, i, *panels[i], map.workers());
  add_keys(drawing, s, map.workers());
  if (std::ranges::any_of(panels, has_lost)) add_key_of_lost(drawing, s);
  return drawing.document(s.width, s.height, texts.title);
}

}  // namespace skua::apps
