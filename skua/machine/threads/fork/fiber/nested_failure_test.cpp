// SPDX-License-Identifier: MIT
// A failure of which the children of a stolen join learn only once their owner has recorded the steal: also if the owner runs another task
// on top of what it waits in, and where joins around a group are stolen one after the other.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>

#include "skua/machine/threads/fork/group/stolen_joins.hpp"
#include "skua/machine/threads/lane/failure_epoch.hpp"
#include "skua/skua.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using skua::testing::wait_until;

struct failure : std::runtime_error {
  failure() : std::runtime_error("the outer join's second child") {}
};

using open_join = skua::runtime::open_join<>;

struct join : open_join {
  join() : open_join(skua::runtime::word_of_two{nullptr}) {}
};

}  // namespace

/// Three workers. The owner runs an enqueued call on top of its inner join's first child; the inner join's second child runs elsewhere,
/// and so did the outer one's, which has failed. Only the call on top asks, and so notes that the inner join was stolen.
TEST(nested_failure, is_heard_by_a_child_of_what_lies_below_a_task_on_top) {
  skua::pool pool({.workers = 3});
  for (int round = 0; round < 10; ++round) {
    std::atomic<bool> outer_runs{false};
    std::atomic<bool> inner_runs{false};
    std::atomic<bool> nested_runs{false};
    std::atomic<bool> has_failed{false};
    std::atomic<bool> over{false};
    std::atomic<long> looks{0};
    auto const await = [](char const* what, std::atomic<bool> const& event) {
      wait_until(what, [&] { return event.load(); });
    };
    auto const on_top = [&](auto& here) {
      nested_runs = true;
      await("the other join's child has failed", has_failed);
      long const seen = looks;
      wait_until("the inner child has looked since, or heard", [&] { return looks > seen + 2 || over; });
      EXPECT_FALSE(here.stop_requested()) << "what lies below fails, and not this call";
      await("the inner child hears of the failure", over);
    };
    auto const body = [&](auto& h) {
      h.join(
          [&](auto& g) {
            await("the outer join is stolen", outer_runs);
            g.join(
                [&](auto&) {
                  await("the inner join is stolen", inner_runs);
                  pool.enqueue(skua::at_most{0}, on_top);
                },
                [&](auto& child) {
                  inner_runs = true;
                  wait_until("a child hears of the failure around its join", [&] {
                    ++looks;
                    return child.stop_requested();
                  });
                  over = true;
                });
          },
          [&](auto&) {
            outer_runs = true;
            await("a call runs on top", nested_runs);
            // The only worker that is free once this has failed.
            pool.enqueue([&] { has_failed = true; });
            throw failure();
          });
    };
    EXPECT_THROW(pool.run(body), failure);
    pool.drain();
  }
}

/// A group is inside the join that was stolen last of those around it.
TEST(nested_failure, of_a_join_that_was_stolen_later_ends_a_registered_group) {
  skua::runtime::failure_epoch<> failures;
  skua::runtime::stolen_joins<> stolen;
  join outermost;
  join inner;
  open_join of_group{std::uint64_t{3}};
  skua::runtime::registered_group<> group{of_group};
  stolen.link(outermost, 0);
  stolen.open(group, 2);
  EXPECT_FALSE(of_group.wants_end(failures.latest()));
  stolen.link(inner, 1);
  static_cast<void>(inner.raise(open_join::failed));
  failures.begin_next();
  EXPECT_TRUE(of_group.wants_end(failures.latest()));
}

TEST(nested_failure, of_a_join_inside_a_registered_group_does_not_end_it) {
  skua::runtime::failure_epoch<> failures;
  skua::runtime::stolen_joins<> stolen;
  join outermost;
  join inside;
  open_join of_group{std::uint64_t{3}};
  skua::runtime::registered_group<> group{of_group};
  stolen.open(group, 1);
  stolen.link(outermost, 0);
  stolen.link(inside, 1);
  static_cast<void>(inside.raise(open_join::failed));
  failures.begin_next();
  EXPECT_FALSE(of_group.wants_end(failures.latest()));
  static_cast<void>(outermost.raise(open_join::failed));
  failures.begin_next();
  EXPECT_TRUE(of_group.wants_end(failures.latest()));
}
