// SPDX-License-Identifier: MIT
#include "cli/text/command.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "skua/parts/base/error.hpp"

namespace skua::cli { namespace {

/// A root with one subcommand, and what its options were given.
struct command_under_test {
  root_parser const root{"for tests", "test"};
  parser const command = root.add_subcommand("go", "goes");
  std::string text = "start";
  std::optional<std::string> maybe, file;
  std::vector<std::string> words, arguments;
  double number = 5;
  std::optional<double> other;
  bool flag = true;
  std::optional<std::string> how;
  std::int64_t times = 0;
  std::string taken = "nothing";

  command_option const of_text = command.add_option("-t,--text", text, "T", "a text").shows_default();

  command_under_test() {
    root.set_version("test 1");
    root.require_subcommand();
    command.add_option("WORDS", arguments, "", "arguments");
    command.add_option("--maybe", maybe, "M", "may be empty or not").refuses_empty();
    command.add_option("--file", file, "FILE", "where to");
    command.add_option("--word", words, "W", "a word").repeatable();
    command.add_option("--number", number, "N", "a number").between(0, 10);
    command.in_group("More").add_option("--other", other, "N", "another");
    command.add_flag("--on,!--off", flag, "on or off");
    command.add_flag("--how{so}", how, "how");
    command.add_flag_function("--count", [this](std::int64_t n) { times = n; }, "counts");
    command
        .add_option_function(
            "--take",
            [this](std::string const& value) {
              taken = value;
              return value != "bad";
            },
            "X", "takes")
        .or_without_value("all");
  }

