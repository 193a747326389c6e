// SPDX-License-Identifier: MIT
// TCM_ENABLE=1 on this machine: with the real library if it has one, else with a note and all workers.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>

#include "skua/skua.hpp"
#include "tests/programs/fib.hpp"

namespace {

using skua::testing::fib;

[[maybe_unused]] bool const is_enabled = ::setenv("TCM_ENABLE", "1", 1) == 0;

}  // namespace

TEST(library_here, is_used_or_missed_with_a_note) {
  ::testing::internal::CaptureStderr();
  {
    skua::pool one({.workers = 2});
    skua::pool other({.workers = 2});
    std::jthread const beside([&] {
      for (int i = 0; i < 200; ++i) EXPECT_EQ(other.run([](auto& here) { return fib(here, 12); }), 144);
    });
    for (int i = 0; i < 200; ++i) {
      EXPECT_EQ(
          one.run([&](auto& here) { return fib(here, 12) + other.run([](auto& inner) { return fib(inner, 10); }); }),
          144 + 55);
    }
  }
  std::string const notes = ::testing::internal::GetCapturedStderr();
  if (::dlopen("libtcm.so.1", RTLD_NOW) != nullptr) {
    EXPECT_EQ(notes, "");
  } else {
    EXPECT_TRUE(notes.starts_with("skua: note: TCM_ENABLE=1 has no effect on pools: libtcm.so.1: ")) << notes;
    EXPECT_EQ(notes.find('\n'), notes.size() - 1) << "once: " << notes;
  }
}
