// SPDX-License-Identifier: MIT
// The ordered store and dead tasks: it sweeps them, and thieves neither move nor weigh what they find dead.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "skua/parts/ordered/ordered_store.hpp"

namespace {

using skua::worker_id;
using skua::runtime::offered_task, skua::runtime::ordered_store, skua::runtime::outcome, skua::runtime::requester;
using skua::runtime::strategy_kind, skua::runtime::taken_task;

constexpr requester owner{.worker = worker_id{0}};
constexpr requester thief{.worker = worker_id{1}, .steals = true};
constexpr requester thief_at_home{.worker = worker_id{1}};

/// Dead if the flag is set. Thieves take the smallest number, too.
struct killable {
  bool const* dead;
  int number;
  int* asked = nullptr;
};
killable const& killable_at(void const* v) { return *static_cast<killable const*>(v); }
constexpr strategy_kind killables{
    .key = [](void const* v, requester const&) -> double { return killable_at(v).number; },
    .is_dead =
        [](void const* v) {
          if (killable_at(v).asked != nullptr) ++*killable_at(v).asked;
          return *killable_at(v).dead;
        }};
offered_task offer(int& task, killable const& value, std::uint64_t weight = 1) {
  return {.task = &task, .kind = &killables, .value = &value, .value_size = sizeof(value), .weight = weight};
}
constexpr bool never = false;

/// The dead tasks that a few pops of a store of n + n / 10 tasks find, n of which die together: the first ones of the store, the last
/// ones, or some of every ten.
struct mass_death {
  int removed = 0;
  int pops = 0;
};
mass_death die(int n, int where) {
  ordered_store<> store(owner);
  int const all = n + n / 10;
  std::vector<int> tasks(static_cast<std::size_t>(all));
  bool dead = false;
  for (int i = 0; i < all; ++i) {
    bool const is_mortal = where == 0 ? i < n : where == 1 ? i >= all - n : i % 11 != 5;
    killable const value{is_mortal ? &dead : &never, is_mortal ? 2 * all + i : i};  // the living go first
    EXPECT_TRUE(store.push(offer(tasks[static_cast<std::size_t>(i)], value)));
  }
  dead = true;
  mass_death found;
  taken_task t;
  while (found.pops < n / 20 && store.size() + static_cast<std::int64_t>(store.swept()) > n / 10) {
    EXPECT_EQ(store.pop(t), outcome::got);
    ++found.pops;
    found.removed += t.is_dead ? 1 : 0;
    while (store.pop_swept() != nullptr) ++found.removed;
  }
  return found;
}

}  // namespace

TEST(ordered_store, dead_tasks_that_are_most_of_a_store_are_swept_within_few_pops) {
  for (int const where : {0, 1, 2}) {
    mass_death const found = die(10'000, where);
    EXPECT_GT(found.removed, 9'000) << where;
    EXPECT_LT(found.pops, 500) << where;
  }
}

TEST(ordered_store, few_dead_tasks_cost_few_questions) {
  ordered_store<> store(owner);
  constexpr int n = 10'000;
  std::vector<int> tasks(n);
  int asked = 0;
  for (int i = 0; i < n; ++i)
    ASSERT_TRUE(store.push(offer(tasks[static_cast<std::size_t>(i)], killable{&never, i, &asked})));
  taken_task t;
  for (int i = 0; i < n; ++i) {
    ASSERT_EQ(store.pop(t), outcome::got);
    ASSERT_EQ(t.task, &tasks[static_cast<std::size_t>(i)]);
  }
  EXPECT_GE(asked, n) << "each is asked when it is taken";
  EXPECT_LE(asked, n + n / 2) << "and four tasks by every eighth pop";
}

TEST(ordered_store, swept_tasks_go_first_and_only_to_their_group) {
  ordered_store<> store(owner);
  std::vector<int> tasks(65);
  char const groups[2] = {};
  bool dead = false;
  for (std::size_t i = 0; i < 65; ++i) {
    killable const value{i == 0 ? &never : &dead, static_cast<int>(i)};
    offered_task offered = offer(tasks[i], value);
    offered.group = &groups[i == 0 ? 0 : 1];
    ASSERT_TRUE(store.push(offered));
  }
  dead = true;
  taken_task t;
  int pops = 1;
  while (store.pop_of(&groups[1], t) == outcome::empty)
    ASSERT_LT(++pops, 100) << "the living task goes first until a sweep";
  EXPECT_TRUE(t.is_dead);
  ASSERT_GT(store.swept(), 1U);
  EXPECT_EQ(store.pop_of(&groups[0], t), outcome::empty);
  std::size_t const left = static_cast<std::size_t>(store.size()) - 1;
  std::size_t const swept = store.swept();
  EXPECT_EQ(swept + left, 63U);
  ASSERT_EQ(store.pop_of(&groups[1], t), outcome::got);
  EXPECT_TRUE(t.is_dead);
  ASSERT_EQ(store.pop(t), outcome::got);
  EXPECT_TRUE(t.is_dead);
  for (std::size_t i = 2; i < swept; ++i) ASSERT_NE(store.pop_swept(), nullptr);
  EXPECT_EQ(store.pop_swept(), nullptr);
  ASSERT_EQ(store.pop_of(&groups[0], t), outcome::got);
  EXPECT_EQ(t.task, &tasks[0]);
  std::size_t more = 0;
  for (; store.pop(t) == outcome::got; ++more) EXPECT_TRUE(t.is_dead);
  EXPECT_EQ(more, left) << "each comes out once";
}

TEST(ordered_store, thief_moves_and_weighs_no_task_that_it_finds_dead) {
  ordered_store<> store(owner);
  ordered_store<> loot(thief_at_home);
  ordered_store<>::reader reader(thief);
  constexpr int n = 1200;  // 1000 heavy dead tasks, which thieves take first
  std::vector<int> tasks(n);
  bool const dead = true;
  for (int i = 0; i < n; ++i) {
    ASSERT_TRUE(store.push(
        offer(tasks[static_cast<std::size_t>(i)], killable{i < 1000 ? &dead : &never, i}, i < 1000 ? 1000 : 1)));
  }
  taken_task t;
  ASSERT_EQ(store.steal_half(reader, loot, t), outcome::got);
  EXPECT_TRUE(t.is_dead) << "so that the thief drops them before it does other work";
  EXPECT_EQ(loot.swept(), 999U);
  EXPECT_EQ(loot.size(), 100) << "half of what lives";
  EXPECT_EQ(store.size(), 100);
  EXPECT_EQ(store.weight(), 100);
  while (loot.pop_swept() != nullptr) {}
  ASSERT_EQ(loot.pop(t), outcome::got);
  EXPECT_EQ(t.task, &tasks[1000]);
}
