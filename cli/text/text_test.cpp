// SPDX-License-Identifier: MIT
#include "cli/text/report.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/text/option_values.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::cli {
namespace {

TEST(table, text_is_left_aligned_numbers_right_and_no_line_ends_with_blanks) {
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

TEST(in_seconds, picks_the_unit_that_suits_the_time) {
  EXPECT_EQ(in_seconds(12.3456), "12.346 s ");
  EXPECT_EQ(in_seconds(0.0123), "12.30 ms");
  EXPECT_EQ(in_seconds(0.0000456), "45.60 us");
  EXPECT_EQ(in_seconds(4.56e-9), "4.56 ns");
  EXPECT_EQ(in_seconds(0), "0.00 us");
}

TEST(ratio, a_small_one_is_not_shown_as_zero) {
  EXPECT_EQ(cell::ratio(1.234).text, "1.23");
  EXPECT_EQ(cell::ratio(0.1).text, "0.10");
  EXPECT_EQ(cell::ratio(0.00213).text, "0.0021");
  EXPECT_EQ(cell::ratio(1e-9).text, "1e-09");
  EXPECT_EQ(cell::ratio(0).text, "0");
  EXPECT_EQ(cell::ratio({}).text, "-");
}

TEST(in_bytes, picks_the_largest_unit_that_leaves_at_least_one) {
  EXPECT_EQ(in_bytes(0), "0 bytes");
  EXPECT_EQ(in_bytes(64 << 10), "64 KiB");
  EXPECT_EQ(in_bytes(8 << 20), "8 MiB");
}

std::string refusal_of(auto&& read) {
  try {
    read();
  } catch (usage_error const& fault) {
    return fault.what();
  }
  return "nothing was refused";
}

TEST(report, one_list_of_columns_gives_table_json_and_csv) {
  report r({{"name", "who", false}, {"time_s", "time"}, {"hidden", ""}, {"", "note", false}});
  r.add({cell::of("a,b"), cell::seconds(2), cell::of(7), cell::of("x")});
  r.add({cell::of("c"), cell::ratio({}), cell::missing(), cell::of("y")});
  r.add_summary({cell::of("all"), cell::share(0.5), cell::missing(), cell::of("")});
  EXPECT_EQ(r.text(),
            "who      time  note\n"
            "a,b  2.000 s   x\n"
            "c           -  y\n"
            "all     50.0%\n");
  EXPECT_EQ(r.rows().dump(), R"([{"name":"a,b","time_s":2.0,"hidden":7},{"name":"c","time_s":null}])");
  EXPECT_EQ(r.csv(), "name,time_s,hidden\n\"a,b\",2.0,7\nc,,\n");
}

TEST(report, rows_that_name_their_cells_give_the_same) {
  report r;
  for (char const* const name : {"a", "b"})
    r.add_named({{"name", "who", cell::of(name), false}, {"", "time", cell::seconds(2)}, {"hidden", "", cell::of(7)}});
  EXPECT_EQ(r.text(),
            "who      time\n"
            "a    2.000 s\n"
            "b    2.000 s\n");
  EXPECT_EQ(r.csv(), "name,hidden\na,7\nb,7\n");
}

TEST(steal_columns, show_the_distances_at_which_anybody_stole) {
  std::vector<std::vector<std::uint64_t>> const steals{{0, 3}, {0, 0, 0, 5}};
  steal_columns const columns(steals);
  report r({{"", "policy", false}});
  columns.add_heads(r);
  for (auto const& s : steals) {
    std::vector<cell> cells{cell::of("p")};
    columns.add_cells(s, cells);
    r.add(std::move(cells));
  }
  EXPECT_EQ(r.text(),
            "policy  steals@1  steals@3\n"
            "p              3         0\n"
            "p              0         5\n");
  EXPECT_EQ(columns.legend([](std::size_t d) { return std::to_string(10 * d); }, " "),
            " steals@1: 10\n steals@3: 30\n");
}

TEST(numbers, are_whole_texts_and_finite) {
  EXPECT_EQ(number_in("0.25"), 0.25);
  EXPECT_EQ(number_in("-1e3"), -1000);
  for (char const* const text : {"", " 1", "1 ", "1x", "x", "nan", "inf", "1e999"}) EXPECT_FALSE(number_in(text)) << text;
  EXPECT_EQ(read_number("--share", "1", 0, 1, "a share"), 1);
  EXPECT_EQ(refusal_of([] { static_cast<void>(read_number("--share", "1.5", 0, 1, "a share")); }),
            "--share is '1.5'; allowed: a share");
}

TEST(refusals, name_the_option_its_value_and_what_is_allowed) {
  EXPECT_EQ(refusal_of([] { static_cast<void>(read_whole_number("--n", "abc", 1, 9)); }),
            "--n is 'abc'; allowed: a whole number from 1 to 9");
  EXPECT_EQ(refusal_of([] { refuse_name("peer", "tb", {"serial", "tbb"}); }),
            "peer is 'tb'; allowed: serial, tbb; did you mean 'tbb'?");
  EXPECT_EQ(refusal_of([] { refuse_name("peer", "rayon", {"serial", "tbb"}); }),
            "peer is 'rayon'; allowed: serial, tbb");
  EXPECT_EQ(refusal_of([] { refuse_together("--a", "--b", "c"); }),
            "--a is given with --b; allowed: one of them, because c");
  EXPECT_EQ(refusal_of([] {
              static_cast<void>(policies_in("--policies", "randon"));
            }).find("policy is 'randon'; allowed: auto, random, "),
            0U);
}

TEST(policies_in, keep_options_with_their_policy) {
  EXPECT_EQ(policies_in("--x", "random,numa-ws:bias=2,threshold=3,adws"),
            (std::vector<std::string>{"random", "numa-ws:bias=2,threshold=3", "adws"}));
  EXPECT_EQ(policies_in("--x", "numa-ws:bias=2,local,adws:no-steal,adws"),
            (std::vector<std::string>{"numa-ws:bias=2,local", "adws:no-steal", "adws"}));
  EXPECT_TRUE(policies_in("--x", "none").empty());
}

TEST(policies_in, a_policy_that_is_listed_twice_is_refused) {
  EXPECT_EQ(refusal_of([] { static_cast<void>(policies_in("--policies", "random,adws,random")); }),
            "--policies is 'random,adws,random'; allowed: each item once");
  EXPECT_EQ(policies_in("--x", "adws,adws:no-steal").size(), 2U);
}

TEST(policies_in, options_that_no_comma_separates_are_refused_with_the_form) {
  for (char const* const wrong :
       {"numa-ws:threshold=4:bias=2", "numa-ws:threshold=4;bias=2", "numa-ws:threshold=4 bias=2"}) {
    std::string const text = refusal_of([wrong] { static_cast<void>(policies_in("--policies", wrong)); });
    EXPECT_TRUE(text.ends_with("; allowed: options with a comma between each two, as in NAME:OPTION,OPTION=VALUE"))
        << text;
  }
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
