// SPDX-License-Identifier: MIT
// Rank 0 dies, or only seems to: the next live rank takes its place in every call, or the job ends with the same error on every rank.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "skua/distributed_matrix.hpp"
#include "skua/machine/ranks/collection/mortal_for_test.hpp"
#include "skua/machine/ranks/communicator/communicator.hpp"
#include "skua/machine/ranks/transport/loopback.hpp"
#include "skua/program/collection/task_collection.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

using mortal::died, mortal::fates, mortal::mortal_transport, mortal::mortality;

constexpr rank_number all_ranks = 4;
constexpr std::uint64_t numbers = 60;

/// What each rank returned or threw last; "died" for those that died.
using told = std::vector<std::string>;

told run_ranks(std::uint64_t seed, double deadline_s, bool on_one_node,
               std::function<std::string(communicator&, mortality&)> const& program) {
  auto const network = std::make_shared<loopback_network>(
      all_ranks, on_one_node ? 0 : 1, disorder{.seed = seed, .delays_one_in = on_one_node ? 8U : 0U});
  fates fate(all_ranks);
  told all(all_ranks);
  std::vector<std::jthread> threads;
  for (rank_number r = 0; r < all_ranks; ++r) {
    threads.emplace_back([&, r] {
      try {
        auto end = loopback_network::owned_end(network, r);
        communicator world(on_one_node ? std::make_unique<mortal_transport>(std::move(end), fate) : std::move(end));
        world.watch(deadline_s);
        all[r] = program(world, fate[r]);
      } catch (died const&) {
        all[r] = "died";
      } catch (std::exception const& e) {
        all[r] = e.what();
      }
    });
  }
  threads.clear();
  return all;
}

void add_own_share(communicator& world, task_collection<std::uint64_t>& all) {
  for (std::uint64_t t = world.live_position(); t < numbers; t += world.live()) all.add(t);
}

/// A loss in a barrier, which every live rank sees.
void lose_rank_0(communicator& world, mortality& mine) {
  if (world.rank() == 0) {
    mine.may_send = 0;
    mine.counts = true;
    world.barrier();
  }
  EXPECT_THROW(world.barrier(), rank_lost);
  EXPECT_EQ(world.first_live(), 1U);
}

TEST(the_next_rank, takes_the_place_of_rank_0_in_every_call) {
  std::string const file = (std::filesystem::temp_directory_path() / "skua_lost_leader.tasks").string();
  told const all = run_ranks(1, 5, true, [&](communicator& world, mortality& mine) {
    std::uint64_t own = 0;
    task_collection<std::uint64_t> one(world, {.name = "recovers", .on_loss = lost_tasks::run_again},
                                       [&](std::uint64_t t) { own += t; });
    add_own_share(world, one);
    one.process();
    one.restore();
    lose_rank_0(world, mine);
    one.recover();
    own = 0;
    one.process();
    EXPECT_EQ(world.sum(own), numbers * (numbers - 1) / 2);
    EXPECT_EQ(one.report().ranks, all_ranks - 1);
    EXPECT_EQ(one.report_by_rank().ranks.size(), world.rank() == 1 ? all_ranks - 1 : 0U);
    one.rebalance("centralised");
    one.checkpoint(file);
    static_cast<void>(one.restart(file));
    one.restore("auto");
    own = 0;
    one.process();
    EXPECT_EQ(world.sum(own), numbers * (numbers - 1) / 2);
    EXPECT_EQ(world.broadcast(world.rank(), 2), 2U);
    EXPECT_EQ(world.gather(world.rank(), 1).size(), world.rank() == 1 ? all_ranks : 0U);
    EXPECT_THROW(static_cast<void>(world.gather(1)), usage_error) << "to rank 0";
    std::string const name = world.rank() == 3 ? "of rank 3" : "of the others";
    EXPECT_THROW(task_collection<std::uint64_t>(world, {.name = name}, [](std::uint64_t) {}), usage_error);
    return std::string("went on");
  });
  std::filesystem::remove(file);
  EXPECT_EQ(all, (told{"died", "went on", "went on", "went on"}));
}

