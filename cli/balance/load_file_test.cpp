// SPDX-License-Identifier: MIT
#include "cli/balance/load_file.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "skua/parts/base/error.hpp"

namespace skua::cli { namespace {

std::string refusal(std::string const& text, load_request const& wanted = {}) {
  std::istringstream in(text);
  try {
    static_cast<void>(read_loads(in, "loads.csv", wanted));
  } catch (usage_error const& e) {
    return e.what();
  }
  return "";
}

TEST(load_file, a_file_holds_a_rank_and_a_load_in_each_line) {
  std::istringstream in("\xef\xbb\xbfrank,load\n2,5\r\n\n0,18446744073709551610\n2,0\n");
  EXPECT_EQ(read_loads(in, "x", {}).loads, (machine_loads{{~load_ns{5}}, {}, {5, 0}}));
}

TEST(load_file, each_mistake_in_a_file_is_named_with_its_line) {
  EXPECT_EQ(refusal("7\n"), "loads.csv:1: a line is '7'; allowed: rank,load or rank,load,phase");
  EXPECT_EQ(refusal("x,1\n"), "loads.csv:1: a rank is 'x'; allowed: a whole number from 0 to 999999");
  EXPECT_EQ(refusal("0,1\n1000000,1\n"), "loads.csv:2: a rank is '1000000'; allowed: a whole number from 0 to 999999");
  EXPECT_EQ(refusal("0,-1\n"),
            "loads.csv:1: a load is '-1'; allowed: a number of ns from 0 to 18446744073709551615 ns");
  EXPECT_EQ(refusal("0,1\n0,1,2\n"),
            "loads.csv:2: a line is '0,1,2'; allowed: rank,load or rank,load,phase, the same in all lines");
  EXPECT_EQ(refusal("0,1,2,3\n"), "loads.csv:1: a line is '0,1,2,3'; allowed: rank,load or rank,load,phase");
  EXPECT_EQ(refusal("0,1,\x1b[2J\n"),
            "loads.csv:1: a phase is '\\x1b[2J'; allowed: a whole number from 0 to 18446744073709551615");
  EXPECT_EQ(refusal("\x1b[2J\n"), "loads.csv:1: a line is '\\x1b[2J'; allowed: rank,load or rank,load,phase");
  EXPECT_EQ(refusal("\x1b,1\n"), "loads.csv:1: a rank is '\\x1b'; allowed: a whole number from 0 to 999999");
  EXPECT_EQ(refusal(std::string(70'000, '1')), "loads.csv: a line is longer than 65536 bytes");
  EXPECT_EQ(
      refusal("0,18446744073709551615\n1,0\n1,1\n"),
      "loads.csv:3: with this load of 1 ns the sum of all loads is above 18446744073709551615 ns, the largest allowed");
  EXPECT_EQ(refusal("rank,load\n"), "loads.csv: the file has no task; allowed: at least one line rank,load");
}

TEST(load_file, loads_have_a_unit_and_become_whole_nanoseconds) {
  auto const in = [](load_unit unit, std::string_view text) { return nanoseconds_in(text, unit); };
  EXPECT_EQ(in(load_unit::s, "0.25"), 250'000'000U);
  EXPECT_EQ(in(load_unit::s, "18446744073.709551615"), ~load_ns{0});
  EXPECT_EQ(in(load_unit::s, "18446744073.7095516155"), std::nullopt);
  EXPECT_EQ(in(load_unit::ms, "3"), 3'000'000U);
  EXPECT_EQ(in(load_unit::us, ".0005"), 1U);
  EXPECT_EQ(in(load_unit::us, "1.0004"), 1000U);
  EXPECT_EQ(in(load_unit::s, "1.1263000033068238e-05"), 11'263U);
  EXPECT_EQ(in(load_unit::ns, "7."), 7U);
  for (char const* wrong : {"", ".", "-1", "+1", "1e", "1e30", "inf", "nan", "0x1", "1 2", "18446744073709551616"})
    EXPECT_EQ(in(load_unit::ns, wrong), std::nullopt) << wrong;
}

TEST(load_file, a_load_in_any_unit_is_read_again_as_it_was) {
  for (load_unit const unit : {load_unit::ns, load_unit::us, load_unit::ms, load_unit::s}) {
    for (load_ns const load :
         {load_ns{0}, load_ns{1}, load_ns{999}, load_ns{1'000'000}, load_ns{1'234'567'890'123}, ~load_ns{0}})
      EXPECT_EQ(nanoseconds_in(in_unit(load, unit), unit), load) << in_unit(load, unit);
  }
  EXPECT_EQ(in_unit(1'500'000'000, load_unit::s), "1.5");
  EXPECT_EQ(in_unit(0, load_unit::s), "0");
}

load_set phases_of(std::string const& text, load_request const& wanted) {
  std::istringstream in(text);
  return read_loads(in, "x", wanted);
}

TEST(load_file, one_phase_counts_and_all_phases_have_the_same_ranks) {
  std::string const text = "rank, load, phase\n0,1,4\n3,2,4\n1,5,9\n0,7,4\n1,6,9\n";
  load_set const last = phases_of(text, {});
  EXPECT_EQ(last.loads, (machine_loads{{}, {5, 6}, {}, {}}));
  EXPECT_EQ(last.phase_text, "phase 9, the last of 2");
  load_set const first = phases_of(text, {.phase = 4});
  EXPECT_EQ(first.loads, (machine_loads{{1, 7}, {}, {}, {2}}));
  EXPECT_EQ(first.phase_text, "phase 4, one of 2");
  EXPECT_EQ(refusal(text, {.phase = 5}), "loads.csv: there is no phase 5; allowed: 4, 9");
  EXPECT_EQ(refusal("0,1\n", {.phase = 5}),
            "loads.csv: --phase is 5, but the lines have no phase; allowed: lines rank,load,phase");
}

TEST(load_file, more_ranks_may_be_idle_but_none_may_be_left_out) {
  EXPECT_EQ(phases_of("0,1\n1,1\n", {.ranks = 4}).loads.size(), 4U);
  EXPECT_EQ(refusal("0,1\n4,1\n", {.ranks = 4}), "loads.csv:2: a rank is '4'; allowed: a whole number from 0 to 3");
}

}}  // namespace skua::cli
