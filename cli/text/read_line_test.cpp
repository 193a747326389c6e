// SPDX-License-Identifier: MIT
#include "cli/text/read_line.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "skua/parts/base/error.hpp"

namespace skua::cli { namespace {

TEST(read_line, reads_as_getline_does) {
  for (std::string const text : {"", "a", "a\n", "a\nb", "\n\nb\n", "a\r\n"}) {
    std::istringstream ours(text);
    std::istringstream theirs(text);
    std::string line;
    std::string expected;
    while (std::getline(theirs, expected)) {
      ASSERT_TRUE(read_line(ours, line, "t"));
      EXPECT_EQ(line, expected);
    }
    EXPECT_FALSE(read_line(ours, line, "t"));
  }
}

TEST(read_line, refuses_a_line_without_end) {
  std::ifstream endless("/dev/zero");
  std::string line;
  try {
    read_line(endless, line, "a\x1b");
    FAIL() << "it read a line";
  } catch (usage_error const& fault) {
    EXPECT_STREQ(fault.what(), "a\\x1b: a line is longer than 65536 bytes");
  }
}

}}  // namespace skua::cli