/// It has sent part of its copies, or its messages to some ranks.
TEST(the_next_rank, takes_over_wherever_rank_0_dies_in_recover) {
  std::uint32_t complete = 0;
  for (std::uint64_t n = 0; n < 16; ++n) {
    SCOPED_TRACE("after message " + std::to_string(n));
    told const all = run_ranks(n + 1, 5, true, [&](communicator& world, mortality& mine) {
      std::uint64_t own = 0;
      task_collection<std::uint64_t> one(world, {.name = "recovers", .on_loss = lost_tasks::run_again},
                                         [&](std::uint64_t t) { own += t; });
      add_own_share(world, one);
      one.process();
      one.restore();
      world.barrier();
      if (world.rank() == 2) mine.may_send = 0;
      mine.counts = world.rank() == 2;
      for (bool is_lost = false;;) {
        try {
          if (is_lost) {
            if (world.rank() == 0) mine.may_send = n;
            mine.counts = world.rank() == 0;
            one.recover([&] { add_own_share(world, one); });
            mine.counts = false;  // all ranks learn of the death before the end of the program
          }
          own = 0;
          one.process();
          return std::to_string(world.sum(own));
        } catch (rank_lost const& lost) {
          if (!lost.can_go_on()) throw;
          is_lost = true;
        }
      }
    });
    EXPECT_EQ(all[1], all[3]);
    EXPECT_TRUE(all[1] == "1770" || all[1].find("rank 0 died") != std::string::npos) << all[1];
    complete += all[0] == "died" && all[1] == "1770" ? 1 : 0;
  }
  EXPECT_GT(complete, 0U);
}

/// No rank sees the process of another one.
TEST(the_next_rank, takes_over_from_a_silent_one_which_is_told_so) {
  std::atomic<int> ended{0};
  told const all = run_ranks(1, 1, false, [&](communicator& world, mortality&) {
    std::uint64_t own = 0;
    task_collection<std::uint64_t> one(world, {.name = "recovers", .on_loss = lost_tasks::run_again},
                                       [&](std::uint64_t t) { own += t; });
    add_own_share(world, one);
    one.process();
    one.restore();
    world.barrier();
    while (world.rank() == 0 && ended < 3) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (world.rank() == 0) world.barrier();
    EXPECT_THROW(world.barrier(), rank_lost);
    one.recover();
    own = 0;
    one.process();
    std::uint64_t const sum = world.sum(own);
    ++ended;
    // Until it has said that it is there: somebody must tell it.
    for (int n = 0; n < 20; ++n) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      world.barrier();
    }
    return std::to_string(sum);
  });
  EXPECT_NE(all[0].find("silent for too long"), std::string::npos) << all[0];
  for (rank_number r = 1; r < all_ranks; ++r) EXPECT_EQ(all[r], "1770");
}

TEST(the_death_of_rank_0, ends_the_job_on_every_rank_where_nothing_recovers) {
  told const all = run_ranks(2, 5, true, [&](communicator& world, mortality& mine) -> std::string {
    task_collection<std::uint64_t> one(world, {.name = "fails"}, [](std::uint64_t) {});
    one.process();
    if (world.rank() == 0) mine.may_send = 0;
    mine.counts = world.rank() == 0;
    world.barrier();
    return "went on";
  });
  for (rank_number r = 1; r < all_ranks; ++r)
    EXPECT_EQ(all[r], "rank 0 died: its process has ended; without rank 0 the job cannot go on");
}

TEST(the_death_of_rank_0, ends_the_job_on_every_rank_where_a_matrix_lives) {
  told const all = run_ranks(3, 5, true, [&](communicator& world, mortality& mine) -> std::string {
    task_collection<std::uint64_t> one(world, {.name = "recovers", .on_loss = lost_tasks::run_again},
                                       [](std::uint64_t) {});
    distributed_matrix<double> const lives(world, 4, 4);
    one.process();
    one.restore();
    if (world.rank() == 0) mine.may_send = 0;
    mine.counts = world.rank() == 0;
    try {
      world.barrier();
    } catch (rank_lost const& lost) {
      EXPECT_FALSE(lost.can_go_on());
      throw;
    }
    return "went on";
  });
  for (rank_number r = 1; r < all_ranks; ++r) {
    EXPECT_EQ(all[r], "rank 0 died: its process has ended; its part of the distributed matrices is lost");
  }
}

}}}}  // namespace skua::v0::ranks
