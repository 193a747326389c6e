// SPDX-License-Identifier: MIT
// A rank falls silent within process(), and comes back when the others have given it up.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "skua/machine/ranks/communicator/communicator.hpp"
#include "skua/machine/ranks/transport/loopback.hpp"
#include "skua/program/collection/task_collection.hpp"
#include "skua/rank_pool.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

constexpr std::uint32_t ranks = 4;
constexpr std::uint32_t silent = 2;
constexpr std::uint64_t seeds = 200;  // of each rank
constexpr double deadline_s = 2;

struct node {
  std::uint64_t value;
  std::uint64_t children;
};

/// What one rank saw.
struct seen {
  std::uint64_t first = 0;   ///< the sum of the values that ran in the first process()
  std::uint64_t second = 0;  ///< and in the second
  std::uint32_t live = 0;
  collection_report report;
  collection_report later;  ///< of the second
  std::string error;
};

enum class tasks_of_program : std::uint8_t { nodes, ranges };

struct shape_of_run {
  lost_tasks how;
  std::uint32_t workers = 1;
  tasks_of_program tasks = tasks_of_program::nodes;
};

/// Two iterations, of which the first loses a rank.
template <class Task>
void iterate(communicator& world, task_collection<Task>& all, std::atomic<std::uint64_t>& sum,
             std::atomic<int>& returned, seen& out) {
  try {
    all.process();
    ++returned;
    out.first = world.sum(sum.load());
    out.report = all.report();
    all.restore();
    sum = 0;
    all.process();
    out.second = world.sum(sum.load());
    out.later = all.report();
  } catch (rank_lost const& e) {
    ++returned;
    out.error = std::to_string(e.rank()) + ": " + e.what();
  }
}

/// What the ranks, which are threads here, know of each other.
struct known_to_all {
  std::atomic<int> returned{0};
  std::atomic<bool> has_given{false};  ///< another rank has run an index of the silent one's range
};

void program(communicator& world, shape_of_run const& shape, known_to_all& known, seen& out) {
  std::atomic<int>& returned = known.returned;
  world.watch(deadline_s);
  std::atomic<std::uint64_t> sum{0};
  // A rank with a server thread is never silent.
  std::optional<pool> threads;
  std::optional<rank_pool> working;
  if (shape.workers > 1 && world.rank() != silent) {
    threads.emplace(shape.workers);
    working.emplace(world, *threads);
  }
  std::atomic<bool> stuck{world.rank() == silent};
  auto const count = [&](std::uint64_t value) {
    while (stuck && returned < 3) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    stuck = false;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    sum += value;
  };
  collection_options const options{.name = "tasks", .on_loss = shape.how};
  if (shape.tasks == tasks_of_program::ranges) {
    // The silent rank falls silent only when a part of its range runs elsewhere, which must not run again then.
    task_collection<index_range> all(world, options, [&](task_site<index_range>& here, index_range const& r) {
      EXPECT_EQ(r.size(), 1U);
      if (r.first / 1000 == silent && here.rank() != silent) known.has_given = true;
      while (stuck && !known.has_given) here.progress();
      count(r.first);
    });
    all.add_range(world.rank() * 1000, world.rank() * 1000 + seeds);
    iterate(world, all, sum, returned, out);
  } else {
    task_collection<node> all(world, options, [&](task_site<node>& here, node& n) {
      count(n.value);
      for (std::uint64_t c = 0; c < n.children; ++c) here.spawn({n.value + c, 0});
    });
    for (std::uint64_t t = 0; t < seeds; ++t) all.add({world.rank() * 1000 + t, t % 3});
    iterate(world, all, sum, returned, out);
  }
  out.live = world.live();
}

std::uint64_t sum_of_all(tasks_of_program tasks = tasks_of_program::nodes) {
  std::uint64_t sum = 0;
  for (std::uint64_t r = 0; r < ranks; ++r) {
    for (std::uint64_t t = 0; t < seeds; ++t) {
      sum += r * 1000 + t;
      for (std::uint64_t c = 0; tasks == tasks_of_program::nodes && c < t % 3; ++c) sum += r * 1000 + t + c;
    }
  }
  return sum;
}

std::vector<seen> run(shape_of_run const& shape) {
  // No two ranks on one node: nobody can look whether another one's process is there.
  auto const network = std::make_shared<loopback_network>(ranks, 1);
  std::vector<seen> all(ranks);
  known_to_all known;
  std::vector<std::jthread> threads;
  for (std::uint32_t r = 0; r < ranks; ++r) {
    threads.emplace_back([&, r] {
      communicator world(loopback_network::owned_end(network, r));
      program(world, shape, known, all[r]);
    });
  }
  threads.clear();
  return all;
}

class a_silent_rank_of : public ::testing::TestWithParam<shape_of_run> {};

TEST_P(a_silent_rank_of, ranks_with_workers_is_made_up_for_and_told_so) {
  std::vector<seen> const all = run(GetParam());
  for (std::uint32_t r = 0; r < ranks; ++r) {
    SCOPED_TRACE("rank " + std::to_string(r));
    if (r == silent) {
      EXPECT_NE(all[r].error.find("silent for too long"), std::string::npos) << all[r].error;
      continue;
    }
    EXPECT_EQ(all[r].error, "");
    EXPECT_EQ(all[r].first, sum_of_all(GetParam().tasks));
    EXPECT_EQ(all[r].second, sum_of_all(GetParam().tasks));
    EXPECT_EQ(all[r].live, ranks - 1);
    EXPECT_EQ(all[r].report.ranks, ranks - 1);
    EXPECT_GT(all[r].report.run_again, 0U);
    EXPECT_EQ(all[r].report.dropped, 0U);
    EXPECT_EQ(all[r].later.run_again, 0U) << "nobody died in the second one";
  }
}

std::vector<shape_of_run> one_and_several(tasks_of_program tasks) {
  return {{lost_tasks::run_again, 1, tasks}, {lost_tasks::run_again, 2, tasks}, {lost_tasks::run_again, 3, tasks}};
}
INSTANTIATE_TEST_SUITE_P(with_nodes, a_silent_rank_of, ::testing::ValuesIn(one_and_several(tasks_of_program::nodes)));
INSTANTIATE_TEST_SUITE_P(with_ranges, a_silent_rank_of, ::testing::ValuesIn(one_and_several(tasks_of_program::ranges)));

TEST(a_silent_rank, is_only_counted_where_nothing_may_run_twice) {
  std::vector<seen> const all = run({lost_tasks::drop});
  EXPECT_EQ(all[0].error, "");
  EXPECT_LT(all[0].first, sum_of_all());
  EXPECT_GT(all[0].report.dropped, 0U);
  EXPECT_EQ(all[0].report.run_again, 0U);
  EXPECT_EQ(all[0].later.dropped, 0U) << "nobody died in the second one";
}

TEST(a_silent_rank, ends_the_job_on_every_rank_where_nothing_is_prepared) {
  std::vector<seen> const all = run({lost_tasks::fail});
  for (std::uint32_t r = 0; r < ranks; ++r) {
    if (r == silent) continue;
    EXPECT_EQ(all[r].error.find("2: rank 2 died: it was silent for "), 0U) << all[r].error;
  }
}

TEST(a_deadline, is_a_positive_time) {
  auto const world = communicator::alone();
  EXPECT_THROW(world->watch(0), usage_error);
  EXPECT_THROW(world->watch(-1), usage_error);
  EXPECT_THROW(world->watch(std::numeric_limits<double>::quiet_NaN()), usage_error);
}

}}}}  // namespace skua::v0::ranks
