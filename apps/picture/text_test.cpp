// SPDX-License-Identifier: MIT
// Texts are cut and broken within the width that is given.
#include "apps/picture/text.hpp"

#include <gtest/gtest.h>

namespace skua::apps {
namespace {

TEST(text, is_as_wide_as_its_characters) {
  EXPECT_EQ(text_width(""), 0);
  EXPECT_DOUBLE_EQ(text_width("ab"), text_width("a") + text_width("b"));
  EXPECT_DOUBLE_EQ(text_width("ab", 24), 2 * text_width("ab", 12));
  EXPECT_GT(text_width("ab", 12, true), text_width("ab", 12));
  EXPECT_LT(text_width("iiii"), text_width("mmmm"));
  EXPECT_DOUBLE_EQ(text_width("\u2026"), text_width("\u00e9")) << "a character counts once, however many bytes it has";
}

TEST(text, wraps_at_spaces_within_the_width) {
  std::string const said = "the span is the longest path through the tasks of a program";
  for (double const width : {40.0, 90.0, 200.0, 1000.0}) {
    std::string joined;
    for (std::string const& line : wrapped(said, width)) {
      EXPECT_TRUE(text_width(line) <= width || line.find(' ') == std::string::npos) << line;
      joined += (joined.empty() ? "" : " ") + line;
    }
    EXPECT_EQ(joined, said);
  }
  EXPECT_EQ(wrapped("", 10), std::vector<std::string>{""});
  EXPECT_EQ(wrapped("unbreakable word", 1), (std::vector<std::string>{"unbreakable", "word"}));
}

TEST(text, that_does_not_fit_is_cut_between_characters) {
  EXPECT_EQ(fitted("short", 100), "short");
  std::string const whole = "sch\u00f6n und gut";
  for (double width = text_width("\u2026"); width < text_width(whole); width += 1) {
    std::string const cut = fitted(whole, width);
    EXPECT_LE(text_width(cut), width);
    ASSERT_TRUE(cut.ends_with("\u2026")) << cut;
    std::string const kept = cut.substr(0, cut.size() - std::string_view("\u2026").size());
    EXPECT_TRUE(whole.starts_with(kept)) << cut;
    EXPECT_FALSE(kept.ends_with('\xc3')) << "half a character";
  }
  EXPECT_EQ(fitted("x", 0), "\u2026");
}

}  // namespace
}  // namespace skua::apps
