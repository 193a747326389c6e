// SPDX-License-Identifier: MIT
// Whatever a reader may do wrong is noticed.
#include "tests/readers/reader_runs.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "skua/parts/base/error.hpp"
#include "skua/parts/base/platform.hpp"
#include "tests/readers/mutation.hpp"
#include "tests/readers/originals.hpp"

namespace skua { inline namespace v0 { namespace testing { namespace {

std::string lines(runtime::dice& d) { return "load " + std::to_string(d.below(100)) + "\nend\n"; }

/// What is said of a reader that does this with each file that is not an original's.
std::string said_of(void (*wrong)(std::string const&), reader_limits const& most = {}) {
  scratch_file const f("x");
  std::string const folder = f.path().substr(0, f.path().rfind('/'));
  reader const r{"wrong", "x.txt", lines, wrong};
  reader_counts counts;
  auto const failed = run_cases(r, 1, 1, 10, folder, counts, most);
  return failed ? failed->why : "all right";
}

TEST(reader_runs, a_reader_that_refuses_or_reads_is_right) {
  EXPECT_EQ(said_of([](std::string const&) {}), "all right");
  EXPECT_EQ(said_of([](std::string const&) { throw usage_error("x.txt:1: no"); }), "all right");
}

TEST(reader_runs, whatever_else_a_reader_does_is_noticed) {
  EXPECT_NE(said_of([](std::string const&) { throw usage_error("x.txt: \x1b[31m"); }).find("terminal"),
            std::string::npos);
  EXPECT_NE(said_of([](std::string const&) { throw usage_error(""); }).find("empty"), std::string::npos);
  EXPECT_EQ(said_of([](std::string const&) { throw std::out_of_range("stoi"); }), "stoi");
  EXPECT_NE(said_of([](std::string const&) { raise(SIGSEGV); }).find("signal 11"), std::string::npos);
  EXPECT_EQ(said_of([](std::string const&) { _exit(3); }), "it ended the process with 3");
}

TEST(reader_runs, a_reader_that_does_not_end_is_noticed) {
  auto const spins = [](std::string const&) {
    bool volatile goes_on = true;
    while (goes_on) {}
  };
  EXPECT_NE(said_of(spins, {.processor_s = 0.1}).find("processor time"), std::string::npos);
  EXPECT_EQ(said_of([](std::string const&) { pause(); }, {.processor_s = 0.01}), "it waits for ever");
}

TEST(reader_runs, a_reader_that_wants_all_memory_is_noticed) {
  if (runtime::under_asan || runtime::under_tsan) GTEST_SKIP() << "a sanitizer's shadow takes all of the address space";
  auto const wants = [](std::string const&) {
    std::unique_ptr<char volatile[]> const all{new char volatile[std::size_t{1} << 28]};
    all[0] = 1;
  };
  EXPECT_EQ(said_of(wants), "all right");
  EXPECT_NE(said_of(wants, {.memory_bytes = std::uint64_t{1} << 26}).find("bad_alloc"), std::string::npos);
}

TEST(reader_runs, an_original_that_is_refused_is_noticed) {
  scratch_file const f("x");
  reader const r{"wrong", "x.txt", lines, [](std::string const&) { throw usage_error("no"); }};
  reader_counts counts;
  auto const failed = run_cases(r, 1, 0, 1, f.path().substr(0, f.path().rfind('/')), counts);
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->why, "an original is refused: no");
  EXPECT_EQ(failed->number, 0U);
}

TEST(mutation, changes_most_files_and_repeats_itself) {
  std::uint64_t const seed = 20'261;
  runtime::dice a{seed}, b{seed};
  int changed = 0;
  for (int i = 0; i < 1'000; ++i) {
    std::string one = "ply\nformat ascii 1.0\nelement vertex 3\n0 0 0\n", other = one;
    std::string const before = one;
    mutate(a, one);
    mutate(b, other);
    ASSERT_EQ(one, other);
    if (one != before) ++changed;
  }
  EXPECT_GT(changed, 800) << "seed " << seed;
  std::string empty;
  for (int i = 0; i < 1'000; ++i) mutate(a, empty);
  EXPECT_LE(empty.size(), most_mutated_bytes);
}

}}}}  // namespace skua::v0::testing
