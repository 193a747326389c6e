// SPDX-License-Identifier: MIT
// A suggestion changes what it says, and never the trace that it is about. tests/cli/suggestions_test.py runs them.
#include "cli/report/again.hpp"

#include <gtest/gtest.h>

namespace skua::cli::traced { namespace {

TEST(again, a_program_takes_variables_and_keeps_the_others) {
  start_of_run how{.arguments = {"./heat", "--name", "a b"},
                   .variables = {"OMP_NUM_THREADS=3", "SKUA_POLICY=random", "SKUA_TRACE=t", "SKUA_TRACE_SIZE=1m"},
                   .policy_from = "SKUA_POLICY",
                   .workers_from = "",
                   .trace_from = "SKUA_TRACE",
                   .trace = "t"};
  EXPECT_EQ(command_again(how, setting::policy, "adws", "adws.trace"),
            "OMP_NUM_THREADS=3 SKUA_TRACE_SIZE=1m SKUA_POLICY=adws SKUA_TRACE=adws.trace ./heat --name 'a b' && skua "
            "report t "
            "adws.trace -o report.html");
  EXPECT_EQ(
      command_again(how, setting::none, "", "split.trace"),
      "OMP_NUM_THREADS=3 SKUA_POLICY=random SKUA_TRACE_SIZE=1m SKUA_TRACE=split.trace ./heat --name 'a b' && skua "
      "report t split.trace -o report.html");
}

TEST(again, an_openmp_program_is_preloaded) {
  start_of_run how{.arguments = {"./heat"},
                   .variables = {"OMP_NUM_THREADS=3", "SKUA_TRACE=t"},
                   .policy_from = "code",
                   .workers_from = "code",
                   .trace_from = "SKUA_TRACE",
                   .trace = "t",
                   .ranks = 1,
                   .is_openmp = true};
  EXPECT_EQ(command_again(how, setting::workers, "2", "fewer.trace"),
            "OMP_NUM_THREADS=2 SKUA_TRACE=fewer.trace skua omp -- ./heat && skua report t fewer.trace -o report.html");
}

TEST(again, options_of_run_and_sim_are_replaced_because_they_beat_variables) {
  start_of_run how{.arguments = {"/bin/skua", "run", "heat", "--policy=random", "--workers", "2", "--trace", "t"},
                   .variables = {},
                   .policy_from = "code",
                   .workers_from = "code",
                   .trace_from = "code",
                   .trace = "t"};
  EXPECT_EQ(
      command_again(how, setting::policy, "adws", "adws.trace"),
      "/bin/skua run heat --workers 2 --policy adws --trace adws.trace && skua report t adws.trace -o report.html");
  how.arguments = {"skua", "sim", "heat", "--policies", "random", "--workers", "64", "--trace=t"};
  EXPECT_EQ(
      command_again(how, setting::workers, "15", "fewer.trace"),
      "skua sim heat --policies random --workers 15 --trace fewer.trace && skua report t fewer.trace -o report.html");
}

TEST(again, the_new_trace_has_another_name) {
  for (auto const& [taken, name] :
       {std::pair("adws.trace", "adws2.trace"), {"old/adws.trace", "adws2.trace"}, {"t", "adws.trace"}}) {
    start_of_run how{
        .arguments = {"p"}, .variables = {}, .policy_from = "", .workers_from = "", .trace_from = "", .trace = taken};
    EXPECT_NE(command_again(how, setting::none, "", "adws.trace").find(std::string("SKUA_TRACE=") + name + " "),
              std::string::npos);
  }
}

TEST(again, there_is_none_where_no_command_line_changes_it) {
  start_of_run how{.arguments = {"p"}, .variables = {}, .policy_from = "code", .workers_from = "", .trace_from = ""};
  EXPECT_EQ(command_again(how, setting::policy, "adws", "n.trace"), "");
  EXPECT_NE(command_again(how, setting::workers, "3", "n.trace"), "");
  how.trace_from = "code";
  EXPECT_EQ(command_again(how, setting::none, "", "n.trace"), "");
  how.arguments = {"skua", "compare", "heat"};
  EXPECT_EQ(command_again(how, setting::none, "", "n.trace"), "");
  how = {.arguments = {"p"}, .variables = {}, .policy_from = "", .workers_from = "", .trace_from = "", .ranks = 4};
  EXPECT_EQ(command_again(how, setting::policy, "adws", "n.trace"), "") << "ranks balance otherwise";
  EXPECT_EQ(command_again(how, setting::none, "", "n.trace"),
            "SKUA_TRACE=n.trace mpirun -n 4 p && skua report TRACE n.trace -o report.html");
}

}}  // namespace skua::cli::traced
