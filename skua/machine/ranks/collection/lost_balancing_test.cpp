// SPDX-License-Identifier: MIT
// A rank falls silent in the middle of a balancer without a centre: every other rank throws the same. And sixteen ranks that all live.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "skua/machine/ranks/collection/metered_for_test.hpp"
#include "skua/machine/ranks/transport/ranks_for_test.hpp"
#include "skua/program/collection/task_collection.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

constexpr std::uint32_t silent_rank = 2;

/// What each rank says when rank 2 falls silent at its `after`-th message of the balancer.
std::vector<std::string> errors_of(char const* how, std::uint64_t after) {
  constexpr std::uint32_t count = 4;
  // No two ranks on one node: nobody can look whether another one's process is there.
  auto const network = std::make_shared<loopback_network>(count, 1);
  std::vector<std::string> errors(count);
  std::atomic<std::uint32_t> returned{0};
  std::vector<std::jthread> threads;
  for (std::uint32_t r = 0; r < count; ++r) {
    threads.emplace_back([&, r] {
      auto const mine = std::make_shared<metered::meter>();
      mine->has_real_clock = true;
      communicator world(std::make_unique<metered::end>(network, r, mine));
      world.watch(1);
      task_collection<std::uint32_t> all(world, {.name = "tasks", .on_loss = lost_tasks::run_again},
                                         [](std::uint32_t) {});
      for (std::uint32_t t = 0; t < (r == 0 ? 100U : 10U); ++t) all.add(t, 1.0);
      mine->on_send = [&, r](kind k) {
        if (r != silent_rank || k != kind::balancing || mine->sent[k] != after) return;
        while (returned < count - 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      };
      try {
        all.rebalance(how);
        all.process();
      } catch (rank_lost const& e) {
        errors[r] = std::to_string(e.rank()) + ": " + e.what();
      }
      ++returned;
    });
  }
  threads.clear();
  return errors;
}

class a_silent_rank_in : public ::testing::TestWithParam<std::tuple<char const*, std::uint64_t>> {};

TEST_P(a_silent_rank_in, a_balancer_without_a_centre_ends_the_job_on_every_rank) {
  auto const [how, after] = GetParam();
  std::vector<std::string> const errors = errors_of(how, after);
  for (std::uint32_t r = 0; r < errors.size(); ++r) {
    if (r != silent_rank) {
      EXPECT_EQ(errors[r].find("2: rank 2 died: it was silent for "), 0U) << "rank " << r << ": " << errors[r];
    }
  }
  EXPECT_NE(errors[silent_rank], "") << "it comes back when the others have left";
}

INSTANTIATE_TEST_SUITE_P(early_and_late, a_silent_rank_in,
                         ::testing::Values(std::tuple("hierarchical", 1U), std::tuple("hierarchical", 3U),
                                           std::tuple("tempered", 2U), std::tuple("tempered", 6U)));

TEST(sixteen_ranks, balance_without_a_centre) {
  on_ranks(16, [](communicator& world) {
    for (char const* how : {"hierarchical", "tempered"}) {
      std::uint64_t own = 0;
      task_collection<std::uint32_t> all(world, {.name = "sixteen", .steals = false}, [&](std::uint32_t) { ++own; });
      for (std::uint32_t t = 0; t < (world.rank() % 5 == 0 ? 160U : 0U); ++t) all.add(t, 1.0);
      all.rebalance(how);
      all.process();
      EXPECT_EQ(world.sum(own), 4 * 160U) << how;
      EXPECT_EQ(world.max(own), 40U) << how;
      EXPECT_LT(all.report().times_heard, 3 * 160U) << how;
    }
  });
}

}}}}  // namespace skua::v0::ranks
