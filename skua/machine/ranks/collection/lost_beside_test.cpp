// SPDX-License-Identifier: MIT
// A rank dies beside other calls: before the first process() has ended, after restart(), before a call whose root it is, while ranks may not steal, and
// beside collections that cannot recover.
#include <gtest/gtest.h>

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

constexpr rank_number ranks = 4;
constexpr std::uint64_t tasks = 60;
collection_options recovering() { return {.name = "recovers", .on_loss = lost_tasks::run_again}; }

/// What each rank returned or threw last; "died" for those that died.
using said = std::vector<std::string>;

said run(std::uint64_t seed, std::function<std::string(communicator&, mortality&)> const& program) {
  auto const network = std::make_shared<loopback_network>(ranks, 0, disorder{.seed = seed, .delays_one_in = 8});
  fates fate(ranks);
  said all(ranks);
  std::vector<std::jthread> threads;
  for (rank_number r = 0; r < ranks; ++r) {
    threads.emplace_back([&, r] {
      try {
        communicator world(std::make_unique<mortal_transport>(loopback_network::owned_end(network, r), fate));
        world.watch(5);
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

/// From now on the rank may send so many messages.
void die_after(mortality& mine, std::uint64_t messages) {
  mine.may_send = messages;
  mine.counts = true;
}

/// This rank's share of all tasks, by its position among the live ones.
void add_share(communicator& world, task_collection<std::uint64_t>& all) {
  for (std::uint64_t t = world.live_position(); t < tasks; t += world.live()) all.add(t);
}

/// Three iterations, after `before` others. In the first one the rank dies after so many messages. Returns how often tasks were added again, and the sums.
std::string three_iterations(communicator& world, mortality& mine, int before, std::uint64_t messages) {
  std::uint64_t own = 0;
  std::uint64_t added_again = 0;
  task_collection<std::uint64_t> all(world, recovering(), [&](std::uint64_t t) { own += t; });
  world.barrier();
  add_share(world, all);
  std::string sums;
  bool is_lost = false;
  for (int iteration = -before; iteration < 3;) {
    try {
      if (is_lost) added_again += all.recover([&] { add_share(world, all); }) ? 1 : 0;
      is_lost = false;
      own = 0;
      if (iteration == 0) die_after(mine, messages);
      all.process();
      std::uint64_t const sum = world.sum(own);
      all.restore();
      mine.counts = false;  // all ranks learn of the death in the next iteration
      sums += " " + std::to_string(sum);
      ++iteration;
    } catch (rank_lost const& lost) {
      if (!lost.can_go_on()) throw;
      is_lost = true;
    }
  }
  return std::to_string(added_again) + " times:" + sums;
}

TEST(a_rank_that_dies_before_the_first_process_has_ended, is_made_up_for_by_adding_its_tasks_again) {
  std::uint32_t added_again = 0;
  for (std::uint64_t n = 0; n < 30; ++n) {
    SCOPED_TRACE("after message " + std::to_string(n));
    said const all = run(n + 1, [&](communicator& world, mortality& mine) {
      return three_iterations(world, mine, 0, world.rank() == 2 ? n : mortal::never);
    });
    for (rank_number r = 0; r < ranks; ++r) {
      if (all[r] == "died") continue;
      EXPECT_EQ(all[r], all[0]);
      EXPECT_TRUE(all[r].ends_with(" times: 1770 1770 1770")) << all[r];
    }
    added_again += all[0].starts_with("1 times") ? 1 : 0;
    if (all[2] != "died") break;
  }
  EXPECT_GT(added_again, 0U);
}

TEST(a_rank_and_the_one_with_its_copy, are_made_up_for_by_adding_tasks_again_or_end_the_job_on_every_rank) {
  std::uint32_t added_again = 0;
  for (std::uint64_t n = 0; n < 16; ++n) {
    SCOPED_TRACE("after message " + std::to_string(n));
    said const all = run(n + 1, [&](communicator& world, mortality& mine) {
      bool const dies = world.rank() == 1 || world.rank() == 2;
      return three_iterations(world, mine, 1, dies ? n / world.rank() : mortal::never);
    });
    for (rank_number const r : {0U, 3U}) {
      EXPECT_TRUE(all[r].ends_with(" times: 1770 1770 1770 1770") || all[r].find("died") != std::string::npos)
          << all[r];
    }
    EXPECT_EQ(all[0].find("died") == std::string::npos, all[3].find("died") == std::string::npos)
        << all[0] << "; " << all[3];
    added_again += all[0].starts_with("1 times") ? 1 : 0;
  }
  EXPECT_GT(added_again, 0U);
}

/// A loss in a barrier, which every live rank sees.
void lose_rank_2(communicator& world, mortality& mine) {
  if (world.rank() == 2) {
    die_after(mine, 0);
    world.barrier();
  }
  EXPECT_THROW(world.barrier(), rank_lost);
}

TEST(recover, refuses_where_restart_has_replaced_the_tasks) {
  std::string const file = (std::filesystem::temp_directory_path() / "skua_lost_beside.tasks").string();
  said const all = run(1, [&](communicator& world, mortality& mine) {
    std::uint64_t own = 0;
    task_collection<std::uint64_t> one(world, recovering(), [&](std::uint64_t t) { own += t; });
    add_share(world, one);
    one.process();
    one.checkpoint(file);
    one.restore();
    if (world.rank() == 0) one.add(1000);
    one.process();
    static_cast<void>(one.restart(file));
    one.restore();
    lose_rank_2(world, mine);
    std::string text;
    try {
      one.recover();
    } catch (usage_error const& e) {
      text = e.what();
    }
    EXPECT_TRUE(one.recover([&] { add_share(world, one); }));
    own = 0;
    one.process();
    return text + ": " + std::to_string(world.sum(own));
  });
  std::filesystem::remove(file);
  for (rank_number const r : {0U, 1U, 3U}) {
    EXPECT_EQ(all[r].find("the task collection 'recovers': recover after tasks were added or restarted"), 0U) << all[r];
    EXPECT_TRUE(all[r].ends_with(": 1770")) << all[r];
  }
}

TEST(recover, leaves_ranks_that_may_not_steal_without_stealing) {
  said const all = run(2, [&](communicator& world, mortality& mine) {
    task_collection<std::uint64_t> one(world, recovering(), [](std::uint64_t) {});
    one.enable_stealing(false);
    for (std::uint64_t t = 0; t < tasks && world.rank() == 0; ++t) one.add(t);
    one.process();
    one.restore();
    lose_rank_2(world, mine);
    one.recover();
    one.process();
    return std::to_string(one.report().attempted) + " of " + std::to_string(one.report().tasks);
  });
  EXPECT_EQ(all[0], "0 of 60");
}

TEST(recover, goes_on_where_a_matrix_has_ended) {
  said const all = run(3, [&](communicator& world, mortality& mine) {
    std::uint64_t own = 0;
    task_collection<std::uint64_t> one(world, recovering(), [&](std::uint64_t t) { own += t; });
    add_share(world, one);
    { distributed_matrix<double> const ended(world, 4, 4); }
    one.process();
    one.restore();
    lose_rank_2(world, mine);
    one.recover();
    own = 0;
    one.process();
    return std::to_string(world.sum(own));
  });
  for (rank_number const r : {0U, 1U, 3U}) EXPECT_EQ(all[r], "1770");
}

/// Ranks hear of the death at different times. Those that know it must not refuse a call in which the others throw rank_lost.
TEST(a_call_whose_root_died, throws_the_same_on_every_rank) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    said const all = run(seed, [&](communicator& world, mortality& mine) -> std::string {
      task_collection<std::uint64_t> one(world, recovering(), [](std::uint64_t) {});
      if (world.rank() == 2) die_after(mine, seed / 2);
      try {
        for (;;) {
          static_cast<void>(world.broadcast(1, 2));
          static_cast<void>(world.sum(1));
        }
      } catch (rank_lost const& lost) {
        EXPECT_TRUE(lost.can_go_on());
      }
      try {
        static_cast<void>(world.broadcast(1, 2));
      } catch (usage_error const& e) {
        return std::string("then ") + e.what();
      }
      return "";
    });
    for (rank_number const r : {0U, 1U, 3U})
      EXPECT_EQ(all[r], "then the root of a collective call is rank 2, which died; allowed: a live rank");
  }
}

TEST(a_collection_that_drops_tasks, beside_one_that_recovers_throws_the_same_on_every_rank) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    said const all = run(seed, [&](communicator& world, mortality& mine) -> std::string {
      task_collection<std::uint64_t> one(world, recovering(), [](std::uint64_t) {});
      task_collection<std::uint64_t> drops(world, {.name = "drops", .on_loss = lost_tasks::drop}, [](std::uint64_t) {});
      if (world.rank() == 2) die_after(mine, 4 + seed);
      std::string heard;
      std::uint64_t complete = 0;
      try {
        for (;; ++complete) {
          one.process();
          drops.process();
        }
      } catch (rank_lost const& lost) {
        heard = std::to_string(complete) + (lost.can_go_on() ? ": goes on" : ": ends");
      }
      one.recover();
      one.process();
      try {
        drops.process();
        heard += ", and dropped its tasks";
      } catch (rank_lost const& lost) {
        EXPECT_FALSE(lost.can_go_on());
      }
      return heard + "; live: " + std::to_string(world.live());
    });
    EXPECT_TRUE(all[0].ends_with("; live: 3")) << all[0];
    for (rank_number const r : {1U, 3U}) EXPECT_EQ(all[r], all[0]);
  }
}

/// Messages of its process() come when it has ended.
TEST(a_collection_that_cannot_recover, ends_before_the_next_call) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    said const all = run(seed, [&](communicator& world, mortality& mine) -> std::string {
      try {
        task_collection<std::uint64_t> one(world, {.name = "fails"}, [](std::uint64_t) {});
        for (std::uint64_t t = 0; t < tasks; ++t) one.add(t);
        if (world.rank() == 2) die_after(mine, seed);
        for (;;) {
          one.process();
          one.restore();
        }
      } catch (rank_lost const& lost) {
        EXPECT_FALSE(lost.can_go_on());
      }
      for (int again = 0; again < 3; ++again) EXPECT_THROW(world.barrier(), rank_lost);
      return "ended";
    });
    for (rank_number const r : {0U, 1U, 3U}) EXPECT_EQ(all[r], "ended");
  }
}

}}}}  // namespace skua::v0::ranks
