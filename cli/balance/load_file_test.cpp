// SPDX-License-Identifier: MIT
#include "cli/balance/load_file.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "skua/parts/base/error.hpp"

namespace skua::cli { namespace {

std::string refusal(std::string const& text) {
  std::istringstream in(text);
  try {
    static_cast<void>(read_loads(in, "loads.csv"));
  } catch (usage_error const& e) {
    return e.what();
  }
  return "";
}

TEST(load_file, a_file_holds_a_rank_and_a_load_in_each_line) {
  std::istringstream in("\xef\xbb\xbfrank,load\n2,5\r\n\n0,18446744073709551610\n2,0\n");
  EXPECT_EQ(read_loads(in, "x"), (machine_loads{{~load_ns{5}}, {}, {5, 0}}));
}

TEST(load_file, each_mistake_in_a_file_is_named_with_its_line) {
  EXPECT_EQ(refusal("0,1\n7\n"), "loads.csv:2: a line is '7'; allowed: rank,load");
  EXPECT_EQ(refusal("x,1\n"), "loads.csv:1: a rank is 'x'; allowed: a whole number from 0 to 999999");
  EXPECT_EQ(refusal("0,1\n1000000,1\n"), "loads.csv:2: a rank is '1000000'; allowed: a whole number from 0 to 999999");
  EXPECT_EQ(refusal("0,-1\n"), "loads.csv:1: a load is '-1'; allowed: a whole number from 0 to 18446744073709551615");
  EXPECT_EQ(refusal("0,1,2\n"), "loads.csv:1: a load is '1,2'; allowed: a whole number from 0 to 18446744073709551615");
  EXPECT_EQ(refusal("\x1b[2J\n"), "loads.csv:1: a line is '\\x1b[2J'; allowed: rank,load");
  EXPECT_EQ(refusal("\x1b,1\n"), "loads.csv:1: a rank is '\\x1b'; allowed: a whole number from 0 to 999999");
  EXPECT_EQ(refusal(std::string(70'000, '1')), "loads.csv: a line is longer than 65536 bytes");
  EXPECT_EQ(refusal("0,18446744073709551615\n1,0\n1,1\n"),
            "loads.csv:3: with this load of 1 the sum of all loads is above 18446744073709551615, the largest allowed");
  EXPECT_EQ(refusal("rank,load\n"), "loads.csv: the file has no task; allowed: at least one line rank,load");
}

}}  // namespace skua::cli
