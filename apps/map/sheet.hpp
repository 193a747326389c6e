// SPDX-License-Identifier: MIT
// The layout of a map's picture, in pixels: panels side by side, or one below the other if they are wide, each with a
// caption above it, and the workers at the bottom.
#pragma once

#include <algorithm>
#include <cstddef>

#include "apps/map/task_map.hpp"

namespace skua::apps {

struct sheet {
  static constexpr double margin = 16;
  static constexpr double caption = 24;  ///< height of a line of text
  static constexpr double widest_key = 40;
  static constexpr double key_height = 16;

  struct room {
    double longest_side;  ///< of a panel
    double least_width;
    double head;        ///< height above the captions of the first panels
    double above_keys;  ///< for a text
  };

  sheet(task_map const& map, room const& r) noexcept
      : scale(r.longest_side / std::max({map.width(), map.height(), 1e-9})), panel_width(map.width() * scale),
        panel_height(map.height() * scale), panels(map.panels().size()), stacked(is_stacked(map)),
        first_top(margin + r.head + caption) {
    double const across = stacked ? 1 : static_cast<double>(panels);
    double const down = stacked ? static_cast<double>(panels) : 1;
    width = std::max(margin + across * (panel_width + margin), r.least_width);
    keys_top = margin + r.head + r.above_keys + down * (panel_height + caption + margin);
    height = keys_top + key_height + caption + margin;
    key_width = std::min(widest_key, (width - 2 * margin) / std::max(1.0, static_cast<double>(map.workers())));
  }

  /// The longest side with which panels fill this width, and are not higher than wide.
  [[nodiscard]] static double side_within(double width, task_map const& map) noexcept {
    double const across = is_stacked(map) ? 1 : std::max(1.0, static_cast<double>(map.panels().size()));
    double const panel = (width - (across + 1) * margin) / across;
    return map.width() < map.height() ? std::min(panel * map.height() / std::max(map.width(), 1e-9), width) : panel;
  }

  /// The upper left corner of a panel, below its caption.
  [[nodiscard]] double left(std::size_t panel) const noexcept {
    return margin + (stacked ? 0 : static_cast<double>(panel) * (panel_width + margin));
  }
  [[nodiscard]] double top(std::size_t panel) const noexcept {
    return first_top + (stacked ? static_cast<double>(panel) * (panel_height + caption + margin) : 0);
  }
  [[nodiscard]] double key_left(std::size_t worker) const noexcept {
    return margin + static_cast<double>(worker) * key_width;
  }
  /// A box of the map on the sheet.
  [[nodiscard]] map_box place(std::size_t panel, map_box const& b) const noexcept {
    return {.left = left(panel) + b.left * scale,
            .top = top(panel) + b.top * scale,
            .right = left(panel) + b.right * scale,
            .bottom = top(panel) + b.bottom * scale,
            .worker = b.worker};
  }

  [[nodiscard]] static bool is_stacked(task_map const& map) noexcept { return map.width() > 1.6 * map.height(); }

  double scale;
  double panel_width;
  double panel_height;
  std::size_t panels;
  bool stacked;
  double first_top;  ///< of panels
  double width;
  double height;
  double keys_top;
  double key_width;
};

}  // namespace skua::apps
