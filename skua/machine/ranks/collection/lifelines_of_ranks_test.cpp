// SPDX-License-Identifier: MIT
// Collections whose idle ranks wait on lifelines (policy/lifelines.md): each task runs once, idle ranks ask a bounded number of times, and the option
// is the same on all ranks, without recovery.
#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "skua/machine/ranks/collection/lifeline_programs_for_test.hpp"
#include "skua/machine/ranks/transport/ranks_for_test.hpp"
#include "skua/policy/lifelines.hpp"
#include "skua/ranks.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

class lifelines_of_ranks : public on_each_number_of_ranks {};

collection_options on_lifelines(char const* name) { return {.name = name, .victims = steal_victims::lifelines}; }

TEST_P(lifelines_of_ranks, run_every_task_once_in_random_programs) {
  for (std::uint64_t seed = 10 * GetParam(); seed < 10 * GetParam() + 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed) + " on " + std::to_string(GetParam()) + " ranks");
    on_ranks(GetParam(), [seed](communicator& world) { lifeline_programs::run(world, seed); });
    if (HasFailure()) return;
  }
}

TEST_P(lifelines_of_ranks, ask_a_few_times_however_long_they_wait) {
  on_ranks(GetParam(), [](communicator& world) {
    using namespace std::chrono_literals;
    auto all =
        task_collection<std::uint32_t>(world, on_lifelines("long"), [](task_site<std::uint32_t>& here, std::uint32_t) {
          for (int n = 0; n < 100; ++n) {
            std::this_thread::sleep_for(500us);
            here.progress();
          }
        });
    if (world.rank() == 0) all.add(1);
    all.process();
    collection_report const found = all.report();
    // A rank with four open requests may hear of the fourth failure last. One that the task came to, and went from, is idle twice.
    constexpr std::uint32_t most_open = 4;
    std::uint32_t const idle_period = policies::lifelines::random_tries + most_open - 1 +
                                      static_cast<std::uint32_t>(std::bit_width(world.size() - 1));
    EXPECT_LE(found.attempted, idle_period * (world.size() + found.moved));
    EXPECT_EQ(found.tasks, 1U);
  });
}

TEST_P(lifelines_of_ranks, are_refused_with_recovery_on_every_rank) {
  on_ranks(GetParam(), [](communicator& world) {
    for (lost_tasks const on_loss : {lost_tasks::run_again, lost_tasks::drop}) {
      std::string said;
      try {
        collection_options options = on_lifelines("both");
        options.on_loss = on_loss;
        task_collection<std::uint32_t> all(world, options, [](std::uint32_t) {});
      } catch (usage_error const& e) {
        said = e.what();
      }
      EXPECT_EQ(said,
                "the task collection 'both' has .victims = steal_victims::lifelines, whose sleepers a dead rank would "
                "leave asleep; allowed: with lost_tasks::fail");
    }
    std::uint64_t ran = 0;
    task_collection<std::uint32_t> all(world, on_lifelines("both"), [&](std::uint32_t) { ++ran; });
    all.add(1);
    all.process();
    EXPECT_EQ(world.sum(ran), world.size());
  });
}

TEST_P(lifelines_of_ranks, are_an_option_of_all_ranks_or_of_none) {
  if (GetParam() == 1) GTEST_SKIP() << "one rank agrees with itself";
  on_ranks(GetParam(), [](communicator& world) {
    std::string said;
    try {
      collection_options options = on_lifelines("differs");
      if (world.rank() == 0) options.victims = steal_victims::random;
      task_collection<std::uint32_t> all(world, options, [](std::uint32_t) {});
    } catch (usage_error const& e) {
      said = e.what();
    }
    EXPECT_NE(said.find("the task collection differs between ranks"), std::string::npos) << said;
    EXPECT_NE(said.find("rank 1 has"), std::string::npos) << said;
    EXPECT_NE(said.find(", on lifelines"), std::string::npos) << said;
  });
}

INSTANTIATE_TEST_SUITE_P(on, lifelines_of_ranks, ::testing::ValuesIn(numbers_of_ranks()),
                         ::testing::PrintToStringParamName());

}}}}  // namespace skua::v0::ranks
