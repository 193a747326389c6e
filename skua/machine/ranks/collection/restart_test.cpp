// SPDX-License-Identifier: MIT
// A job ends, and another one, of any number of ranks, goes on with its tasks: every pair of numbers with every way to begin the next
// iteration. No rank of the old job may count in the new one.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "skua/machine/ranks/collection/numbered_tasks_for_test.hpp"
#include "skua/machine/ranks/transport/ranks_for_test.hpp"
#include "skua/ranks.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

using numbered_tasks::plain_number, numbered_tasks::written_number, numbered_tasks::number_of,
    numbered_tasks::ran_tasks, numbered_tasks::task_of;

constexpr std::uint64_t tasks = 120;

/// How one iteration prepares the next.
struct balance {
  char const* name;
  std::function<void(std::function<void(std::string_view)> rebalance, std::function<void(std::string_view)> if_due,
                     std::function<void(placement_of_tasks)> restore)>
      prepare;
};

std::vector<balance> balances() {
  constexpr auto retained = placement_of_tasks::retained;
  constexpr auto original = placement_of_tasks::original;
  return {{"retained", [](auto, auto, auto restore) { restore(retained); }},
          {"original", [](auto, auto, auto restore) { restore(original); }},
          {"due", [](auto, auto if_due, auto restore) { if_due("hierarchical"), restore(retained); }},
          {"centralised", [](auto rebalance, auto, auto restore) { rebalance("centralised"), restore(retained); }},
          {"hierarchical", [](auto rebalance, auto, auto restore) { rebalance("hierarchical"), restore(retained); }},
          {"tempered", [](auto rebalance, auto, auto restore) { rebalance("tempered"), restore(retained); }},
          {"tempered, original", [](auto rebalance, auto, auto restore) { rebalance("tempered"), restore(original); }}};
}

template <class Task>
void prepare(task_collection<Task>& all, balance const& how) {
  how.prepare([&](std::string_view name) { all.rebalance(name); },
              [&](std::string_view name) { static_cast<void>(all.rebalance_if_due(name)); },
              [&](placement_of_tasks where) { all.restore(where); });
}

struct job {
  std::string path;
  std::uint32_t ranks = 0;  ///< that wrote it
  bool on_rank_0 = false;   ///< where its tasks were added; else on all ranks
  lost_tasks on_loss = lost_tasks::fail;
};

template <class Task>
void write(job const& j) {
  on_ranks(j.ranks, [&](communicator& world) {
    task_collection<Task> all(world, {.name = "numbers", .on_loss = j.on_loss}, [](Task const&) {});
    for (std::uint64_t n = j.on_rank_0 ? 0 : world.rank(); n < tasks; n += j.on_rank_0 ? 1 : world.size()) {
      if (!j.on_rank_0 || world.rank() == 0) all.add(task_of<Task>(n));
    }
    all.process();
    all.checkpoint(j.path);
  });
}

template <class Task>
void go_on(communicator& world, job const& j, balance const& how) {
  std::uint32_t const ranks = world.size();
  std::string const name = std::to_string(j.ranks) + " ranks, then " + std::to_string(ranks) + ", " + how.name;
  ran_tasks now(world, tasks);
  task_collection<Task> all(world, {.name = "numbers", .on_loss = j.on_loss},
                            [&](Task const& task) { now.ran(number_of(task)); });
  static_cast<void>(all.restart(j.path));
  std::uint64_t const dealt = all.num_recorded();
  for (int i = 0; i < 2; ++i) {
    prepare(all, how);
    EXPECT_EQ(world.sum(all.num_waiting()), tasks) << name;
    all.process();
    now.expect_each_once(name);
  }
  all.restore(placement_of_tasks::original);
  if (ranks != j.ranks) {
    EXPECT_EQ(all.num_waiting(), dealt) << name << ": the first iteration of this job began with restart()";
  } else {
    EXPECT_EQ(all.num_waiting(), !j.on_rank_0 ? tasks / ranks : world.rank() == 0 ? tasks : 0) << name;
  }
}

class restarts : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path); }
  std::string path = (std::filesystem::temp_directory_path() / ("skua_restart_" + std::to_string(getpid()))).string();

  template <class Task>
  void between(std::vector<std::uint32_t> const& numbers, lost_tasks on_loss = lost_tasks::fail) {
    for (std::uint32_t const before : numbers) {
      for (bool const on_rank_0 : {false, true}) {
        job const j{path, before, on_rank_0, on_loss};
        write<Task>(j);
        for (std::uint32_t const after : numbers) {
          on_ranks(after, [&](communicator& world) {
            for (balance const& how : balances()) go_on<Task>(world, j, how);
          });
        }
      }
    }
  }
};

TEST_F(restarts, on_any_number_of_ranks_run_each_task_once_under_each_balance) { between<plain_number>({1, 2, 3, 6}); }

TEST_F(restarts, of_serialized_tasks_do_so_too) { between<written_number>({1, 3}); }

TEST_F(restarts, of_tasks_that_outlive_their_rank_do_so_too) { between<plain_number>({1, 3}, lost_tasks::run_again); }

}}}}  // namespace skua::v0::ranks
