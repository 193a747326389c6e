// SPDX-License-Identifier: MIT
#include "skua/policy/balance/steps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/policy/balance/tree_node.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance { namespace {

load_database with(std::vector<load_ns> const& times) {
  load_database database(load_database::detail::exact);
  for (std::size_t t = 0; t < times.size(); ++t) database.add(static_cast<std::uint32_t>(t), times[t]);
  return database;
}

std::vector<load_ns> loads_of(std::vector<donated_task> const& tasks) {
  std::vector<load_ns> loads(tasks.size());
  std::ranges::transform(tasks, loads.begin(), &donated_task::load);
  return loads;
}

std::vector<donated_task> pool_of(std::vector<load_ns> const& loads) {
  std::vector<donated_task> pool;
  for (load_ns const load : loads) pool.push_back({9, static_cast<std::uint32_t>(pool.size()), load});
  return pool;
}

TEST(donate, the_shortest_leave_first_until_the_load_is_within_the_threshold) {  // H2, I2
  load_database database = with({5, 1, 9, 2, 3});
  donation const offered = donate(4, database, 15, 1.0);
  EXPECT_EQ(loads_of(offered.tasks), (std::vector<load_ns>{1, 2, 3}));
  EXPECT_EQ(offered.tasks[0], (donated_task{4, 1, 1}));
  EXPECT_EQ(offered.kept, 14U);
  EXPECT_EQ(database.tasks(), 2U) << "what is donated is no longer in the database";
}

TEST(donate, a_load_at_the_threshold_or_below_gives_nothing) {
  load_database at = with({10, 10});
  EXPECT_TRUE(donate(0, at, 20, 1.0).tasks.empty());
  EXPECT_TRUE(donate(0, at, 19.95, 1.003).tasks.empty());
  EXPECT_EQ(donate(0, at, 19.9, 1.003).tasks.size(), 1U);
}

TEST(donate, an_only_task_stays_whatever_it_takes) {  // H12, and a defect of the paper's loop
  load_database alone = with({1000});
  donation const kept = donate(0, alone, 1, 1.003);
  EXPECT_TRUE(kept.tasks.empty());
  EXPECT_EQ(kept.kept, 1000U);
  load_database long_one = with({1000, 1, 2});
  EXPECT_EQ(loads_of(donate(0, long_one, 1, 1.003).tasks), (std::vector<load_ns>{1, 2}));
}

TEST(donate, without_any_load_nothing_is_donated) {  // H10, H11
  load_database none = with({});
  EXPECT_TRUE(donate(0, none, 0, 1.003).tasks.empty());
  load_database zeros = with({0, 0, 0});
  EXPECT_TRUE(donate(0, zeros, 0, 1.003).tasks.empty());
  EXPECT_EQ(zeros.tasks(), 3U);
}

TEST(take_longer, the_sweeps_together_take_every_task_once_and_the_longest_first) {
  constexpr double average = 64;
  std::vector<donated_task> left = pool_of({0, 1, 4, 5, 16, 17, 40});
  EXPECT_EQ(loads_of(take_longer(left, sweep_limit(0, 3, average))), (std::vector<load_ns>{17, 40}));
  EXPECT_EQ(loads_of(take_longer(left, sweep_limit(1, 3, average))), (std::vector<load_ns>{5, 16}));
  EXPECT_EQ(loads_of(take_longer(left, sweep_limit(2, 3, average))), (std::vector<load_ns>{0, 1, 4}));
  EXPECT_TRUE(left.empty());
  left = pool_of({0, 40});
  EXPECT_EQ(take_longer(left, sweep_limit(0, 1, average)).size(), 2U) << "as published: all at once";
}

TEST(assign_longest_to_least, the_longest_task_goes_to_the_least_load) {  // H4
  std::vector<load_ns> loads{10, 0, 4};
  auto const given = assign_longest_to_least(pool_of({3, 7, 5, 1}), loads);
  std::vector<std::uint32_t> to(given.size());
  std::ranges::transform(given, to.begin(), &assignment::receiver);
  EXPECT_EQ(to, (std::vector<std::uint32_t>{1, 2, 1, 2})) << "7 to the 0, 5 to the 4, 3 to the 7, 1 to the 9";
  EXPECT_EQ(loads, (std::vector<load_ns>{10, 10, 10}));
}

