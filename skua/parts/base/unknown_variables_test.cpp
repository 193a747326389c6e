// SPDX-License-Identifier: MIT
#include "skua/parts/base/unknown_variables.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace skua { inline namespace v0 { namespace runtime { namespace {

std::vector<std::string> about(std::vector<char const*> variables) {
  variables.push_back(nullptr);
  return about_unknown_variables(variables.data());
}

TEST(unknown_variables, a_typing_error_is_named_with_the_variable_that_was_meant) {
  EXPECT_EQ(
      about({"HOME=/", "SKUA_WORKER=3"}),
      (std::vector<std::string>{
          "SKUA_WORKER is set, but Skua reads only SKUA_WORKERS, SKUA_PLACES, SKUA_PARTITIONS, SKUA_HISTORY, SKUA_PIN, "
          "SKUA_POLICY, SKUA_SPIN, SKUA_STALL, SKUA_STACK, SKUA_PROGRESS_THREAD, SKUA_TRACE, SKUA_TRACE_SIZE and "
          "SKUA_COUNT_FORKS; did you mean "
          "SKUA_WORKERS?"}));
  for (auto const& [typed, meant] : {std::pair{"SKUA_POLICYS=adws", "SKUA_POLICY?"},
                                     {"SKUA_workers=1", "SKUA_WORKERS?"},
                                     {"SKUA_PINS=on", "SKUA_PIN?"}}) {
    auto const found = about({typed});
    ASSERT_EQ(found.size(), 1U) << typed;
    EXPECT_TRUE(found.front().ends_with(meant)) << found.front();
  }
}

TEST(unknown_variables, one_that_is_near_to_none_is_named_alone) {
  auto const found = about({"SKUA_NUM_THREADS=3", "SKUA_=1"});
  ASSERT_EQ(found.size(), 2U);
  for (std::string const& sentence : found) EXPECT_TRUE(sentence.ends_with(" and SKUA_COUNT_FORKS")) << sentence;
}

TEST(unknown_variables, those_that_skua_reads_and_blank_ones_are_not) {
  EXPECT_TRUE(about({"SKUA_WORKERS=3", "SKUA_PLACES=cores", "SKUA_PIN=on", "SKUA_POLICY=adws", "SKUA_SPIN=0",
                     "SKUA_STACK=1m", "SKUA_WORKER=", "SKUA_WORKER= ", "SKUA_WORKER", "SKUA", "MY_SKUA_X=1"})
                  .empty());
  EXPECT_TRUE(about_unknown_variables(nullptr).empty());
}

}}}}  // namespace skua::v0::runtime
