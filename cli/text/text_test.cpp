// SPDX-License-Identifier: MIT
#include "cli/table.hpp"

#include <gtest/gtest.h>

#include "cli/names.hpp"
#include "cli/whole_number.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::cli {
namespace {

TEST(table, words_stand_left_numbers_right_and_no_line_ends_with_blanks) {
  table t({{"name"}, {"n", true}, {"last"}});
  t.add({"a", "1", "x"});
  t.add({"longer", "100", ""});
  EXPECT_EQ(t.text("> "),
            "> name      n  last\n"
            "> a         1  x\n"
            "> longer  100\n");
}

TEST(table, without_heads_there_is_no_line_of_heads) {
  table t({{}, {}});
  t.add({"a", "b"});
  EXPECT_EQ(t.text(), "a  b\n");
}

TEST(in_seconds, the_unit_suits_the_time) {
  EXPECT_EQ(in_seconds(12.3456), "12.346 s ");
  EXPECT_EQ(in_seconds(0.0123), "12.30 ms");
  EXPECT_EQ(in_seconds(0.0000456), "45.60 us");
}

TEST(in_bytes, the_largest_unit_that_leaves_at_least_one) {
  EXPECT_EQ(in_bytes(0), "0 bytes");
  EXPECT_EQ(in_bytes(64 << 10), "64 KiB");
  EXPECT_EQ(in_bytes(8 << 20), "8 MiB");
}

TEST(items_of, splits_at_commas_trims_and_refuses_gaps) {
  EXPECT_EQ(items_of("--x", "a, b ,c"), (std::vector<std::string>{"a", "b", "c"}));
  for (char const* bad : {"", ",", "a,", ",a", "a,,b", "a, ,b"}) {
    EXPECT_THROW(static_cast<void>(items_of("--x", bad)), usage_error) << '"' << bad << '"';
  }
}

TEST(read_whole_number, takes_digits_within_bounds_and_nothing_else) {
  EXPECT_EQ(read_whole_number("--x", "7", 1, 7), 7U);
  for (char const* bad : {"", "0", "8", "-1", "+1", " 1", "1 ", "1x", "0x1", "99999999999999999999", "1e0"}) {
    EXPECT_THROW(static_cast<void>(read_whole_number("--x", bad, 1, 7)), usage_error) << '"' << bad << '"';
  }
}

}  // namespace
}  // namespace skua::cli
