// SPDX-License-Identifier: MIT
// A table of options takes values from a line, shows its defaults, and says which value is not allowed.
#include "apps/option.hpp"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <array>
#include <limits>
#include <stdexcept>

#include "apps/parameter.hpp"
#include "apps/parse_options.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::apps { namespace {

constexpr std::array<std::string_view, 3> sizes{"small", "medium", "large"};
enum class size : std::uint8_t { small, medium, large };

/// One option of each kind.
struct values {
  bool flag = false;
  std::int64_t whole = 5;
  std::uint64_t seed = 7;
  double real = 0.5;
  std::string word = "medium";
  std::optional<std::int64_t> maybe_whole;
  std::optional<double> maybe_real;
  std::optional<std::string> maybe_word;

  std::vector<option> options() {
    return {
        {"--flag", &flag, "a flag"},
        {"--whole,--integer", &whole, between(-2, 9), "a whole number"},
        {"--seed", &seed, "a seed"},
        {"--real", &real, between(0.0, 1.0), "a number"},
        {"--word", &word, one_of(sizes), "a word"},
        {"--maybe-whole", &maybe_whole, between(1, 3), "perhaps a whole number"},
        {"--maybe-real", &maybe_real, between(0, 1), "perhaps a number"},
        {"--maybe-word", &maybe_word, one_of(sizes), "perhaps a word"},
    };
  }
};

/// What require_allowed says of a line of options, or "allowed".
std::string verdict(std::string const& line) {
  values v;
  parse_options(line, v.options());
  try {
    require_allowed("app", v.options());
  } catch (usage_error const& refused) {
    return refused.what();
  }
  return "allowed";
}

TEST(options, a_line_sets_the_members) {
  values v;
  parse_options("--flag --integer -1 --seed 3 --real 0.25 --word large --maybe-real 1e-3 --maybe-word 'a b'",
                v.options());
  EXPECT_TRUE(v.flag);
  EXPECT_EQ(v.whole, -1);
  EXPECT_EQ(v.seed, 3U);
  EXPECT_EQ(v.real, 0.25);
  EXPECT_EQ(v.word, "large");
  EXPECT_EQ(v.maybe_whole, std::nullopt);
  EXPECT_EQ(v.maybe_real, 1e-3);
  EXPECT_EQ(v.maybe_word, "a b");
}

TEST(options, a_line_that_cannot_be_read_is_refused) {
  values v;
  EXPECT_THROW(parse_options("--whole", v.options()), usage_error);
  EXPECT_THROW(parse_options("--whole many", v.options()), usage_error);
  EXPECT_THROW(parse_options("--hole 1", v.options()), usage_error);
  EXPECT_THROW(parse_options("--help", v.options()), usage_error);
}

TEST(options, the_first_value_outside_its_limits_is_named) {
  EXPECT_EQ(verdict(""), "allowed");
  EXPECT_EQ(verdict("--whole -2 --real 1 --word small"), "allowed");
  EXPECT_EQ(verdict("--integer 10"), "app: --whole is 10; allowed: -2 to 9");
  EXPECT_EQ(verdict("--word tiny --whole -3"), "app: --whole is -3; allowed: -2 to 9");
  EXPECT_EQ(verdict("--real nan"), "app: --real is nan; allowed: 0 to 1");
  EXPECT_EQ(verdict("--word tiny"), "app: --word is 'tiny'; allowed: small, medium, large");
  EXPECT_EQ(verdict("--maybe-whole 0"), "app: --maybe-whole is 0; allowed: 1 to 3");
  EXPECT_EQ(verdict("--maybe-real 1.5"), "app: --maybe-real is 1.5; allowed: 0 to 1");
  EXPECT_EQ(verdict("--maybe-word tiny"), "app: --maybe-word is 'tiny'; allowed: small, medium, large");
}

TEST(options, limits_of_another_type_than_the_value_are_a_mistake_of_the_table) {
  std::int64_t whole = 1;
  std::uint64_t seed = 1;
  EXPECT_THROW(require_allowed("app", std::vector<option>{{"--n", &whole, one_of(sizes), ""}}), std::logic_error);
  EXPECT_THROW(require_allowed("app", std::vector<option>{{"--seed", &seed, between(0, 1), ""}}), std::logic_error);
}

TEST(options, help_shows_the_defaults_that_there_are) {
  values v;
  v.word.clear();
  CLI::App command;
  declare(command, v.options());
  auto const shown = [&](char const* name) { return command.get_option(name)->get_default_str(); };
  EXPECT_EQ(shown("--whole"), "5");
  EXPECT_EQ(shown("--seed"), "7");
  EXPECT_EQ(shown("--real"), "0.5");
  for (char const* none : {"--flag", "--word", "--maybe-whole", "--maybe-real", "--maybe-word"}) {
    EXPECT_EQ(shown(none), "") << none;
  }
}

TEST(options, a_word_means_its_position_among_the_words) {
  EXPECT_EQ(meaning_of<size>("small", sizes), size::small);
  EXPECT_EQ(meaning_of<size>("large", sizes), size::large);
  EXPECT_TRUE(meaning_of<bool>("medium", sizes));
}

TEST(options, an_option_remembers_where_it_has_no_effect) {
  struct table final : option_table {
    number_option<int> n{*this, "--n,--size", 3, between(1, 9), "how many"};
    text_option file{*this, "--file", "", "instead"};
  } t;
  t.has_no_effect({"--n", "--file"}, ways::serial | ways::tbb, "nobody reads it");
  t.has_no_effect({"--n"}, "--file", "the file says how many");
  std::vector<without_effect> const& of_n = t.rows().front().unused;
  ASSERT_EQ(of_n.size(), 2U);
  EXPECT_EQ(of_n[0].in & ways::peers, ways::serial | ways::tbb);
  EXPECT_EQ(of_n[0].in & ~ways::peers, ways::none);
  EXPECT_EQ(of_n[1].beside, "--file");
  EXPECT_EQ(t.rows().back().unused.size(), 1U);
  EXPECT_THROW(t.has_no_effect({"--size"}, ways::serial, "it is not the first name"), std::logic_error);
}

}}  // namespace skua::apps
