// SPDX-License-Identifier: MIT
// What the tests of docs/guide/objects.md share. A suite is an object, and the first words of a test's name are a column of the
// table there: two_threads_at_once, by_its_own_task, while_it_ends, after_its_end, moved_from. tests/docs/objects_test.py holds them together.
#pragma once

#include <gtest/gtest.h>

#include <csignal>
#include <thread>
#include <type_traits>

#include "skua/parts/base/platform.hpp"

namespace skua { inline namespace v0 { namespace testing {

template <class Object>
inline constexpr bool can_move = std::is_move_constructible_v<Object> || std::is_move_assignable_v<Object>;

/// f() in two threads.
template <class F>
void in_two_threads(F f) {
  std::thread other(f);
  f();
  other.join();
}

/// For what a program must not do: checked builds end with a sentence.
class misuse_DeathTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if constexpr (!runtime::checked) GTEST_SKIP() << "this build checks no preconditions (SKUA_CHECKED=OFF)";
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }
};

}}}  // namespace skua::v0::testing
