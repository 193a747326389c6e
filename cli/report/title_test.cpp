// SPDX-License-Identifier: MIT
#include "cli/report/title.hpp"

#include <gtest/gtest.h>

#include "cli/report/invented_test.hpp"

namespace skua::cli::traced { namespace {

TEST(title, it_has_app_policy_and_workers_as_far_as_they_are_known) {
  run r = invented({{}, {}, {}, {}});
  r.program = "/usr/bin/skua";
  r.how.arguments = {"/usr/bin/skua", "run", "--workers", "4", "heat", "--n", "512"};
  r.policy = "adws";
  EXPECT_EQ(title_of(r), "heat, adws, 4 workers");
  r.ranks = 2;
  EXPECT_EQ(title_of(r), "heat, adws, 2 ranks, 4 workers");
  EXPECT_EQ(title_of(run{}), "");
}

TEST(title, another_program_is_called_as_its_file) {
  run r = invented({{}});
  r.program = "bin/my_solver";
  r.how.arguments = {"bin/my_solver", "run", "heat"};
  EXPECT_EQ(title_of(r), "my_solver, 1 worker");
}

}}  // namespace skua::cli::traced
