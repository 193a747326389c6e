// SPDX-License-Identifier: MIT
#include "apps/picture/svg.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace skua::apps {
namespace {

std::string digits_of(double number) {
  std::array<char, 32> digits{};
  auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), std::round(number * 100) / 100).ptr;
  return {digits.data(), end};
}

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

}  // namespace

std::string hex_of(rgb colour) {
  std::array<char, 8> hex{};
  std::snprintf(hex.data(), hex.size(), "#%02x%02x%02x", unsigned{colour[0]}, unsigned{colour[1]}, unsigned{colour[2]});
  return hex.data();
}

void svg::element(std::string const& opening, std::initializer_list<attribute> numbers, std::string_view closing) {
  body_ += "<" + opening;
  for (auto const& [name, value] : numbers) body_ += " " + std::string{name} + "=" + in_quotes(digits_of(value));
  body_ += closing;
}

void svg::text(point at, std::string_view what, anchor where, std::string_view attributes) {
  std::string opening = "text";
  if (where != anchor::start) opening += where == anchor::middle ? " text-anchor=\"middle\"" : " text-anchor=\"end\"";
  if (!attributes.empty()) (opening += ' ') += attributes;
  element(opening, {{"x", at.x}, {"y", at.y}}, ">" + escaped(what) + "</text>\n");
}

void svg::line(point from, point to, std::string_view colour) {
  element("line stroke=" + in_quotes(colour), {{"x1", from.x}, {"y1", from.y}, {"x2", to.x}, {"y2", to.y}});
}

void svg::box(point corner, double width, double height, std::string_view colour) {
  element("rect fill=" + in_quotes(colour), {{"x", corner.x}, {"y", corner.y}, {"width", width}, {"height", height}});
}

void svg::dot(point centre, std::string_view colour) {
  element("circle fill=" + in_quotes(colour), {{"cx", centre.x}, {"cy", centre.y}, {"r", 2.6}});
}

void svg::ring(point centre, std::string_view colour) {
  element("circle fill=\"none\" stroke-width=\"2\" stroke=" + in_quotes(colour),
          {{"cx", centre.x}, {"cy", centre.y}, {"r", 6}});
}

void svg::curve(std::span<point const> points, std::string_view colour) {
  std::string path;
  for (point const& p : points) path += (path.empty() ? "" : " ") + digits_of(p.x) + "," + digits_of(p.y);
  element("polyline fill=\"none\" stroke-width=\"1.8\" stroke=" + in_quotes(colour) + " points=" + in_quotes(path), {});
}

void svg::begin_group(std::string_view attributes) { element("g " + std::string{attributes}, {}, ">\n"); }
void svg::end_group() { body_ += "</g>\n"; }

std::string svg::document(double width, double height, std::string_view title, double font_size) const {
  svg head;
  head.body_ = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  head.element("svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" font-family=\"sans-serif\" viewBox=" +
                   in_quotes("0 0 " + digits_of(width) + " " + digits_of(height)),
               {{"width", width}, {"height", height}, {"font-size", font_size}}, ">\n");
  head.body_ += "<title>" + escaped(title) + "</title>\n";
  head.box({0, 0}, width, height, "#ffffff");
  return head.body_ + body_ + "</svg>\n";
}

}  // namespace skua::apps
