// SPDX-License-Identifier: MIT
// A rank in a long task answers others by its progress thread: tasks that wait for tasks of their own rank which another rank must steal. Without it they would
// wait until their limit.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "skua/distributed_matrix.hpp"
#include "skua/machine/ranks/communicator/communicator.hpp"
#include "skua/machine/ranks/transport/loopback.hpp"
#include "skua/rank_pool.hpp"
#include "skua/ranks.hpp"
#include "skua/skua.hpp"

namespace {

using skua::communicator, skua::task_collection;

/// A thread per rank, with progress threads.
template <class F>
void on_ranks_with_progress(std::uint32_t count, F program) {
  auto const network =
      std::make_shared<skua::ranks::loopback_network>(count, 0, skua::ranks::disorder{.seed = 1, .delays_one_in = 4});
  network->allow_any_thread();
  std::vector<std::jthread> threads;
  for (std::uint32_t r = 0; r < count; ++r) {
    threads.emplace_back([&, r] {
      communicator world(skua::ranks::loopback_network::owned_end(network, r));
      program(world);
    });
  }
}

/// True as soon as f() is; false after a time in which it should have been.
template <class F>
bool comes_true(F f) {
  auto const limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!f()) {
    if (std::chrono::steady_clock::now() > limit) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return true;
}

struct job {
  int number;
};

TEST(progress_thread, thieves_get_tasks_while_a_task_runs) {
  constexpr int others = 20;
  std::atomic<int> elsewhere{0};
  std::atomic<int> waited_in_vain{0};
  on_ranks_with_progress(2, [&](communicator& world) {
    task_collection<job> all(world, {.name = "long"}, [&](auto& here, job const& j) {
      if (here.rank() != 0) ++elsewhere;
      if (j.number == others && !comes_true([&] { return elsewhere == others; })) ++waited_in_vain;
    });
    for (int n = 0; n <= others && world.rank() == 0; ++n) all.add({n});  // the newest runs first
    all.process();
  });
  EXPECT_EQ(waited_in_vain, 0);
  EXPECT_EQ(elsewhere, others);
}

TEST(progress_thread, thieves_get_what_a_long_task_spawns) {
  std::atomic<int> elsewhere{0};
  std::atomic<int> done{0};
  std::atomic<int> waited_in_vain{0};
  constexpr int rounds = 30;
  on_ranks_with_progress(3, [&](communicator& world) {
    task_collection<job> all(world, {.name = "spawns"}, [&](auto& here, job const& j) {
      if (j.number == 0) {
        for (int n = 1; n <= rounds; ++n) {
          here.spawn(job{n});
          here.spawn(job{n});
        }
        if (!comes_true([&] { return elsewhere == 2 * rounds; })) ++waited_in_vain;
      } else if (here.rank() != 0) {
        ++elsewhere;
      }
      ++done;
    });
    if (world.rank() == 0) all.add({0});
    all.process();
  });
  EXPECT_EQ(waited_in_vain, 0);
  EXPECT_EQ(done, 1 + 2 * rounds);
}

TEST(progress_thread, tasks_that_add_all_the_time_lose_none) {
  std::atomic<int> done{0};
  on_ranks_with_progress(3, [&](communicator& world) {
    task_collection<job>* same = nullptr;
    task_collection<job> all(world, {.name = "adds"}, [&](auto& here, job const& j) {
      if (j.number > 0) {
        for (int n = 0; n < 3; ++n) {
          std::this_thread::sleep_for(std::chrono::microseconds(700));  // long enough for two looks now and then
          n == 0 ? here.spawn(job{j.number - 1}) : n == 1 ? same->add({j.number - 1}) : same->emplace(j.number - 1);
          here.progress();
        }
      }
      ++done;
    });
    same = &all;
    if (world.rank() == 0) all.add({4});
    for (int iteration = 0; iteration < 2; ++iteration) {
      all.process();
      if (iteration > 0) continue;
      EXPECT_EQ(all.report().tasks, 121U);
      all.restore(skua::placement_of_tasks::retained);
    }
  });
  EXPECT_GE(done, 121);
}

TEST(progress_thread, what_it_finds_wrong_the_rank_throws) {
  std::atomic<int> failed{0};
  on_ranks_with_progress(2, [&](communicator& world) {
    task_collection<job> all(world, {.name = "differs"},
                             [&](auto&, job const&) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
    try {
      if (world.rank() == 1) world.barrier();
      for (int n = 0; n < 4; ++n) all.add({n});
      all.process();
    } catch (skua::usage_error const& e) {
      if (std::string(e.what()).find("collective calls differ") != std::string::npos) ++failed;
    }
  });
  EXPECT_EQ(failed, 2);
}

TEST(progress_thread, a_task_of_the_server_waits_for_a_fork_that_waits_for_a_matrix) {
  std::atomic<int> right{0};
  on_ranks_with_progress(2, [&](communicator& world) {
    skua::pool threads(1);
    skua::rank_pool const workers(world, threads, skua::serving::between_tasks);
    skua::distributed_matrix<double> a(world, 4, 4);
    a.fill(3.0);
    task_collection<job> all(world, {.name = "waits"}, [&](auto&, job const&) {
      auto const corner = [&](auto&) { return a.get({.row = 0, .column = 0, .rows = 2, .columns = 2}); };
      auto const [x, y] = threads.run([&](auto& here) { return here.join(corner, corner); });
      if (x[0] + y[3] == 6.0) ++right;
    });
    for (int n = 0; n < 8; ++n) all.add({n});
    all.process();
  });
  EXPECT_EQ(right, 16);
}

}  // namespace
