// SPDX-License-Identifier: MIT
// Ranks that sleep on lifelines while another one runs a long task get what it has meanwhile: from its own calls of progress, or from its progress
// thread. Threads of one process are the ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "skua/machine/ranks/collection/lifeline_programs_for_test.hpp"
#include "skua/machine/ranks/communicator/communicator.hpp"
#include "skua/machine/ranks/transport/loopback.hpp"
#include "skua/program/collection/task_collection.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

using namespace std::chrono_literals;

void on_threads(rank_number ranks, bool has_progress_threads, std::uint64_t seed,
                std::function<void(communicator&)> const& program) {
  auto const network = std::make_shared<loopback_network>(ranks, 0, disorder{.seed = seed, .delays_one_in = 4});
  if (has_progress_threads) network->allow_any_thread();
  std::vector<std::jthread> threads;
  for (rank_number r = 0; r < ranks; ++r) {
    threads.emplace_back([&, r] {
      communicator world(loopback_network::owned_end(network, r));
      program(world);
    });
  }
}

/// One rank waits in a task until the others sleep, spawns tasks, and stays in it until every other rank has run one.
void spawn_for_sleepers(rank_number ranks, bool has_progress_threads) {
  std::vector<std::atomic<std::uint32_t>> ran(ranks);
  std::atomic<bool> all_were_fed{false};
  auto const run = [&](task_site<std::uint32_t>& here, std::uint32_t n) {
    ++ran[here.rank()];
    if (n > 0) return;
    auto const wait = [&] {
      std::this_thread::sleep_for(200us);
      if (!has_progress_threads) here.progress();
    };
    for (int looks = 0; looks < 100; ++looks) wait();
    for (std::uint32_t child = 1; child <= 16 * ranks; ++child) here.spawn(child);
    for (int looks = 0; looks < 100'000 && !all_were_fed; ++looks) {
      wait();
      all_were_fed = std::ranges::all_of(ran, [](auto const& of_rank) { return of_rank > 0; });
    }
  };
  on_threads(ranks, has_progress_threads, ranks, [&](communicator& world) {
    task_collection<std::uint32_t> all(world, {.name = "fed", .victims = steal_victims::lifelines}, run);
    if (world.rank() == 0) all.add(0);
    all.process();
  });
  EXPECT_TRUE(all_were_fed) << ranks << " ranks";
}

TEST(ranks_on_lifelines, are_fed_by_a_task_that_calls_progress) {
  for (rank_number const ranks : {2U, 5U}) spawn_for_sleepers(ranks, false);
}

TEST(ranks_on_lifelines, are_fed_by_the_progress_thread_of_a_task_that_calls_nothing) {
  for (rank_number const ranks : {2U, 5U}) spawn_for_sleepers(ranks, true);
}

TEST(ranks_on_lifelines, with_progress_threads_run_every_task_once_in_random_programs) {
  for (std::uint64_t seed = 100; seed < 108; ++seed) {
    auto const ranks = static_cast<rank_number>(2 + seed % 4);
    SCOPED_TRACE("seed " + std::to_string(seed) + " on " + std::to_string(ranks) + " ranks");
    on_threads(ranks, true, seed, [seed](communicator& world) { lifeline_programs::run(world, seed); });
    if (HasFailure()) return;
  }
}

}}}}  // namespace skua::v0::ranks
