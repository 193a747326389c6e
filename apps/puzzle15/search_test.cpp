// SPDX-License-Identifier: MIT
// A* with tasks finds solutions as short as iterative deepening and breadth-first search do.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <thread>
#include <unordered_map>
#include <vector>

#include "apps/puzzle15/ida_star.hpp"
#include "apps/puzzle15/korf.hpp"
#include "apps/puzzle15/problem.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/program/serial.hpp"

namespace skua::apps::puzzle15 {
namespace {

result solve(board start, choice how = choice::best_first, limits const& within = {}) {
  serial here;
  return program(here, start, how, within);
}

/// All positions at most `depth` moves from the goal, with their distances.
std::unordered_map<board, std::uint32_t> around_the_goal(std::uint32_t depth) {
  std::unordered_map<board, std::uint32_t> all{{goal, 0}};
  std::vector<board> level{goal};
  for (std::uint32_t d = 1; d <= depth; ++d) {
    std::vector<board> next;
    for (board const b : level) {
      for (direction const to : directions) {
        if (!can_move(blank_of(b), to)) continue;
        board const reached = moved(b, blank_of(b), to);
        if (all.try_emplace(reached, d).second) next.push_back(reached);
      }
    }
    level = std::move(next);
  }
  return all;
}

TEST(puzzle15, breadth_first_search_finds_the_published_number_of_positions_at_each_distance) {
  // Korf and Schultze, Large-Scale Parallel Breadth-First Search (2005), table 1.
  constexpr std::array published{1, 2, 4, 10, 24, 54, 107, 212, 446, 946, 1948, 3938, 7808};
  std::array<int, published.size()> counted{};
  for (auto const& [b, distance] : around_the_goal(published.size() - 1)) ++counted[distance];
  EXPECT_EQ(counted, published);
}

TEST(puzzle15, solutions_near_the_goal_are_as_short_as_breadth_first_search_says) {
  std::uint32_t count = 0;
  for (auto const& [b, distance] : around_the_goal(11)) {
    EXPECT_LE(costs().estimate(b), distance);
    if (++count % 23 != 0) continue;
    EXPECT_EQ(ida_star(b).moves.size(), distance) << b;
    result const got = solve(b);
    EXPECT_EQ(got.moves.size(), distance) << b;
    EXPECT_EQ(wrong(b, got.moves), "");
    EXPECT_EQ(solve(b, choice::lifo, {.length = distance}).moves.size(), distance) << b;
  }
}

TEST(puzzle15, random_walks_are_solved_as_short_as_by_iterative_deepening) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    board const b = random_walk(20 + static_cast<std::uint32_t>(seed), seed);
    result const got = solve(b);
    EXPECT_EQ(got.moves.size(), ida_star(b).moves.size()) << "seed " << seed;
    EXPECT_EQ(wrong(b, got.moves), "") << "seed " << seed;
  }
}

TEST(puzzle15, serial_search_in_the_order_of_estimates_expands_no_position_twice) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    result const got = solve(random_walk(50, seed));
    EXPECT_EQ(got.again, 0U) << "seed " << seed;
    EXPECT_LE(got.expanded, got.states) << "seed " << seed;
  }
}

TEST(puzzle15, one_move_changes_the_estimate_by_one_up_to_its_parity) {
  // A consistent estimate changes by at most one; both it and the moves change the parity.
  runtime::dice rolled{7};
  for (std::uint64_t walk = 0; walk < 50; ++walk) {
    board b = random_walk(100, walk);
    for (int i = 0; i < 200; ++i) {
      direction const d = directions[rolled.below(4)];
      if (!can_move(blank_of(b), d)) continue;
      board const next = moved(b, blank_of(b), d);
      std::uint32_t const before = costs().estimate(b);
      std::uint32_t const after = costs().estimate(next);
      EXPECT_TRUE(after == before + 1 || after + 1 == before) << "walk " << walk << ": " << before << ", " << after;
      b = next;
    }
  }
}

TEST(puzzle15, estimate_counts_tiles_that_are_in_each_others_way) {
  EXPECT_EQ(costs().estimate(goal), 0U);
  // The tiles 2 and 1 are in their row, in the wrong order: 1 + 1 across, and 2 to pass. So are 8 and 4 in their column.
  EXPECT_EQ(costs().estimate(parse_board("0 2 1 3 8 5 6 7 4 9 10 11 12 13 14 15")), 8U);
}

