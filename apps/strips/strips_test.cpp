// SPDX-License-Identifier: MIT
// Every triangle is in one strip, whatever the mesh and the order; the order of the strategies is the paper's; damage is noticed.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/strips/problem.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/parts/ordered/strategy_forest.hpp"
#include "skua/program/serial.hpp"
#include "skua/skua.hpp"

namespace skua::apps::strips { namespace {

constexpr std::array both_choices{choice::by_neighbours, choice::lifo};

/// A surface, or triangles of few vertices, so that many meet at an edge.
mesh some_mesh(std::uint64_t seed) {
  runtime::dice rolled{seed};
  triangle const n = 1 + rolled.below(2000);
  if (seed % 2 == 0) return generated_surface(n, seed);
  vertex const vertices = 1 + rolled.below(n);
  std::vector<corners> some(n);
  for (corners& c : some) c = {rolled.below(vertices), rolled.below(vertices), rolled.below(vertices)};
  return mesh(some);
}

std::string wrong(mesh const& m, result const& r) { return wrong(m, r.next, r.counts.strips); }

/// The result of a run by hand: each triangle's successor.
std::vector<std::atomic<triangle>> chained(std::vector<triangle> const& next) {
  std::vector<std::atomic<triangle>> all(next.size());
  for (std::size_t i = 0; i < next.size(); ++i) all[i].store(next[i]);
  return all;
}

TEST(strips, every_triangle_is_in_one_strip) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    mesh const m = some_mesh(seed);
    for (choice const how : both_choices) {
      serial here;
      triangle const interval = 1 + static_cast<triangle>(seed * seed % 300);
      result const got = program(here, m, {.interval = interval, .how = how});
      EXPECT_EQ(wrong(m, got), "") << "seed " << seed;
      EXPECT_LE(got.counts.strips, got.counts.starts) << "seed " << seed;
    }
  }
}

TEST(strips, every_triangle_is_in_one_strip_on_threads) {
  for (char const* const policy : {"strategies", "strategies:lifo", "random"}) {
    pool several({.workers = 4, .policy = policy});
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      mesh const m = some_mesh(seed);
      for (choice const how : both_choices) {
        result const got = several.run([&](auto& here) { return program(here, m, {.interval = 64, .how = how}); });
        EXPECT_EQ(wrong(m, got), "") << policy << ", seed " << seed;
      }
    }
  }
}

TEST(strips, strip_grows_at_both_ends) {
  std::vector<corners> path;
  for (vertex v = 0; v < 500; ++v) path.push_back({v, v + 1, v + 2});
  mesh const m(path);
  serial here;
  for (choice const how : both_choices) {
    result const got = program(here, m, {.how = how});
    EXPECT_EQ(wrong(m, got), "");
    EXPECT_EQ(got.counts.strips, 1U);
  }
}

TEST(strips, starts_with_few_neighbours_leave_fewer_strips) {
  std::uint64_t with = 0;
  std::uint64_t without = 0;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    mesh const m = generated_surface(100'000, seed);
    serial here;
    with += program(here, m, {.how = choice::by_neighbours}).counts.strips;
    without += program(here, m, {.how = choice::lifo}).counts.strips;
  }
  EXPECT_LT(with, without);
}

TEST(strips, every_kind_of_damage_is_noticed) {
  mesh const m({{0, 1, 2}, {1, 2, 3}, {2, 3, 4}, {7, 8, 9}});
  constexpr triangle last = search::last;
  EXPECT_EQ(wrong(m, chained({1, 2, last, last}), 2), "");
  EXPECT_EQ(wrong(m, chained({1, 2, last, last}), 3), "strips: there are 2 strips, and not 3");
  EXPECT_EQ(wrong(m, chained({1, 2, last, search::is_free}), 2), "strips: triangle 3 is in no strip");
  EXPECT_EQ(wrong(m, chained({1, last, 1, last}), 2), "strips: triangle 1 stands behind two others");
  EXPECT_EQ(wrong(m, chained({1, 2, 3, last}), 1),
            "strips: triangle 2 has no common edge with the next one, triangle 3");
  mesh const ring({{0, 1, 2}, {0, 2, 3}, {0, 3, 1}});
  EXPECT_EQ(wrong(ring, chained({1, 2, 0}), 0), "strips: 3 triangles are in circles");
}

/// A strategy as a scheduler sees it, under a name.
struct waiting {
  char name;
  runtime::strategy_kind const* kind;
  void const* value;

  friend runtime::ordered_task view(waiting const* w) noexcept { return {w->kind, w->value, worker_id{0}, 0}; }
};

std::string order_for(strategies::requester const& by) {
  std::atomic<triangle> const state{search::is_free};
  std::array const starts{start_strategy(state, 3), start_strategy(state, 1), start_strategy(state, 2)};
  std::array const spawns{spawn_strategy(64, 64), spawn_strategy(0, 64), spawn_strategy(128, 64)};
  std::array<waiting, 6> all{};
  for (std::size_t i = 0; i < 3; ++i) {
    all[2 * i] = {static_cast<char>('0' + starts[i].free_neighbours), runtime::kind_of<start_strategy>(), &starts[i]};
    all[2 * i + 1] = {static_cast<char>('a' + spawns[i].first / 64), runtime::kind_of<spawn_strategy>(), &spawns[i]};
  }
  runtime::strategy_forest<waiting const*> forest(by);
  for (waiting const& w : all) forest.push(&w);
  std::string order;
  while (auto const next = forest.pop()) order += (*next)->name;
  return order;
}

TEST(strategies_of_strips, owners_start_where_few_neighbours_are_free_and_thieves_take_the_last_interval) {
  EXPECT_EQ(order_for({.steals = false}), "123abc");
  EXPECT_EQ(order_for({.steals = true}), "cba123");
}

TEST(strategies_of_strips, only_starts_that_would_go_first_may_be_calls) {
  std::atomic<triangle> const state{search::is_free};
  EXPECT_TRUE(start_strategy(state, 0).allow_call_conversion());
  EXPECT_TRUE(start_strategy(state, 1).allow_call_conversion());
  EXPECT_FALSE(start_strategy(state, 2).allow_call_conversion());
  EXPECT_FALSE(runtime::allows_call(spawn_strategy(0, 64)));
  EXPECT_EQ(runtime::weight_of(spawn_strategy(0, 64)), 64U);
}

TEST(strategies_of_strips, start_of_a_taken_triangle_is_dead) {
  std::atomic<triangle> state{search::is_free};
  start_strategy const start(state, 2);
  EXPECT_FALSE(start.is_dead());
  state = search::last;
  EXPECT_TRUE(start.is_dead());
}

}}  // namespace skua::apps::strips
