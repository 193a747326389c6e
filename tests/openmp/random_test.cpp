// SPDX-License-Identifier: MIT
// Random programs (random_program.hpp), one after the other. constructs_test.cpp says on which libraries this runs.
#include <gtest/gtest.h>
#include <omp.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "tests/openmp/random_program.hpp"
#include "tests/programs/effort.hpp"

namespace {

std::uint32_t number_from(char const* name, std::uint32_t otherwise) {
  char const* const text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
}

TEST(openmp_random_programs, count_what_they_should) {
  omp_set_max_active_levels(omp_random::most_levels);
  omp_set_dynamic(0);
  std::uint32_t const first = number_from("SEED", 20261);
  std::uint32_t const programs = number_from("PROGRAMS", skua::testing::full_or(2000u, 100u));
  for (std::uint32_t seed = first; seed < first + programs; ++seed) {
    SCOPED_TRACE("SEED=" + std::to_string(seed) + " PROGRAMS=1");
    omp_random::node const program = omp_random::program_of(seed);
    for (int repeat = 0; repeat < 3; ++repeat) {
      omp_random::counted c;
      run_team(program, c);
      ASSERT_EQ(c.all(), expected(program));
      ASSERT_EQ(c.wrong, 0);
    }
  }
  omp_set_max_active_levels(1);
}

}  // namespace