TEST(assign_longest_to_least, each_choice_is_the_least_load_at_that_time) {  // H4, and the heap's key follows the load
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    runtime::dice roll(seed);
    std::vector<load_ns> loads(1 + roll.below(40));
    for (load_ns& load : loads) load = roll.below(1000);
    std::vector<load_ns> tasks(roll.below(200));
    for (load_ns& task : tasks) task = roll.below(300);
    std::vector<load_ns> by_hand = loads;
    for (assignment const& a : assign_longest_to_least(pool_of(tasks), loads)) {
      ASSERT_EQ(a.receiver, std::ranges::min_element(by_hand) - by_hand.begin()) << "seed " << seed;
      by_hand[a.receiver] += a.task.load;
    }
    EXPECT_EQ(loads, by_hand);
  }
}

TEST(fill_children, the_least_average_is_filled_until_it_reaches_the_limit) {  // I3
  std::vector<subtree> children{{30, 3}, {4, 1}, {40, 2}};
  filling const filled = fill_children(pool_of({8, 5, 2}), children, {10, false});
  ASSERT_EQ(filled.given.size(), 1U) << "after that, all averages are at least 10";
  EXPECT_EQ(filled.given[0].receiver, 1U);
  EXPECT_EQ(filled.given[0].task.load, 8U);
  EXPECT_EQ(loads_of(filled.left), (std::vector<load_ns>{5, 2})) << "tested first, taken then: none is lost";
  EXPECT_EQ(children[1], (subtree{12, 1}));
}

TEST(fill_children, a_task_that_fits_nowhere_goes_up_and_shorter_ones_are_tried) {
  std::vector<subtree> children{{30, 3}, {4, 1}, {40, 2}};
  filling const filled = fill_children(pool_of({8, 5, 2, 1}), children, {10, true});
  ASSERT_EQ(filled.given.size(), 2U);
  EXPECT_EQ(filled.given[0].task.load, 5U);
  EXPECT_EQ(filled.given[1].task.load, 1U);
  EXPECT_EQ(loads_of(filled.left), (std::vector<load_ns>{8, 2}));
  EXPECT_EQ(children[1], (subtree{10, 1}));
}

TEST(fill_children, without_a_pool_or_below_the_limit_nothing_is_given) {
  std::vector<subtree> children{{30, 3}, {4, 1}};
  EXPECT_TRUE(fill_children({}, children, {10}).given.empty());
  filling const full = fill_children(pool_of({3, 4}), children, {4, false});
  EXPECT_TRUE(full.given.empty());
  EXPECT_EQ(loads_of(full.left), (std::vector<load_ns>{4, 3}));
}

TEST(spread, everything_goes_to_the_child_with_the_least_average) {  // I5, I6
  std::vector<subtree> children{{10, 10}, {3, 1}};
  auto const given = spread(pool_of({15, 10, 9}), children);
  ASSERT_EQ(given.size(), 3U);
  EXPECT_EQ(given[0].receiver, 0U) << "1 per leaf against 3";
  EXPECT_EQ(given[1].receiver, 0U) << "2.5 against 3";
  EXPECT_EQ(given[2].receiver, 1U) << "3.5 against 3";
}

TEST(tree_node, what_comes_in_goes_out_once_and_the_rest_goes_up_with_the_load) {  // I4, I6
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    runtime::dice roll(seed);
    std::vector<subtree> children(1 + roll.below(5));
    for (subtree& c : children) c = {roll.below(1000), 1 + roll.below(9)};
    load_ns const before = std::accumulate(children.begin(), children.end(), load_ns{0},
                                           [](load_ns sum, subtree const& c) { return sum + c.load; });
    std::vector<load_ns> tasks(roll.below(60));
    for (load_ns& t : tasks) t = 1 + roll.below(100);
    tree_node node(children, {.limit = 100, .fits = seed % 2 == 0});
    std::vector<donated_task> const up = node.fill(pool_of(tasks));
    load_ns passed_up = 0;
    for (donated_task const& t : up) passed_up += t.load;
    load_ns const whole = std::accumulate(tasks.begin(), tasks.end(), load_ns{0});
    EXPECT_EQ(node.whole().load, before + whole - passed_up) << "seed " << seed;
    std::vector<donated_task> out;
    auto const down = node.spread(up);
    EXPECT_EQ(down.size(), children.size());
    for (auto const& to_child : down) out.insert(out.end(), to_child.begin(), to_child.end());
    std::ranges::sort(out, {}, &donated_task::task);
    EXPECT_EQ(loads_of(out), tasks) << "seed " << seed;
    EXPECT_TRUE(std::ranges::all_of(node.spread({}), [](auto const& held) { return held.empty(); }));
  }
}

}}}}}  // namespace skua::v0::policies::balance
