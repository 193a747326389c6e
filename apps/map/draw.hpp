// SPDX-License-Identifier: MIT
// The picture of a task map: its first, second and last iterations as panels, with each leaf in the colour of its
// worker. [adws-sc19 Figure 1]
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "apps/map/task_map.hpp"
#include "apps/picture/picture.hpp"

namespace skua::apps {

/// That of the report's task map, on any ground; grey for `nobody`.
[[nodiscard]] rgb colour_of(std::uint32_t worker, std::uint32_t workers) noexcept;

struct map_texts {
  std::string title;
  std::string subtitle;
};

/// An SVG document with captions and a legend; every leaf is a `rect` in a group of class "iteration". About 70 bytes a
/// leaf.
[[nodiscard]] std::string to_svg(task_map const& map, map_texts const& texts);
/// The same panels without text; a strip below them shows the workers from left to right.
[[nodiscard]] colour_picture to_picture(task_map const& map);

/// Throws usage_error for a name that ends neither in .svg nor in .png, and if the folder does not exist; `option` is
/// what the error names.
void require_map_name(std::string_view option, std::filesystem::path const& file);
/// The bytes of the file: PNG if its name ends in .png, else SVG. Throws resource_error if PNG cannot be made.
[[nodiscard]] std::string map_file(std::filesystem::path const& file, task_map const& map, map_texts const& texts);

}  // namespace skua::apps
