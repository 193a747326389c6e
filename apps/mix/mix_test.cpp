// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <string>

#include "apps/mix/parts.hpp"
#include "apps/parse_options.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/skua.hpp"

namespace skua::apps::mix {
namespace {

std::string refusal(std::string_view text) {
  try {
    parts_in(text);
  } catch (usage_error const& refused) {
    return refused.what();
  }
  return "accepted";
}

TEST(mix, parts_keep_their_order_and_options) {
  auto const parts = parts_in(" fib --n 7 ,nqueens --n 5,  fib");
  ASSERT_EQ(parts.size(), 3U);
  for (auto const& part : parts) {
    part->prepare();
    part->reset();
    part->elision()->run_serial();
  }
  EXPECT_EQ(parts[0]->facts()["result"], 13);
  EXPECT_EQ(parts[1]->name(), "nqueens");
  EXPECT_EQ(parts[2]->name(), "fib");
}

TEST(mix, wrong_lists_are_refused) {
  EXPECT_EQ(refusal("fib").find("mix: the number of apps in --of is 1; allowed: 2 to 16"), 0U);
  EXPECT_EQ(refusal("fib,fob").find("mix: --of names 'fob'; allowed: fib, nqueens"), 0U);
  EXPECT_EQ(refusal("fib,mix").find("mix: --of names 'mix'; allowed: fib"), 0U);
  EXPECT_EQ(refusal("fib,").find("mix: --of names ''; allowed: fib"), 0U);
  EXPECT_EQ(refusal("fib,uts --n 3").find("mix: --of 'uts --n 3': "), 0U);
  EXPECT_EQ(refusal("fib,uts --help").find("mix: --of 'uts --help': "), 0U);
  EXPECT_EQ(refusal("fib,uts --tree").find("mix: --of 'uts --tree': "), 0U);
}

TEST(mix, all_parts_run_in_one_call) {
  pool two({.workers = 2, .policy = "strategies"});
  auto const made = make_mix();
  parse_options("--of 'prefix-sum --n 5000 --block 64, uts --tree T1 --depth 5 --form spawn, fib --n 10'",
                made->options());
  made->prepare();
  made->reset();
  EXPECT_NE(made->wrong(), "");
  made->run_skua(two);
  EXPECT_EQ(made->wrong(), "");
  auto const parts = made->facts()["parts"];
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0]["app"], "prefix-sum");
  EXPECT_EQ(parts[1]["facts"]["form"], "spawn");
  EXPECT_EQ(parts[2]["facts"]["result"], 55);
}

}  // namespace
}  // namespace skua::apps::mix
