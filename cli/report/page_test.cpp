// SPDX-License-Identifier: MIT
// The page holds its data and nothing that an HTML parser would take for the end of them; pictures survive packing.
#include "cli/page/page.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <vector>

#include "apps/picture/look.hpp"
#include "cli/page/page_sources.hpp"
#include "cli/report/invented_test.hpp"
#include "cli/report/packed.hpp"
#include "cli/report/results.hpp"

namespace skua::cli::traced {
namespace {

std::string page_of_report(json const& report) {
  return page_of({.name = "report", .subcommand = "report", .script = page_sources::report_script()}, report);
}

TEST(page, no_text_of_a_trace_ends_the_script_that_holds_it) {
  run r = invented({{at(0, {.what = kind::task_began, .other = 1, .id = 1}), at(9, {.what = kind::task_ended})}},
                   {"", "</script><script>alert(1)</script>{{script}}"});
  r.label = "<!--{{data}}";
  std::string const page = page_of_report(report_of({r}));
  std::string const opening = R"(<script type="application/json" id="data">)";
  std::size_t const begin = page.find(opening) + opening.size();
  std::string const data = page.substr(begin, page.find("</script>", begin) - begin);
  EXPECT_EQ(data.find('<'), std::string::npos);
  json const read = json::parse(data);
  EXPECT_EQ(read["runs"][0]["label"], "<!--{{data}}");
  EXPECT_EQ(read["runs"][0]["tasks"][0]["name"], "</script><script>alert(1)</script>{{script}}");
}

TEST(page, a_run_without_events_has_a_report) {
  json const all = report_of({invented({{}, {}})});
  EXPECT_EQ(all["runs"][0]["events"], 0);
  EXPECT_TRUE(all["runs"][0]["findings"].empty());
  EXPECT_FALSE(page_of_report(all).empty());
}

TEST(page, a_report_says_what_auto_chose) {
  run r =
      invented({{at(30, {.what = kind::scheduler_changed, .detail = 1, .other = 1, .id = 2, .value = 5'000'000'000})},
                {at(10, {.what = kind::scheduler_changed, .other = 3, .id = 2})}},
               {"", "random", "solve", "adws", "solve: adws (the first choice)"});
  r.outside.emplace_back().events = {at(40, {.what = kind::call_choice, .other = 4})};
  json const all = report_of({r});
  json const& choices = all["runs"][0]["choices"];
  EXPECT_EQ(choices["says"], json::array({"solve: adws (the first choice)"}));
  EXPECT_EQ(choices["changes"], 2);
  EXPECT_EQ(choices["rows"][0]["scheduler"], "adws");
  EXPECT_EQ(choices["rows"][1]["scheduler"], "random");
  EXPECT_EQ(choices["rows"][1]["call"], "solve");
  EXPECT_EQ(choices["rows"][1]["on_trial"], true);
  EXPECT_EQ(choices["rows"][1]["trials_lost_s"], 5);
  EXPECT_EQ(report_of({invented({{}})})["runs"][0]["choices"]["changes"], 0);
}

TEST(page, texts_that_are_not_utf_8_do_not_break_it) {
  run r = invented({{at(0, {.what = kind::working})}});
  r.program = "caf\xe9";
  EXPECT_NO_THROW(static_cast<void>(page_of_report(report_of({r}))));
}

TEST(page, every_property_that_style_and_scripts_use_is_one_of_the_look) {
  std::string const look = apps::look::css_of_look();
  std::string const own = page_sources::style() + page_sources::script() + page_sources::report_script() +
                          page_sources::comparison_script();
  std::regex const used(R"re(var\(--([a-z-]+)\)|(?:look|colour|pixels|dashes)\("([a-z-]+)"\)|paint: "([a-z-]+)")re");
  std::size_t found = 0;
  for (std::sregex_iterator at(own.begin(), own.end(), used), end; at != end; ++at, ++found) {
    std::string const name = (*at)[1].str() + (*at)[2].str() + (*at)[3].str();
    EXPECT_NE(look.find("  --" + name + ": "), std::string::npos) << name;
  }
  EXPECT_GT(found, 50U);
  EXPECT_NE(page_of_report(report_of({invented({{}})})).find(look), std::string::npos);
}

TEST(packed, base_64_is_that_of_the_standard) {
  auto const of = [](std::string_view text) { return packed(std::vector<std::uint8_t>(text.begin(), text.end())); };
  EXPECT_EQ(of(""), "");
  EXPECT_EQ(of("f"), "Zg==");
  EXPECT_EQ(of("fo"), "Zm8=");
  EXPECT_EQ(of("foobar"), "Zm9vYmFy");
  EXPECT_EQ(packed16(std::vector<std::uint32_t>{0x0102, 70'000}), "AgH//w==");
}

TEST(packed, numbers_keep_four_digits) {
  EXPECT_DOUBLE_EQ(rounded(1.23456), 1.235);
  EXPECT_DOUBLE_EQ(rounded(123456), 123500);
  EXPECT_DOUBLE_EQ(rounded(-0.000123456), -0.0001235);
  EXPECT_EQ(rounded(0), 0);
}

}  // namespace
}  // namespace skua::cli::traced