TEST(puzzle15, half_of_all_positions_are_solvable) {
  EXPECT_TRUE(is_solvable(goal));
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    board const b = random_walk(80, seed);
    EXPECT_TRUE(is_solvable(b)) << "seed " << seed;
    // Two tiles exchanged, neither of them the blank.
    std::uint32_t const one = blank_of(b) < 2 ? 2 : 0;
    board const difference = tile_at(b, one) ^ tile_at(b, one + 1);
    EXPECT_FALSE(is_solvable(b ^ difference << (4 * one) ^ difference << (4 * one + 4))) << "seed " << seed;
  }
}

TEST(puzzle15, korfs_positions_are_solvable_and_their_lengths_have_the_right_parity) {
  for (std::uint32_t i = 1; i <= korf_instances; ++i) {
    instance const one = korf(i);
    std::uint32_t seen = 0;
    for (std::uint32_t s = 0; s < squares; ++s) seen |= 1U << tile_at(one.start, s);
    EXPECT_EQ(seen, 0xffffU) << i;
    EXPECT_TRUE(is_solvable(one.start)) << i;
    EXPECT_LE(costs().estimate(one.start), one.length) << i;
    EXPECT_EQ((one.length - costs().estimate(one.start)) % 2, 0U) << i;
  }
}

TEST(puzzle15, an_easy_position_of_korf_is_solved_in_its_known_length) {
  instance const one = korf(79);
  EXPECT_EQ(ida_star(one.start).moves.size(), one.length);
  result const got = solve(one.start);
  EXPECT_EQ(got.moves.size(), one.length);
  EXPECT_EQ(wrong(one.start, got.moves), "");
}

TEST(puzzle15, a_full_table_ends_the_search_with_an_error) {
  EXPECT_THROW(solve(korf(1).start, choice::best_first, {.table_bytes = 1 << 16}), resource_error);
}

TEST(puzzle15, a_limit_below_the_shortest_solution_is_noticed) {
  board const b = parse_board("1 2 3 7 4 5 6 0 8 9 10 11 12 13 14 15");
  EXPECT_EQ(solve(b, choice::lifo, {.length = 4}).moves.size(), 4U);
  EXPECT_THROW(solve(b, choice::lifo, {.length = 3}), std::logic_error);
}

TEST(puzzle15, moves_that_leave_the_board_or_miss_the_goal_are_noticed) {
  EXPECT_NE(wrong(goal, {direction::up}), "");
  EXPECT_NE(wrong(goal, {direction::down}), "");
  EXPECT_EQ(wrong(goal, {direction::down, direction::up}), "");
}

TEST(closed_table, keeps_the_shortest_way_to_each_position) {
  runtime::dice rolled{1};
  closed_table table(1 << 24);
  std::unordered_map<board, std::uint16_t> shortest;
  for (int i = 0; i < 20000; ++i) {
    board const b = random_walk(rolled.below(16), rolled.below(3000));
    auto const length = static_cast<std::uint16_t>(rolled.below(50));
    auto const [at, is_new] = shortest.try_emplace(b, length);
    auto const right = is_new                ? closed_table::answer::is_new
                       : length < at->second ? closed_table::answer::shorter
                                             : closed_table::answer::known;
    EXPECT_EQ(table.reach(b, {length, direction::left}), right);
    at->second = std::min(at->second, length);
  }
  EXPECT_EQ(table.size(), shortest.size());
  for (auto const& [b, length] : shortest) EXPECT_EQ(table.find(b)->length, length);
  EXPECT_FALSE(table.find(korf(1).start));
}

TEST(closed_table, a_position_is_expanded_again_only_after_a_shorter_way) {
  using expansion = closed_table::expansion;
  closed_table table(1 << 20);
  table.reach(goal, {30, direction::up});
  table.reach(goal, {28, direction::up});
  EXPECT_EQ(table.begin_expansion(goal, 30), expansion::stale);
  EXPECT_EQ(table.begin_expansion(goal, 28), expansion::first);
  EXPECT_EQ(table.reach(goal, {28, direction::left}), closed_table::answer::known);
  EXPECT_EQ(table.reach(goal, {26, direction::left}), closed_table::answer::shorter);
  EXPECT_EQ(table.find(goal)->length, 26U);
  EXPECT_EQ(table.begin_expansion(goal, 26), expansion::again);
}

TEST(closed_table, each_position_is_new_to_one_of_several_threads) {
  closed_table table(1 << 24);
  std::atomic<int> news = 0;
  auto const reach_all = [&] {
    for (std::uint64_t i = 0; i < 5000; ++i) {
      if (table.reach(random_walk(30, i), {30, direction::up}) == closed_table::answer::is_new) ++news;
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 3; ++t) threads.emplace_back(reach_all);
  }
  EXPECT_EQ(static_cast<std::uint64_t>(news.load()), table.size());
}

}  // namespace
}  // namespace skua::apps::puzzle15
