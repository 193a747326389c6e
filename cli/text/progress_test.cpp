// SPDX-License-Identifier: MIT
// The bar itself is tested on a pseudo-terminal: tests/cli/interrupt_test.py.
#include "cli/text/progress.hpp"

#include <gtest/gtest.h>

#include <string>

namespace skua::cli {
namespace {

std::string line(double done, double seconds, double steps) {
  return progress_line(done, "fib", seconds, steps, "run", 200).substr(18);
}

TEST(progress_line, the_time_left_is_that_of_what_was_done_so_far) {
  EXPECT_EQ(line(0.25, 10, 0), "  25%, 30 s left  fib");
  EXPECT_EQ(line(0.25, 100, 0), "  25%, 5 min left  fib");
  EXPECT_EQ(line(0.01, 360, 0), "   1%, 10 h left  fib");
  EXPECT_EQ(line(1, 360, 0), " 100%, 0 s left  fib");
}

TEST(progress_line, a_rate_is_steps_a_second_or_seconds_a_step) {
  EXPECT_EQ(line(0.5, 10, 64), "  50%, 10 s left, 3.2 runs/s  fib");
  EXPECT_EQ(line(0.5, 10, 4), "  50%, 10 s left, 5.0 s/run  fib");
}

TEST(progress_line, there_is_no_rate_before_anything_was_done_and_in_the_first_second) {
  EXPECT_EQ(line(0, 10, 4), "   0%  fib");
  EXPECT_EQ(line(0.5, 0.9, 4), "  50%  fib");
}

TEST(progress_line, it_stays_within_the_columns_and_zero_to_one) {
  EXPECT_EQ(progress_line(0.5, "a long name of what is done", 5, 4, "run", 20).size(), 20u);
  EXPECT_NE(progress_line(0.5, "simulated: random with 4 workers", 100, 200, "run", 79).find("random"),
            std::string::npos);
  EXPECT_EQ(line(1.5, 0, 0), " 100%  fib");
  EXPECT_EQ(line(-1, 0, 0), "   0%  fib");
}

}  // namespace
}  // namespace skua::cli
