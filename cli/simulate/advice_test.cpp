// SPDX-License-Identifier: MIT
#include "cli/simulate/advice.hpp"

#include <gtest/gtest.h>

#include <string>

namespace skua::cli {
namespace {

/// A run that spends half of its time in queues to memory.
sim_row queueing() {
  sim_row row{.policy = "random", .workers = 4};
  row.median.time_s = 1;
  row.median.work_s = 4;
  row.median.memory.arithmetic = 2'000'000'000'000;  // ps
  row.median.memory.waited = 2'000'000'000'000;
  return row;
}

std::string change_for_queues(memory_setting const& memory) {
  scalability const p{.work_s = 4, .span_s = 0.001, .burdened_span_s = 0.001, .mean_grain_s = 1e-3};
  for (advice const& a : advice_on(p, queueing(), memory)) {
    if (a.what == "workers queue for the same memory") return a.change;
  }
  return "no advice";
}

TEST(advice, pages_can_be_spread_over_several_nodes_and_only_once) {
  EXPECT_NE(change_for_queues({.nodes = 4}).find("--placement interleave"), std::string::npos);
  for (memory_setting const& memory : {memory_setting{.nodes = 1}, memory_setting{.nodes = 1, .interleaved = true},
                                       memory_setting{.nodes = 4, .interleaved = true}}) {
    std::string const change = change_for_queues(memory);
    EXPECT_EQ(change.find("interleave"), std::string::npos) << change;
    EXPECT_NE(change.find("move fewer bytes"), std::string::npos) << change;
  }
}

}  // namespace
}  // namespace skua::cli
