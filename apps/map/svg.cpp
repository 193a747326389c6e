// SPDX-License-Identifier: MIT
// The picture of a task map as SVG 1.1: plain text, so that tests can count its boxes.
#include <charconv>
#include <cmath>
#include <cstdio>

#include "apps/map/draw.hpp"
#include "apps/map/sheet.hpp"

namespace skua::apps {
namespace {

/// Collects elements, one per line. Numbers have at most two decimals, whatever the locale.
class svg_text {
 public:
  svg_text& operator<<(std::string_view words) {
    text_ += words;
    return *this;
  }
  svg_text& operator<<(double number) {
    char digits[32];
    auto const end = std::to_chars(digits, digits + sizeof digits, std::round(number * 100) / 100).ptr;
    text_.append(digits, end);
    return *this;
  }
  svg_text& operator<<(rgb colour) {
    char hex[8];
    std::snprintf(hex, sizeof hex, "#%02x%02x%02x", unsigned{colour[0]}, unsigned{colour[1]}, unsigned{colour[2]});
    text_ += hex;
    return *this;
  }
  svg_text& attribute(std::string_view name, double value) { return *this << " " << name << "=\"" << value << "\""; }
  svg_text& area(map_box const& b) {
    return attribute("x", b.left)
        .attribute("y", b.top)
        .attribute("width", b.right - b.left)
        .attribute("height", b.bottom - b.top);
  }
  svg_text& line(double x, double y, std::string_view what) {
    *this << "<text";
    return attribute("x", x).attribute("y", y) << ">" << escaped(what) << "</text>\n";
  }

  static std::string escaped(std::string_view what) {
    std::string safe;
    for (char const c : what) {
      safe += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
    }
    return safe;
  }
  std::string take() && { return std::move(text_); }

 private:
  std::string text_;
};

void add_panel(svg_text& out, sheet const& s, std::size_t panel, map_iteration const& shown, std::uint32_t workers) {
  out.line(s.left(panel), s.top(panel) - 8, "iteration " + std::to_string(shown.number));
  out << "<g class=\"iteration\" stroke=\"#ffffff\" stroke-width=\"0.4\">\n";
  for (map_box const& b : shown.boxes) {
    out << "<rect fill=\"" << colour_of(b.worker, workers) << "\"";
    out.area(s.place(panel, b)) << "/>\n";
  }
  out << "</g>\n";
}

/// Every worker has a box; as many boxes have numbers as there is room for.
void add_keys(svg_text& out, sheet const& s, std::uint32_t workers) {
  out << "<g class=\"workers\">\n";
  for (std::uint32_t w = 0; w < workers; ++w) {
    double const left = s.key_left(w);
    out << "<rect fill=\"" << colour_of(w, workers) << "\"";
    out.area({left, s.keys_top, left + s.key_width, s.keys_top + sheet::key_height, w}) << "/>\n";
  }
  out << "</g>\n";
  auto const every = static_cast<std::uint32_t>(std::ceil(sheet::widest_key / s.key_width));
  for (std::uint32_t w = 0; w < workers; w += every)
    out.line(s.key_left(w), s.keys_top + sheet::key_height + 16, std::to_string(w));
}

}  // namespace

std::string to_svg(task_map const& map, std::string_view title) {
  sheet const s(map);
  svg_text out;
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\"";
  out.attribute("width", s.width).attribute("height", s.height);
  out << " font-family=\"sans-serif\" font-size=\"14\">\n";
  out << "<title>" << svg_text::escaped(title) << "</title>\n";
  out << "<path fill=\"#ffffff\" d=\"M0 0H" << s.width << "V" << s.height << "H0Z\"/>\n";
  out.line(sheet::margin, sheet::margin + 12, title);
  auto const panels = map.panels();
  for (std::size_t i = 0; i < panels.size(); ++i) add_panel(out, s, i, *panels[i], map.workers());
  add_keys(out, s, map.workers());
  out << "</svg>\n";
  return std::move(out).take();
}

}  // namespace skua::apps
