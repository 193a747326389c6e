// SPDX-License-Identifier: MIT
// What a model test says of a script: it holds in every execution, or the explorer finds a named violation.
#pragma once

#include <gtest/gtest.h>

#include <iostream>
#include <string>

#include "tests/explorer/explorer.hpp"
#include "tests/programs/effort.hpp"

namespace skua { inline namespace v0 { namespace explorer {

/// Weak memory (weak_memory.md), for scripts without plain variables and with them.
constexpr options weak{.model = memory_model::weak, .preemptions = 2, .stale = 2};
constexpr options weak_races{.model = memory_model::weak, .preemptions = 2, .stale = 2, .races = true};

/// `all` with full effort (tests/programs/effort.hpp), else what of it has at most so many preemptions.
inline options full_or(int preemptions, options all) {
  if (!testing::full_effort()) all.preemptions = preemptions;
  return all;
}

/// No execution violates what the script requires, and all of them were explored (unless `with` draws them at random).
template <class Script>
void holds(options const& with = {}) {
  report const seen = explore<Script>(with);
  std::cout << seen.executions << " executions, " << seen.states << " states\n";
  EXPECT_EQ(seen.violation, "") << seen;
  EXPECT_TRUE(seen.exhausted || with.random > 0) << seen;
}

/// Some execution violates what the script requires, and its message contains `how`.
template <class Script>
void fails(char const* how, options const& with = {}) {
  report const seen = explore<Script>(with);
  std::cout << "found after " << seen.executions << " executions: " << seen.violation << '\n';
  EXPECT_NE(seen.violation, "") << seen;
  EXPECT_NE(seen.violation.find(how), std::string::npos) << seen;
  EXPECT_FALSE(seen.trace.empty());
}

}}}  // namespace skua::v0::explorer
