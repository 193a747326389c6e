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

}  // namespace

std::string hex_of(rgb colour) {
  std::array<char, 8> hex{};
  std::snprintf(hex.data(), hex.size(), "#%02x%02x%02x", unsigned{colour[0]}, unsigned{colour[1]}, unsigned{colour[2]});
  return hex.data();
}

void svg::attribute(std::string_view name, double value) { attribute(name, digits_of(value)); }

void svg::attribute(std::string_view name, std::string_view value) {
  body_ += ' ';
  body_ += name;
  body_ += "=\"";
  body_ += value;
  body_ += '"';
}

void svg::text(point at, std::string_view what, anchor where, std::string_view attributes) {
  body_ += "<text";
  attribute("x", at.x);
  attribute("y", at.y);
  if (where != anchor::start) attribute("text-anchor", where == anchor::middle ? "middle" : "end");
  if (!attributes.empty()) (body_ += ' ') += attributes;
  body_ += ">" + escaped(what) + "</text>\n";
}

void svg::line(point from, point to, std::string_view colour) {
  body_ += "<line";
  attribute("x1", from.x);
  attribute("y1", from.y);
  attribute("x2", to.x);
  attribute("y2", to.y);
  attribute("stroke", colour);
  body_ += "/>\n";
}

void svg::box(point corner, double width, double height, std::string_view colour) {
  body_ += "<rect";
  attribute("fill", colour);
  attribute("x", corner.x);
  attribute("y", corner.y);
  attribute("width", width);
  attribute("height", height);
  body_ += "/>\n";
}

void svg::dot(point centre, std::string_view colour) {
  body_ += "<circle";
  attribute("cx", centre.x);
  attribute("cy", centre.y);
  attribute("r", 2.6);
  attribute("fill", colour);
  body_ += "/>\n";
}

void svg::ring(point centre, std::string_view colour) {
  body_ += "<circle";
  attribute("cx", centre.x);
  attribute("cy", centre.y);
  attribute("r", 6);
  attribute("stroke", colour);
  body_ += " fill=\"none\" stroke-width=\"2\"/>\n";
}

void svg::curve(std::span<point const> points, std::string_view colour) {
  std::string path;
  for (point const& p : points) path += (path.empty() ? "" : " ") + digits_of(p.x) + "," + digits_of(p.y);
  body_ += "<polyline fill=\"none\" stroke-width=\"1.8\"";
  attribute("stroke", colour);
  attribute("points", path);
  body_ += "/>\n";
}

void svg::begin_group(std::string_view attributes) {
  body_ += "<g ";
  body_ += attributes;
  body_ += ">\n";
}

void svg::end_group() { body_ += "</g>\n"; }

std::string svg::document(double width, double height, std::string_view title, double font_size) const {
  svg head;
  head.body_ = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\"";
  head.attribute("width", width);
  head.attribute("height", height);
  head.attribute("viewBox", "0 0 " + digits_of(width) + " " + digits_of(height));
  head.attribute("font-family", "sans-serif");
  head.attribute("font-size", font_size);
  head.body_ += ">\n<title>" + escaped(title) + "</title>\n";
  head.box({0, 0}, width, height, "#ffffff");
  return head.body_ + body_ + "</svg>\n";
}

}  // namespace skua::apps
