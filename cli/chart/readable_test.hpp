// SPDX-License-Identifier: MIT
// Whether the texts of a chart can be read.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "apps/picture/text.hpp"
#include "skua/parts/topology/xml_scanner.hpp"

namespace skua::cli {

/// What a text covers in a picture, after it is turned.
struct placed {
  std::string text;
  double left = 0, right = 0, top = 0, bottom = 0;

  [[nodiscard]] bool covers(placed const& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

inline std::vector<placed> texts_in(std::string const& svg) {
  constexpr double ascent = 0.8;
  constexpr double descent = 0.2;
  std::vector<placed> all;
  runtime::xml_element const root = runtime::scan_xml(svg);
  for (runtime::xml_element const& e : root.children) {
    if (e.name != "text") continue;
    auto const number = [&](char const* name) { return std::stod(std::string(e.attribute(name))); };
    double const size = e.has("font-size") ? number("font-size") : apps::look::text_size;
    double const width = apps::text_width(e.text, size, e.attribute("font-weight") == "bold");
    double const before = e.attribute("text-anchor") == "end" ? width : e.has("text-anchor") ? width / 2 : 0;
    double const x = number("x");
    double const y = number("y");
    if (e.has("transform")) {
      all.push_back({std::string(e.text), x - ascent * size, x + descent * size, y - width + before, y + before});
    } else {
      all.push_back({std::string(e.text), x - before, x - before + width, y - ascent * size, y + descent * size});
    }
  }
  return all;
}

/// No text covers another one or leaves the picture, which is as wide as all pictures are.
inline void expect_readable(std::string const& svg) {
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
  runtime::xml_element const root = runtime::scan_xml(svg);
  EXPECT_EQ(std::stod(std::string(root.attribute("width"))), apps::look::picture_width);
  double const height = std::stod(std::string(root.attribute("height")));
  std::vector<placed> const texts = texts_in(svg);
  EXPECT_FALSE(texts.empty());
  for (placed const& a : texts) {
    EXPECT_TRUE(a.left >= 0 && a.right <= apps::look::picture_width && a.top >= 0 && a.bottom <= height) << a.text;
    for (placed const& b : texts) {
      if (&a == &b) break;
      EXPECT_FALSE(a.covers(b)) << a.text << " and " << b.text;
    }
  }
}

}  // namespace skua::cli
