// SPDX-License-Identifier: MIT
// restore(how): where the next process() starts, and how much tasks' times have changed.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "skua/machine/ranks/collection/seeded_times.hpp"
#include "skua/machine/ranks/transport/ranks_for_test.hpp"
#include "skua/ranks.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

using times = std::vector<std::uint64_t>;

TEST(seeded_times, compare_the_tasks_that_nobody_stole) {
  seeded_times s;
  EXPECT_EQ(s.compare(times{1, 2}).then_ns, 0U) << "nothing was seeded";
  s.seed(times{10, 20, 30, 40});
  s.begin(4);
  s.tasks_arrived(2);
  s.tasks_arrived(3);
  auto const got = s.compare(times{15, 18, 1000, 1000, 1000});
  EXPECT_EQ(got.differs_ns, 7U);
  EXPECT_EQ(got.then_ns, 30U);
}

TEST(seeded_times, compare_all_where_no_task_arrives_and_fewer_where_some_were_stolen) {
  seeded_times s;
  s.seed(times{10, 20, 30});
  s.begin(3);
  EXPECT_EQ(s.compare(times{10, 20, 33}).differs_ns, 3U);
  EXPECT_EQ(s.compare(times{11}).then_ns, 10U);
}

TEST(seeded_times, compare_nothing_where_other_tasks_wait_too) {
  seeded_times s;
  s.seed(times{10, 20, 30});
  s.begin(4);
  EXPECT_EQ(s.compare(times{10, 20, 30, 40}).then_ns, 0U);
}

class next_iteration : public on_each_number_of_ranks {};

/// A collection of numbers below `n`, all on rank 0; each rank sums up what it runs.
struct numbers {
  numbers(communicator& w, std::uint64_t n)
      : world(w), all(w, {.name = "numbers"}, [this](std::uint64_t const& k) {
          own += k + 1;
          ++ran;
        }) {
    if (w.rank() == 0) {
      for (std::uint64_t k = 0; k < n; ++k) all.add(k);
    }
  }
  /// Of all ranks.
  std::uint64_t process() {
    own = ran = 0;
    all.process();
    return world.sum(own);
  }
  communicator& world;
  std::uint64_t own = 0;
  std::uint64_t ran = 0;
  task_collection<std::uint64_t> all;
};

TEST_P(next_iteration, runs_every_task_once_however_it_starts) {
  on_ranks(GetParam(), [](communicator& world) {
    numbers all(world, 100);
    for (std::string const how : {"retentive", "none", "steal", "hierarchical", "none", "auto", "tempered",
                                  "centralised:donate=1.01", "auto", "auto"}) {
      EXPECT_EQ(all.process(), 5050U) << how;
      all.all.restore(how);
      std::string const start = all.all.report().start;
      EXPECT_TRUE(how == "auto" || start == how) << start;
    }
    EXPECT_EQ(all.process(), 5050U);
    EXPECT_NE(all.all.report().start.find("of the ideal time"), std::string::npos);
  });
}

TEST_P(next_iteration, starts_where_tasks_were_added_first_if_they_are_to_be_stolen_from_there) {
  on_ranks(GetParam(), [](communicator& world) {
    numbers all(world, 40);
    EXPECT_EQ(all.process(), 820U);
    all.all.restore("steal");
    EXPECT_EQ(all.all.num_waiting(), world.rank() == 0 ? 40U : 0U);
    EXPECT_EQ(all.process(), 820U);
    all.all.restore("none");
    std::uint64_t const mine = all.all.num_waiting();
    EXPECT_EQ(all.process(), 820U);
    EXPECT_EQ(all.ran, mine) << "nobody steals";
  });
}

TEST_P(next_iteration, of_auto_is_the_same_on_every_rank) {
  on_ranks(GetParam(), [](communicator& world) {
    task_collection<std::uint32_t> all(world, {.name = "sleeps"}, [](std::uint32_t const& k) {
      std::this_thread::sleep_for(std::chrono::microseconds(20 + k % 7 * 40));
    });
    if (world.rank() == 0) {
      for (std::uint32_t k = 0; k < 60; ++k) all.add(k);
    }
    for (int i = 0; i < 8; ++i) {
      all.process();
      all.restore("auto");
      std::string const mine = all.report().start;
      EXPECT_FALSE(mine.empty());
      EXPECT_EQ(world.allgather(mine), std::vector<std::string>(world.size(), mine));
    }
  });
}

TEST_P(next_iteration, is_refused_everywhere_where_nothing_is_recorded_and_for_unknown_words) {
  on_ranks(GetParam(), [](communicator& world) {
    numbers all(world, 10);
    EXPECT_THROW(all.all.restore("auto"), usage_error);
    EXPECT_EQ(all.process(), 55U);
    EXPECT_THROW(all.all.restore("nope"), usage_error);
    try {
      all.all.restore("hierarchical:arity=x");
    } catch (usage_error const& e) {
      EXPECT_NE(std::string(e.what()).find("none, steal, retentive, auto"), std::string::npos) << e.what();
    }
    all.all.restore("auto");
    EXPECT_THROW(all.all.restore("auto"), usage_error);
    EXPECT_EQ(all.process(), 55U);
  });
}

INSTANTIATE_TEST_SUITE_P(ranks, next_iteration, ::testing::ValuesIn(numbers_of_ranks()));

}}}}  // namespace skua::v0::ranks
