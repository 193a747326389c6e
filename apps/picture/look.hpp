// SPDX-License-Identifier: MIT
// The look of all pictures and pages: colours on light and on dark ground, the font, sizes. Pages read them as properties of
// CSS (css_of_look), pictures from here; nobody writes down a colour of their own.
//
// Colours of activities, series and workers come from Okabe and Ito's palette, made so that people who see no red, green or
// blue tell any two apart (look_test.cpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "apps/picture/picture.hpp"

namespace skua::apps::look {

/// 0x0072b2
constexpr rgb rgb_of(std::uint32_t hex) noexcept {
  return {static_cast<std::uint8_t>(hex >> 16), static_cast<std::uint8_t>(hex >> 8), static_cast<std::uint8_t>(hex)};
}

/// A colour on light ground, and the one that takes its place on dark ground.
struct paint {
  std::string_view name;
  rgb light;
  rgb dark;
};

constexpr paint paint_of(std::string_view name, std::uint32_t light, std::uint32_t dark) noexcept {
  return {.name = name, .light = rgb_of(light), .dark = rgb_of(dark)};
}

inline constexpr std::array paints{
    paint_of("page", 0xf6f7f8, 0x14171b),     paint_of("card", 0xffffff, 0x1d2126),  // the ground, and that of figures
    paint_of("ink", 0x1b1f24, 0xe8eaed),      paint_of("soft", 0x57606a, 0xa5adb6),  // texts, and those of axes
    paint_of("line", 0xd5dade, 0x363c44),     paint_of("accent", 0x0063a6, 0x6db7ec),
    paint_of("warn", 0xfff1d6, 0x3a2e12),     paint_of("warn-line", 0xd98e00, 0xe69f00),
    paint_of("work", 0x0072b2, 0x3d9bd6),     paint_of("scheduling", 0xe69f00, 0xf0b429),
    paint_of("idle", 0xd58bb4, 0xc06a98),     paint_of("asleep", 0xc3c9cf, 0x4a525b),
    paint_of("unknown", 0xffffff, 0x1d2126),  paint_of("overlap", 0x009e73, 0x2fc296),
    paint_of("steal", 0xd55e00, 0xff8a3d),    paint_of("send", 0x009e73, 0x2fc296),
    paint_of("heat-low", 0xe3eff8, 0x1f3345), paint_of("heat-high", 0x08306b, 0xb7e0ff),
    paint_of("empty", 0xeef0f2, 0x262b31),    paint_of("lost", 0xb4bbc2, 0x5b646e),  // "lost": what nobody recorded
    paint_of("series-0", 0x0072b2, 0x3d9bd6), paint_of("series-1", 0xd98200, 0xf0b429),
    paint_of("series-2", 0x009e73, 0x2fc296), paint_of("series-3", 0xb5538f, 0xd58bb4),
    paint_of("series-4", 0x2f9bd6, 0x9ad4f5), paint_of("series-5", 0x8e2800, 0xff8040),
    paint_of("series-6", 0x8c6e00, 0xf2ec70), paint_of("series-7", 0x4a2f75, 0x9b6be6),
};

/// The paint of this name, which has to exist: another name does not compile.
consteval paint called(std::string_view name) {
  for (paint const& p : paints) {
    if (p.name == name) return p;
  }
  throw "no paint has this name";
}

inline constexpr paint card = called("card");
inline constexpr paint ink = called("ink");
inline constexpr paint soft = called("soft");
inline constexpr paint line = called("line");
inline constexpr paint lost = called("lost");

inline constexpr std::array series{called("series-0"), called("series-1"), called("series-2"), called("series-3"),
                                   called("series-4"), called("series-5"), called("series-6"), called("series-7")};

/// Colours of workers, the same on any ground: the first for a few, the second, viridis, to mix those of many from.
inline constexpr std::array few_workers{rgb_of(0x0072b2), rgb_of(0xe69f00), rgb_of(0x009e73), rgb_of(0xcc79a7),
                                        rgb_of(0x56b4e9), rgb_of(0xd55e00), rgb_of(0xf0e442), rgb_of(0x512e80)};
inline constexpr std::array many_workers{rgb_of(0x440154), rgb_of(0x472d7b), rgb_of(0x3b528b),
                                         rgb_of(0x2c728e), rgb_of(0x21918c), rgb_of(0x28ae80),
                                         rgb_of(0x5ec962), rgb_of(0xaddc30), rgb_of(0xfde725)};

/// Workers of up to eight differ clearly; of more, those with near numbers look alike. `worker` < `workers`.
[[nodiscard]] rgb worker_colour(std::uint32_t worker, std::uint32_t workers) noexcept;

/// No double quotes, so that it fits into attributes.
inline constexpr std::string_view font = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif";

/// In pixels.
inline constexpr double picture_width = 560;  ///< texts of this picture are still read where it is shown 400 wide
inline constexpr double text_size = 12;       ///< of axes and legends
inline constexpr double heading_size = 16;    ///< of a figure
inline constexpr double curve_width = 2;
inline constexpr double dot_size = 5;  ///< across
inline constexpr double grid_width = 1;
inline constexpr double tick_length = 4;
inline constexpr double bar_height = 14;  ///< of a bar that lies beside its name

/// Lines of a series after the eighth, whose colour repeats; after the sixteenth; and of what is not measured.
inline constexpr std::string_view second_dash = "7 4";
inline constexpr std::string_view third_dash = "2 3";
inline constexpr std::string_view ideal_dash = "4 4";

/// All of the above as properties of :root, "--work: #0072b2;", and the dark colours as those of :root[data-theme="dark"].
[[nodiscard]] std::string css_of_look();

}  // namespace skua::apps::look
