// SPDX-License-Identifier: MIT
#include "skua/parts/base/toml_depth.hpp"

#include <gtest/gtest.h>

#include <string>

namespace skua { inline namespace v0 { namespace runtime { namespace {

/// a.a.a
std::string key_of(std::size_t parts) {
  std::string key = "a";
  for (std::size_t i = 1; i < parts; ++i) key += ".a";
  return key;
}

TEST(toml_depth, counts_the_parts_of_a_key_and_nothing_else) {
  EXPECT_EQ(line_of_deep_key(key_of(most_key_parts) + " = 1\n[" + key_of(most_key_parts) + "]\n"), 0U);
  EXPECT_EQ(line_of_deep_key("\n\n" + key_of(most_key_parts + 1) + " = 1\n"), 3U);
  EXPECT_EQ(line_of_deep_key("a . 'b.b'" + std::string(".\"c\"") + key_of(0)), 0U);
  std::string floats = "x = [";
  for (int i = 0; i < 100; ++i) floats += "1.5, ";
  EXPECT_EQ(line_of_deep_key(floats + "]\n"), 0U);
  std::string const dots(100, '.');
  for (std::string const& text : {"# " + dots, "x = \"" + dots + "\"", "x = '" + dots + "'", "x = \"\\\"" + dots + "\"",
                                  "x = \"\"\"\n" + dots + "\n\"\"\"", "x = '''\n" + dots + "\n'''"}) {
    EXPECT_EQ(line_of_deep_key(text + "\ny = 1\n"), 0U) << text;
    EXPECT_NE(line_of_deep_key(text + "\n" + key_of(100) + " = 1\n"), 0U) << text;
  }
}

TEST(toml_depth, an_unfinished_string_hides_nothing_after_its_line) {
  EXPECT_EQ(line_of_deep_key("x = \"open\n" + key_of(100)), 2U);
  EXPECT_EQ(line_of_deep_key("x = \"open\\"), 0U);
  EXPECT_EQ(line_of_deep_key("\""), 0U);
  EXPECT_EQ(line_of_deep_key(""), 0U);
}

}}}}  // namespace skua::v0::runtime
