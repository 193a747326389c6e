// SPDX-License-Identifier: MIT
// Mixed programs under every policy: each has its answer, whatever meets whatever. `make campaign` runs many more.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "skua/parts/base/platform.hpp"
#include "skua/policy/combinations_for_test.hpp"
#include "tests/mixed/mixed_runs.hpp"
#include "tests/mixed/mixed_step.hpp"
#include "tests/programs/effort.hpp"
#include "tests/programs/random_runs.hpp"

namespace {

using skua::testing::mixed_run;

class mixed_programs : public ::testing::TestWithParam<std::string> {};

}  // namespace

TEST(mixed_program, every_construct_is_drawn_inside_of_every_other) {
  std::vector<std::uint64_t> drawn(static_cast<std::size_t>(skua::testing::construct::last) + 1);
  for (std::uint64_t seed = 1; seed <= 2'000; ++seed) skua::testing::mixed_step::drawn(seed, 5).count(drawn);
  for (std::size_t c = 0; c < drawn.size(); ++c)
    EXPECT_GT(drawn[c], 20U) << name_of(static_cast<skua::testing::construct>(c));
}

TEST_P(mixed_programs, have_their_answers) {
  std::uint64_t const seed = skua::testing::fresh_seed() % 1'000'000'000;
  for (std::uint32_t const workers : {1U, 2U, 4U, 16U}) {
    for (std::uint32_t const callers : {1U, 2U, 3U}) {
      mixed_run const r{.policy = GetParam(),
                        .workers = workers,
                        .seed = seed,
                        .programs = skua::runtime::under_tsan ? 4 : skua::testing::full_or(100U, 10U),
                        .callers = callers,
                        .depth = 4};
      ASSERT_EQ(fault_of(r), "");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(policies, mixed_programs, ::testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (auto const& p : skua::testing::policies_and_combinations())
                             names.push_back("checked:" + p);
                           return names;
                         }()),
                         [](auto const& chosen) {
                           std::string name = chosen.param;
                           for (char& c : name) c = c == '-' || c == ':' || c == '=' ? '_' : c;
                           return name;
                         });
