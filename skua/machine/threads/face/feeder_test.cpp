// SPDX-License-Identifier: MIT
// parallel_for_each with a feeder on real workers: many items, from one to eight workers, failures and stops.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <stop_token>
#include <vector>

#include "skua/skua.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using skua::feeder;
using skua::testing::wait_until;

class feeders : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  skua::pool pool{{.workers = GetParam()}};
};
/// Where three tasks must run at the same time.
class feeders_among_three : public feeders {};

constexpr int tree_size = 100'000;

/// A binary tree in an array; node i adds nodes 2i + 1 and 2i + 2.
void add_children(int i, feeder<int>& more) {
  for (int child : {2 * i + 1, 2 * i + 2}) {
    if (child < tree_size) more.add(child);
  }
}

}  // namespace

TEST_P(feeders, every_node_of_a_large_tree_is_visited_once) {
  std::vector<std::atomic<int>> seen(tree_size);
  auto const walk = [&] {
    skua::parallel_for_each(std::vector<int>{0}, [&](int i, feeder<int>& more) {
      seen[static_cast<std::size_t>(i)].fetch_add(1, std::memory_order_relaxed);
      add_children(i, more);
    });
  };
  pool.run([&](auto&) { walk(); });
  walk();  // on the default pool, from outside
  for (auto const& n : seen) ASSERT_EQ(n, 2);
}

TEST_P(feeders, a_long_chain_does_not_grow_the_stack) {
  std::atomic<int> calls{0};
  pool.run([&](auto&) {
    skua::parallel_for_each(std::vector<int>{0}, [&](int i, feeder<int>& more) {
      calls.fetch_add(1, std::memory_order_relaxed);
      if (i + 1 < tree_size) more.add(i + 1);
    });
  });
  EXPECT_EQ(calls, tree_size);
}

TEST_P(feeders, bodies_may_fork_and_call_other_loops) {
  std::atomic<int> calls{0};
  std::atomic<long> sum{0};
  pool.run([&](auto&) {
    skua::parallel_for_each(std::vector<int>(5, 6), [&](int depth, feeder<int>& more) {
      ++calls;
      skua::parallel_for(
          0, 10,
          [&](int i) {
            sum += i;
            if (depth > 0 && i < 2) more.add(depth - 1);
          },
          skua::simple_partitioner());
    });
  });
  EXPECT_EQ(calls, 5 * 127);
  EXPECT_EQ(sum, 45 * calls);
}

TEST_P(feeders, the_first_exception_comes_out_and_the_next_call_works) {
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> calls{0};
    EXPECT_THROW(pool.run([&](auto&) {
      skua::parallel_for_each(std::vector<int>{0}, [&](int i, feeder<int>& more) {
        if (++calls == 5000) throw std::runtime_error("5000");
        add_children(i, more);
      });
    }),
                 std::runtime_error);
    EXPECT_LT(calls, tree_size);
  }
}

TEST_P(feeders, a_stop_around_the_call_ends_an_endless_feed) {
  for (int round = 0; round < 20; ++round) {
    std::stop_source source;
    std::atomic<int> calls{0};
    auto const endless = [&] {
      skua::parallel_for_each(std::vector<int>(3), [&](int i, feeder<int>& more) {
        if (++calls == 5000) source.request_stop();
        more.add(i + 1);
      });
    };
    EXPECT_THROW(pool.run([&](auto& here) { here.with_stop(source.get_token(), [&](auto&) { endless(); }); }),
                 skua::cancelled);
    EXPECT_GE(calls, 5000);
  }
}

TEST_P(feeders, a_cancelled_group_ends_a_feed_in_its_task) {
  pool.run([&](auto&) {
    skua::task_group group;
    std::atomic<int> calls{0};
    group.run([&] {
      skua::parallel_for_each(std::vector<int>(3), [&](int i, feeder<int>& more) {
        if (++calls == 5000) group.cancel();
        more.add(i + 1);
      });
      ADD_FAILURE() << "the feed was cut short, it must not return";
    });
    EXPECT_EQ(group.wait(), skua::canceled);
    EXPECT_GE(calls, 5000);
  });
}

/// One of the items may run on top of the fiber that waits for them.
TEST_P(feeders_among_three, items_see_the_failure_of_a_stolen_join_around_the_call) {
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> running{0};
    auto const body = [&](int i, feeder<int>& more) {
      if (i == 0) {
        more.add(1);
        more.add(2);
        wait_until("an item is stolen", [&] { return running > 0; });
      } else {
        ++running;
        wait_until("an item sees the failure around the call", skua::is_current_task_group_canceling);
      }
    };
    EXPECT_THROW(pool.run([&](auto& h) {
      h.join([&](auto&) { skua::parallel_for_each(std::vector<int>{0}, body); },
             [&](auto&) {
               wait_until("both items run", [&] { return running == 2; });
               throw std::runtime_error("stolen");
             });
    }),
                 std::runtime_error);
  }
}

INSTANTIATE_TEST_SUITE_P(workers, feeders_among_three, ::testing::Values(3U, 8U));
INSTANTIATE_TEST_SUITE_P(workers, feeders, ::testing::Values(1U, 2U, 3U, 8U));
