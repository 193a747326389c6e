// SPDX-License-Identifier: MIT
#include "cli/text/command_line.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace skua::cli {
namespace {

using words = std::vector<std::string>;

TEST(command_line, plain_words_stay_plain_and_others_are_quoted) {
  EXPECT_EQ(quoted_for_shell("--workers=1,2"), "--workers=1,2");
  EXPECT_EQ(quoted_for_shell("hierarchical:patience=3"), "hierarchical:patience=3");
  EXPECT_EQ(quoted_for_shell(""), "''");
  EXPECT_EQ(quoted_for_shell("a b"), "'a b'");
  EXPECT_EQ(quoted_for_shell("it's"), "'it'\\''s'");
  EXPECT_EQ(quoted_for_shell("$HOME;rm *"), "'$HOME;rm *'");
}

TEST(command_line, it_names_the_program_and_all_arguments) {
  EXPECT_EQ(command_line(words{"/opt/skua/bin/skua", "compare", "fib", "--synthetic", "package:2 core:4"}, words{}),
            "skua compare fib --synthetic 'package:2 core:4'");
}

TEST(command_line, variables_that_choose_a_runtimes_behaviour_precede_it) {
  EXPECT_EQ(command_line(words{"skua", "compare"}, words{"SKUA_PIN=off", "PATH=/bin", "OMP_PLACES={0}, {1}", "HOME=/",
                                                         "SKUA_COMMAND=x", "SKUA_SPIN="}),
            "OMP_PLACES='{0}, {1}' SKUA_PIN=off SKUA_SPIN= skua compare");
}

TEST(command_line, that_of_this_process_is_found) {
  EXPECT_NE(own_command_line().find("cli_test"), std::string::npos) << own_command_line();
}

}  // namespace
}  // namespace skua::cli