  /// What the parser says about this line, or "".
  std::string said_of(std::string const& line) const {
    auto const said = root.parse(line);
    return said ? (said->is_fault ? "fault: " : "") + said->text : "";
  }
};

TEST(parser, values_arrive_in_their_variables) {
  command_under_test of;
  EXPECT_EQ(of.said_of("go a -t x b --maybe=y --word 1 --word 2 --number 2.5 --other 3 --off --how=thus --count "
                       "--take z"),
            "");
  EXPECT_TRUE(of.command.is_parsed());
  EXPECT_EQ(of.command.name(), "go");
  EXPECT_TRUE(of.of_text.is_given());
  EXPECT_EQ(of.of_text.name(), "--text");
  EXPECT_EQ(of.text, "x");
  EXPECT_EQ(of.maybe, "y");
  EXPECT_EQ(of.words, (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(of.arguments, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(of.number, 2.5);
  EXPECT_EQ(of.other, 3.0);
  EXPECT_FALSE(of.flag);
  EXPECT_EQ(of.how, "thus");
  EXPECT_EQ(of.times, 1);
  EXPECT_EQ(of.taken, "z");
}

TEST(parser, what_is_not_given_keeps_its_value) {
  command_under_test of;
  EXPECT_EQ(of.said_of("go"), "");
  EXPECT_FALSE(of.of_text.is_given());
  EXPECT_EQ(of.text, "start");
  EXPECT_EQ(of.maybe, std::nullopt);
  EXPECT_EQ(of.number, 5);
  EXPECT_TRUE(of.flag);
  EXPECT_EQ(of.how, std::nullopt);
  EXPECT_EQ(of.taken, "nothing");
}

TEST(parser, a_missing_value_is_the_one_that_stands_for_it) {
  command_under_test of;
  EXPECT_EQ(of.said_of("go --take --how"), "");
  EXPECT_EQ(of.taken, "all");
  EXPECT_EQ(of.how, "so");
}

TEST(parser, help_and_version_are_said_and_are_no_fault) {
  EXPECT_EQ(command_under_test().said_of("--version"), "test 1\n");
  EXPECT_EQ(command_under_test().said_of("--help").find("for tests"), 0U);
  std::string const help = command_under_test().said_of("go --help");
  EXPECT_NE(help.find("-t, --text T [start]"), std::string::npos) << help;
  EXPECT_NE(help.find("More:"), std::string::npos) << help;
}

TEST(parser, a_line_that_makes_no_sense_is_a_fault_with_the_rule) {
  auto const said_of = [](std::string const& line) { return command_under_test().said_of(line); };
  EXPECT_EQ(said_of(""), "fault: subcommand is missing; allowed: go");
  EXPECT_EQ(said_of("went"), "fault: subcommand is 'went'; allowed: go");
  EXPECT_EQ(said_of("go --tixt x"),
            "fault: go: option is '--tixt'; allowed: see skua go --help; "
            "did you mean '--text'?");
  EXPECT_EQ(said_of("go --maybe="), "fault: go: --maybe is missing its value; allowed: a value (may be empty or not)");
  EXPECT_EQ(said_of("go --file="), "fault: go: --file is missing its value; allowed: a value (where to)");
  EXPECT_EQ(said_of("go --take bad"), "fault: go: --take is missing its value; allowed: a value (takes)");
  EXPECT_EQ(said_of("go -t a -t b"), "fault: go: --text is given 2 times; allowed: once");
  for (std::string const value : {"11", "-1", "nan", "inf", "x"})
    EXPECT_EQ(said_of("go --number " + value), "fault: go: --number is '" + value + "'; allowed: N, 0 to 10");
  EXPECT_EQ(said_of("go --number="), "fault: go: --number is missing its value; allowed: a value (a number)");
  EXPECT_EQ(said_of("go --other="), "fault: go: --other is missing its value; allowed: a value (another)");
}

/// `far` is a mode of its own, `--near` one that an option chooses.
struct command_with_modes {
  root_parser const root{"for tests", "test"};
  parser const command = root.add_subcommand("go", "goes");
  std::string distance, fuel, speed;
  bool near = false, lights = true;
  std::optional<std::string> boots, map;

  command_with_modes() {
    command.mode("far",
                 [this]() -> std::string { return distance.starts_with("far") ? "--distance " + distance : ""; });
    command.add_option("--distance", distance, "D", "a distance");
    command.add_flag("-n,--near", near, "near");
    command.add_flag("--lights,!--dark", lights, "lights").only_with("far", "it is day");
    parser const of_cars = command.in_group("Cars").never_with("--near", "one walks", {"--speed"});
    of_cars.add_option("--fuel", fuel, "F", "fuel");
    of_cars.add_option("--speed", speed, "S", "speed").never_with("far", "there is a limit");
    command.only_with("--near", "one drives").add_option("--boots", boots, "B", "boots");
  }

  /// What the modes refuse of this line, or "".
  std::string refused_of(std::string const& line) const {
    EXPECT_FALSE(root.parse(line)) << line;
    try {
      command.check_modes();
    } catch (usage_error const& fault) {
      return fault.what();
    }
    return "";
  }
};

TEST(modes, an_option_without_effect_is_refused_with_the_mode_and_the_reason) {
  auto const refused_of = [](std::string const& line) { return command_with_modes().refused_of(line); };
  EXPECT_EQ(refused_of("go --near --fuel f"), "--fuel is given with --near; allowed: one of them, because one walks");
  EXPECT_EQ(refused_of("go -n --fuel f"), "--fuel is given with --near; allowed: one of them, because one walks");
  EXPECT_EQ(refused_of("go --boots b"),
            "--boots is given without --near; allowed: only with --near, because one drives");
  EXPECT_EQ(refused_of("go --distance far --speed s"),
            "--speed is given with --distance far; allowed: one of them, because there is a limit");
  EXPECT_EQ(refused_of("go --lights"), "--lights is given without far; allowed: only with far, because it is day");
  EXPECT_EQ(refused_of("go --dark"), "--dark is given without far; allowed: only with far, because it is day");
}

TEST(modes, an_option_that_counts_is_allowed) {
  for (std::string const line : {"go", "go --near --boots b --speed s", "go --fuel f --speed s",
                                 "go --distance far --dark", "go --distance far --near --boots b --lights"})
    EXPECT_EQ(command_with_modes().refused_of(line), "") << line;
}

TEST(modes, a_rule_about_a_mode_that_does_not_exist_is_a_fault_of_the_program) {
  command_with_modes of;
  of.command.add_option("--map", of.map, "M", "a map").never_with("--nearby", "one sees it");
  EXPECT_THROW(static_cast<void>(of.refused_of("go")), std::logic_error);
}

}}  // namespace skua::cli
