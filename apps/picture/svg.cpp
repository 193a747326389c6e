// SPDX-License-Identifier: MIT
#include "apps/picture/svg.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "apps/picture/text.hpp"

namespace skua::apps {
namespace {

std::string escaped(std::string_view text) {
  std::string safe;
  for (char const c : text) {
    switch (c) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '"': safe += "&quot;"; break;
      default: safe += c;
    }
  }
  return safe;
}

std::string in_quotes(std::string_view text) { return '"' + std::string{text} + '"'; }

std::string stroke_of(std::string_view colour, double width, std::string_view dash) {
  std::string all = " stroke=" + in_quotes(colour);
  if (width != 1) all += " stroke-width=" + in_quotes(digits_of(width));
  if (!dash.empty()) all += " stroke-dasharray=" + in_quotes(dash);
  return all;
}

/// Narrow screens show all of a picture; on dark ones these paints turn dark.
std::string style_for(std::span<look::paint const> used) {
  std::string dark = "svg { background: " + hex_of(look::card.dark) + "; }\n";
  for (look::paint const& p : used) {
    for (char const* const of : {"fill", "stroke"})
      dark += "[" + std::string{of} + "=" + in_quotes(hex_of(p.light)) + "] { " + of + ": " + hex_of(p.dark) + "; }\n";
  }
  return "<style>\nsvg { max-width: 100%; height: auto; background: " + hex_of(look::card.light) +
         "; }\n@media screen and (prefers-color-scheme: dark) {\n" + dark + "}\n</style>\n";
}

}  // namespace

std::string digits_of(double number) {
  std::array<char, 32> digits{};
  auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), std::round(number * 100) / 100).ptr;
  return {digits.data(), end};
}

std::string hex_of(rgb colour) {
  std::array<char, 8> hex{};
  std::snprintf(hex.data(), hex.size(), "#%02x%02x%02x", unsigned{colour[0]}, unsigned{colour[1]}, unsigned{colour[2]});
  return hex.data();
}

std::string svg::hex_with(look::paint const& colour) {
  bool const known = std::ranges::any_of(used_, [&](look::paint const& p) { return p.light == colour.light; });
  if (!known) used_.push_back(colour);
  return hex_of(colour.light);
}

void svg::element(std::string const& opening, std::initializer_list<attribute> numbers, std::string_view closing) {
  body_ += "<" + opening;
  for (auto const& [name, value] : numbers) body_ += " " + std::string{name} + "=" + in_quotes(digits_of(value));
  body_ += closing;
}

void svg::text(point at, std::string_view what, anchor where, text_look const& how) {
  std::string opening = "text";
  if (where != anchor::start) opening += where == anchor::middle ? " text-anchor=\"middle\"" : " text-anchor=\"end\"";
  if (how.colour.light != look::ink.light) opening += " fill=" + in_quotes(hex_with(how.colour));
  if (how.bold) opening += " font-weight=\"bold\"";
  if (how.size != look::text_size) opening += " font-size=" + in_quotes(digits_of(how.size));
  if (how.turned != 0) {
    opening += " transform=" +
               in_quotes("rotate(" + digits_of(how.turned) + " " + digits_of(at.x) + " " + digits_of(at.y) + ")");
  }
  element(opening, {{"x", at.x}, {"y", at.y}}, ">" + escaped(what) + "</text>\n");
}

svg::point svg::paragraph(point first, std::string_view what, double width, text_look const& how) {
  for (std::string const& line : wrapped(what, width, how.size, how.bold)) {
    text(first, line, anchor::start, how);
    first.y += std::ceil(1.4 * how.size);
  }
  return first;
}

void svg::line(point from, point to, look::paint const& colour, double width, std::string_view dash) {
  element("line" + stroke_of(hex_with(colour), width, dash),
          {{"x1", from.x}, {"y1", from.y}, {"x2", to.x}, {"y2", to.y}});
}

void svg::box(point corner, double width, double height, rgb colour) {
  element("rect fill=" + in_quotes(hex_of(colour)),
          {{"x", corner.x}, {"y", corner.y}, {"width", width}, {"height", height}});
}

void svg::box(point corner, double width, double height, look::paint const& colour) {
  static_cast<void>(hex_with(colour));
  box(corner, width, height, colour.light);
}

void svg::dot(point centre, look::paint const& colour, form shape) {
  constexpr double r = look::dot_size / 2;
  std::string const fill = " fill=" + in_quotes(hex_with(colour));
  if (shape == form::circle) {
    element("circle" + fill, {{"cx", centre.x}, {"cy", centre.y}, {"r", r + 0.5}});
    return;
  }
  auto const at = [&](double x, double y) { return digits_of(centre.x + x * r) + "," + digits_of(centre.y + y * r); };
  if (shape == form::cross) {
    element("path" + stroke_of(hex_with(colour), look::curve_width, "") + " fill=\"none\" d=" +
                in_quotes("M" + at(-1.2, -1.2) + " L" + at(1.2, 1.2) + " M" + at(-1.2, 1.2) + " L" + at(1.2, -1.2)),
            {});
    return;
  }
  std::string corners;
  switch (shape) {
    case form::square: corners = at(-1.1, -1.1) + " " + at(1.1, -1.1) + " " + at(1.1, 1.1) + " " + at(-1.1, 1.1); break;
    case form::triangle: corners = at(0, -1.6) + " " + at(1.5, 1.1) + " " + at(-1.5, 1.1); break;
    case form::diamond: corners = at(0, -1.7) + " " + at(1.7, 0) + " " + at(0, 1.7) + " " + at(-1.7, 0); break;
    default: corners = at(0, 1.6) + " " + at(1.5, -1.1) + " " + at(-1.5, -1.1); break;
  }
  element("polygon" + fill + " points=" + in_quotes(corners), {});
}

void svg::ring(point centre, look::paint const& colour) {
  element("circle fill=\"none\"" + stroke_of(hex_with(colour), look::curve_width, ""),
          {{"cx", centre.x}, {"cy", centre.y}, {"r", 6}});
}

void svg::curve(std::span<point const> points, look::paint const& colour, std::string_view dash) {
  std::string path;
  for (point const& p : points) path += (path.empty() ? "" : " ") + digits_of(p.x) + "," + digits_of(p.y);
  element(
      "polyline fill=\"none\"" + stroke_of(hex_with(colour), look::curve_width, dash) + " points=" + in_quotes(path),
      {});
}

void svg::begin_group(std::string_view of_class) { element("g class=" + in_quotes(of_class), {}, ">\n"); }
void svg::end_group() { body_ += "</g>\n"; }

std::string svg::document(double width, double height, std::string_view title) const {
  svg head;
  head.body_ = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  head.used_ = used_;
  head.element("svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" font-family=" + in_quotes(look::font) +
                   " fill=" + in_quotes(head.hex_with(look::ink)) +
                   " viewBox=" + in_quotes("0 0 " + digits_of(width) + " " + digits_of(height)),
               {{"width", width}, {"height", height}, {"font-size", look::text_size}}, ">\n");
  svg ground;
  ground.box({0, 0}, width, height, look::card);
  static_cast<void>(head.hex_with(look::card));
  return head.body_ + "<title>" + escaped(title) + "</title>\n" + style_for(head.used_) + ground.body_ + body_ +
         "</svg>\n";
}

}  // namespace skua::apps
