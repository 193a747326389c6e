// SPDX-License-Identifier: MIT
// Where the system refuses a thread, a pool's constructor says so, and nothing is left of the pool.
#include <gtest/gtest.h>

#include <string>

#include "skua/parts/base/error.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/skua.hpp"
#include "tests/programs/refused_threads.hpp"

namespace {

TEST(refused_thread, is_an_error_that_says_what_may_help) {
  if (skua::runtime::under_tsan || skua::runtime::under_asan) GTEST_SKIP() << "the sanitizer makes the threads";
  for (int round = 0; round < 3; ++round) {
    skua::testing::threads_are_refused const for_now;
    try {
      skua::pool const pool(2);
      ADD_FAILURE() << "it must throw";
    } catch (skua::resource_error const& e) {
      std::string const text = e.what();
      EXPECT_NE(text.find("cannot start worker 0: "), std::string::npos) << text;
      EXPECT_NE(text.find("SKUA_WORKERS"), std::string::npos) << text;
    }
  }
  EXPECT_EQ(skua::pool(2).run([](auto&) { return 7; }), 7);
}

}  // namespace
