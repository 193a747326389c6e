// SPDX-License-Identifier: MIT
// SVG 1.1, which every browser shows, as plain text: one element per line, so that tests can count them. The same calls
// give the same bytes, whatever the locale.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "apps/picture/picture.hpp"

namespace skua::apps {

/// "#0072b2"
[[nodiscard]] std::string hex_of(rgb colour);

/// A drawing under way. Coordinates are pixels from the top left corner; numbers are rounded to two decimals.
class svg {
 public:
  struct point {
    double x;
    double y;
  };
  enum class anchor : std::uint8_t { start, middle, end };

  /// `attributes` are written as they are: `font-weight="bold"`.
  void text(point at, std::string_view what, anchor where = anchor::start, std::string_view attributes = "");
  void line(point from, point to, std::string_view colour);
  void box(point corner, double width, double height, std::string_view colour);
  void dot(point centre, std::string_view colour);
  void ring(point centre, std::string_view colour);
  void curve(std::span<point const> points, std::string_view colour);
  void begin_group(std::string_view attributes);
  void end_group();

  /// The whole document on a white ground. `title` is what browsers call it.
  [[nodiscard]] std::string document(double width, double height, std::string_view title, double font_size) const;

 private:
  using attribute = std::pair<std::string_view, double>;
  /// `opening`: the name of the element and what precedes its numbers.
  void element(std::string const& opening, std::initializer_list<attribute> numbers, std::string_view closing = "/>\n");

  std::string body_;
};

}  // namespace skua::apps
