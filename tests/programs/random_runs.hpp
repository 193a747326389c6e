// SPDX-License-Identifier: MIT
// Random tests: every seed with every number of simulated workers, or one seed that is new each time. When a test fails
// it prints the command line that repeats the failing run alone.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <random>
#include <span>
#include <string>

namespace skua { inline namespace v0 { namespace testing {

/// The value of an environment variable, as a number.
inline std::optional<std::uint64_t> number_of(char const* variable) {
  char const* const given = std::getenv(variable);
  if (given == nullptr) return {};
  return std::strtoull(given, nullptr, 10);
}

/// "to repeat it: SKUA_SEED=3 SKUA_TEST_WORKERS=7 sim_live_test --gtest_filter=..."
inline std::string command_line_of(std::uint64_t seed, std::string const& more = "") {
  auto const* const test = ::testing::UnitTest::GetInstance()->current_test_info();
  return "to repeat it: SKUA_SEED=" + std::to_string(seed) + " " + more + ::testing::internal::GetArgvs().front() +
         " --gtest_filter='" + test->test_suite_name() + "." + test->name() + "'";
}

/// The seed in SKUA_SEED, else a fresh one.
inline std::uint64_t fresh_seed() {
  if (auto const given = number_of("SKUA_SEED")) return *given;
  return std::random_device{}();
}

/// Calls f(seed, workers) for seeds 1 .. last; or only for the seed and the workers that SKUA_SEED and
/// SKUA_TEST_WORKERS name.
template <class F>
void each_random_run(std::uint64_t last, std::span<std::uint32_t const> workers, F&& f) {
  auto const only_seed = number_of("SKUA_SEED");
  auto const only_workers = number_of("SKUA_TEST_WORKERS");
  for (std::uint64_t seed = only_seed.value_or(1); seed <= only_seed.value_or(last); ++seed) {
    for (std::uint32_t const count : workers) {
      if (only_workers && *only_workers != count) continue;
      SCOPED_TRACE(command_line_of(seed, "SKUA_TEST_WORKERS=" + std::to_string(count) + " "));
      f(seed, count);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

}}}  // namespace skua::v0::testing
