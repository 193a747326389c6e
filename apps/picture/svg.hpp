// SPDX-License-Identifier: MIT
// SVG 1.1, which every browser shows, as plain text: one element per line, so that tests can count them. The same calls
// give the same bytes, whatever the locale.
//
// Attributes hold the colours for light ground. A style sheet, for programs that know them, puts those for dark ground in their
// place if the reader wants dark pages; on paper they stay light.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/picture/look.hpp"
#include "apps/picture/picture.hpp"

namespace skua::apps {

/// "#0072b2"
[[nodiscard]] std::string hex_of(rgb colour);
/// Rounded to two decimals: "0.01", "12"
[[nodiscard]] std::string digits_of(double number);

struct text_look {
  look::paint colour = look::ink;
  bool bold = false;
  double size = look::text_size;
  double turned = 0;  ///< degrees
};

/// A drawing under way. Coordinates are pixels from the top left corner; numbers are rounded to two decimals.
class svg {
 public:
  struct point {
    double x;
    double y;
  };
  enum class anchor : std::uint8_t { start, middle, end };
  /// Marks of points that differ in form, for those who do not see colours.
  enum class form : std::uint8_t { circle, square, triangle, diamond, inverted_triangle, cross };
  void text(point at, std::string_view what, anchor where = anchor::start, text_look const& how = {});
  /// The text in lines of at most `width`, below each other. Returns where the line after the last one stands.
  point paragraph(point first, std::string_view what, double width, text_look const& how = {});
  /// `dash` as in look.hpp; empty: a whole line.
  void line(point from, point to, look::paint const& colour, double width = look::grid_width,
            std::string_view dash = "");
  void box(point corner, double width, double height, look::paint const& colour);
  /// The same colour on any ground.
  void box(point corner, double width, double height, rgb colour);
  void dot(point centre, look::paint const& colour, form shape = form::circle);
  void ring(point centre, look::paint const& colour);
  void curve(std::span<point const> points, look::paint const& colour, std::string_view dash = "");
  void begin_group(std::string_view of_class);
  void end_group();

  /// The whole document, on the ground of a figure. `title` is what browsers call it.
  [[nodiscard]] std::string document(double width, double height, std::string_view title) const;

 private:
  using attribute = std::pair<std::string_view, double>;
  /// `opening`: the name of the element and what precedes its numbers.
  void element(std::string const& opening, std::initializer_list<attribute> numbers, std::string_view closing = "/>\n");

  /// The colour on light ground; document() sees to the one on dark ground.
  std::string hex_with(look::paint const& colour);

  std::string body_;
  std::vector<look::paint> used_;  ///< whose light colours differ
};

}  // namespace skua::apps
