// SPDX-License-Identifier: MIT
// Groups that their policy sees: the rest of one comes back to its owner, and what the policy writes on a refused child stays on it.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "skua/skua.hpp"
#include "tests/programs/fib.hpp"
#include "tests/programs/listening_policy.hpp"

namespace {

using skua::policies::cause, skua::policies::event, skua::policies::lane, skua::policies::placement;
using skua::policies::returned, skua::policies::task_tag;
using skua::testing::ears, skua::testing::open_listening;

}  // namespace

TEST(exposed, group_that_nobody_steals_is_run_by_its_owner) {
  ears all;
  all.needs = {.lanes = {lane::local}};
  all.sees_forks = true;
  skua::pool pool({.workers = 1});
  auto const region = open_listening(pool, all);
  std::vector<int> order;
  region.run([&](auto& h) {
    h.join_each(std::array{0, 1, 2, 3}, [&](auto& g, int i) {
      order.push_back(i);
      g.join([](auto&) {}, [](auto&) {});
    });
    EXPECT_EQ(pool.counters()[0].parked, 0U);
  });
  EXPECT_EQ(order, (std::vector{0, 1, 2, 3}));
}

/// Tags are as tasks are nested: each child has its own, a scope's body the scope's, and what comes after a group the task's again.
TEST(exposed, groups_are_met_by_the_task_that_opens_them) {
  std::vector<std::uint64_t> met;
  ears all;
  all.needs = {.lanes = {lane::local}};
  all.sees_forks = true;
  all.met = [&](skua::worker_id, task_tag const& t) { met.push_back(t.words[1]); };
  skua::pool pool({.workers = 1});
  auto const region = open_listening(pool, all);
  auto const group = [](auto& h) { h.join_each(std::array{0, 1}, [](auto&, int) {}); };
  region.run([&](auto& h) {
    h.join_each(std::array{0, 1}, [&](auto& g, int) { group(g); });
    group(h);
    h.scope([&](auto& s) {
      s.spawn([](auto&) {});
      group(h);
    });
    group(h);
  });
  ASSERT_EQ(met.size(), 7U);
  auto const root = met[0];
  EXPECT_NE(met[1], root) << "the first child's";
  EXPECT_NE(met[2], root) << "the second child's";
  EXPECT_NE(met[1], met[2]);
  EXPECT_EQ(met[3], root) << "after a group";
  EXPECT_EQ(met[4], root) << "the scope";
  EXPECT_NE(met[5], root) << "in the scope";
  EXPECT_EQ(met[6], root) << "after the scope";
}

/// Worker 1's mailbox is occupied by the first child, if that still lies there; what the policy then writes on the second one is heard
/// when that has returned.
TEST(exposed, child_that_was_refused_returns_with_the_tag_that_the_policy_left) {
  constexpr std::uint64_t mark_of_refusal = 77;
  std::atomic<int> refused{0};
  std::atomic<int> returned_with_it{0};
  ears all;
  all.needs = {.lanes = {lane::local, lane::mailbox}};
  all.sees_forks = true;
  all.placed = [&](skua::worker_id self, task_tag& task, cause why) -> std::optional<placement> {
    if (why == cause::forked && index(self) == 0) return placement{.worker = skua::worker_id{1}, .lane = lane::mailbox};
    if (why != cause::refused) return std::nullopt;
    ++refused;
    task.words[1] = mark_of_refusal;
    return placement{.worker = self, .lane = lane::inbox};
  };
  all.heard = [&](skua::worker_id, event const& e) {
    auto const* const r = std::get_if<returned>(&e);
    if (r != nullptr && r->child.words[1] == mark_of_refusal) ++returned_with_it;
  };
  skua::pool pool({.workers = 2});
  auto const region = open_listening(pool, all);
  region.run([&](auto& h) {
    std::atomic<int> ran{0};
    h.join_each(std::vector<int>(64), [&](auto&, int) { ++ran; });
    EXPECT_EQ(ran, 64);
  });
  EXPECT_GE(refused, 1);
  EXPECT_EQ(returned_with_it, refused);
}

/// Two workers there are, but no team can run a child of a join.
TEST(exposed, or_not_a_child_that_no_team_can_run_is_refused_a_width) {
  std::atomic<int> refused{0};
  ears all;
  all.placed = [&](skua::worker_id, task_tag&, cause why) -> std::optional<placement> {
    if (why == cause::refused) ++refused;
    if (why == cause::stolen) return placement{.worker = skua::worker_id{0}, .lane = lane::inbox, .width = 2};
    return std::nullopt;
  };
  skua::pool pool({.workers = 2});
  auto const region = open_listening(pool, all);
  while (refused == 0) EXPECT_EQ(region.run([](auto& h) { return skua::testing::fib(h, 18); }), 2584);
}
