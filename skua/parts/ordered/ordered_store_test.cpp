// SPDX-License-Identifier: MIT
// The ordered store: orders, weights, bounded memory, and threads that take beside each other. Every schedule of few
// operations: ordered_store_model.cpp.
#include "skua/parts/ordered/ordered_store.hpp"
#include "tests/programs/effort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <new>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

namespace {

using skua::worker_id;
using skua::runtime::offered_task, skua::runtime::ordered_store, skua::runtime::outcome, skua::runtime::requester;
using skua::runtime::strategy_kind, skua::runtime::taken_task;

constexpr requester owner{.worker = worker_id{0}};
constexpr requester thief{.worker = worker_id{1}, .steals = true};
constexpr requester thief_at_home{.worker = worker_id{1}};

/// What the strategies of these tests hold.
struct numbers {
  int order = 0;
  bool dead = false;
  std::uint32_t spawned_at = 99;
  std::uint32_t stolen_by = 99;
};
numbers const& at(void const* v) { return *static_cast<numbers const*>(v); }
numbers& at(void* v) { return *static_cast<numbers*>(v); }

/// The owner takes the smallest, thieves the largest.
constexpr strategy_kind smallest{
    .prioritize = [](void const* a, void const* b,
                     requester const& by) { return by.steals ? at(a).order > at(b).order : at(a).order < at(b).order; },
    .is_dead = [](void const* v) { return at(v).dead; },
    .spawned = [](void* v, worker_id by, std::uint64_t) { at(v).spawned_at = index(by); },
    .stolen = [](void* v, worker_id by, std::uint64_t) { at(v).stolen_by = index(by); }};

/// A task is a number; its address is what the store holds.
class tasks {
 public:
  explicit tasks(std::size_t n) : all_(n) { std::iota(all_.begin(), all_.end(), 0); }
  [[nodiscard]] offered_task offer(std::size_t i, numbers const& value, std::uint64_t weight = 1) {
    return {.task = &all_[i], .kind = &smallest, .value = &value, .value_size = sizeof(value), .weight = weight};
  }
  /// Without a strategy.
  [[nodiscard]] offered_task offer(std::size_t i) { return {.task = &all_[i]}; }
  static int number(taken_task const& t) { return *static_cast<int const*>(t.task); }

 private:
  std::vector<int> all_;
};

template <class Store>
std::vector<int> pop_all(Store& store) {
  std::vector<int> order;
  taken_task t;
  while (store.pop(t) == outcome::got) order.push_back(tasks::number(t));
  return order;
}

}  // namespace

TEST(ordered_store, owner_pops_in_its_order) {
  ordered_store<> store(owner);
  tasks all(6);
  int const orders[] = {3, 1, 5, 0, 4, 2};
  for (std::size_t i = 0; i < 6; ++i) ASSERT_TRUE(store.push(all.offer(i, {.order = orders[i]})));
  EXPECT_EQ(store.size(), 6);
  EXPECT_EQ(pop_all(store), (std::vector{3, 1, 5, 0, 4, 2}));
  EXPECT_TRUE(store.looks_empty());
}

TEST(ordered_store, owner_pops_for_a_group_only_what_comes_first) {
  ordered_store<> store(owner);
  ordered_store<>::reader reader(thief);
  tasks all(4);
  char const groups[2] = {};
  for (std::size_t i = 0; i < 4; ++i) {  // of groups 0, 0, 1, 0
    numbers const value{.order = static_cast<int>(i)};
    offered_task offered = all.offer(i, value);
    offered.group = &groups[i == 2 ? 1 : 0];
    ASSERT_TRUE(store.push(offered));
  }
  taken_task t;
  EXPECT_EQ(store.pop_of(&groups[1], t), outcome::empty);
  EXPECT_FALSE(store.first_is_of(&groups[1]));
  EXPECT_TRUE(store.first_is_of(&groups[0]));
  ASSERT_EQ(store.pop_of(&groups[0], t), outcome::got);
  EXPECT_EQ(tasks::number(t), 0);
  ASSERT_EQ(store.steal(reader, t), outcome::got);
  EXPECT_EQ(tasks::number(t), 3);
  ASSERT_EQ(store.pop_of(&groups[0], t), outcome::got);
  EXPECT_EQ(tasks::number(t), 1);
  EXPECT_EQ(store.pop_of(&groups[0], t), outcome::empty);  // 2 comes first
  EXPECT_TRUE(store.first_is_of(&groups[1]));
  EXPECT_EQ(store.size(), 1);
  ASSERT_EQ(store.pop_of(&groups[1], t), outcome::got);
  EXPECT_EQ(tasks::number(t), 2);
  EXPECT_EQ(store.pop_of(&groups[1], t), outcome::empty);
}

/// Two places, 0 of the owner and 1 of the thief; tasks without a strategy.
TEST(ordered_store, hinted_place_orders_tasks_and_stays_when_they_are_stolen) {
  ordered_store<> store(owner);
  ordered_store<> loot(thief_at_home);
  ordered_store<>::reader reader(thief);
  tasks all(6);
  for (std::size_t i = 0; i < 6; ++i) {  // 0, 2 and 4 are the thief's
    offered_task offered = all.offer(i);
    if (i % 2 == 0) offered.place = worker_id{1};
    ASSERT_TRUE(store.push(offered));
  }
  taken_task t;
  ASSERT_EQ(store.pop(t), outcome::got);
  EXPECT_EQ(tasks::number(t), 5) << "the newest of the owner's place";
  ASSERT_EQ(store.steal(reader, t), outcome::got);
  EXPECT_EQ(tasks::number(t), 0) << "the oldest of the thief's place";
  ASSERT_EQ(store.steal_half(reader, loot, t), outcome::got);  // 2; then 4
  EXPECT_EQ(tasks::number(t), 2);
  EXPECT_EQ(pop_all(loot), (std::vector{4}));
  EXPECT_EQ(pop_all(store), (std::vector{3, 1}));

  // A task of the owner's place that was stolen still comes after the thief's own.
  ordered_store<>::reader second(thief);
  offered_task of_owner = all.offer(0);
  of_owner.place = worker_id{0};
  for (std::size_t i = 0; i < 4; ++i) ASSERT_TRUE(store.push(of_owner));
  ASSERT_EQ(store.steal_half(second, loot, t), outcome::got);
  ASSERT_TRUE(loot.push(all.offer(1)));
  ASSERT_TRUE(loot.push(of_owner));
  EXPECT_EQ(pop_all(loot), (std::vector{1, 0, 0}));
}

TEST(ordered_store, task_that_a_thief_has_is_no_owner_s_first) {
  ordered_store<> store(owner);
  ordered_store<>::reader reader(thief);
  tasks all(2);
  char const group = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    offered_task offered = all.offer(i);
    offered.group = i == 0 ? &group : nullptr;
    ASSERT_TRUE(store.push(offered));
  }
  taken_task t;
  ASSERT_EQ(store.pop(t), outcome::got);  // the newest
  EXPECT_EQ(tasks::number(t), 1);
  ASSERT_EQ(store.steal(reader, t), outcome::got);
  EXPECT_EQ(tasks::number(t), 0);
  EXPECT_FALSE(store.first_is_of(&group));  // a thief has it
  EXPECT_EQ(store.pop_of(&group, t), outcome::empty);
  EXPECT_TRUE(store.looks_empty());
}

TEST(ordered_store, thief_takes_in_its_own_order) {
  ordered_store<> store(owner);
  ordered_store<>::reader reader(thief);
  tasks all(4);
  for (std::size_t i = 0; i < 4; ++i) ASSERT_TRUE(store.push(all.offer(i, {.order = static_cast<int>(i)})));
  taken_task t;
  ASSERT_EQ(store.steal(reader, t), outcome::got);
  EXPECT_EQ(tasks::number(t), 3);
  EXPECT_EQ(store.size(), 3);
  ASSERT_EQ(store.pop(t), outcome::got);
  EXPECT_EQ(tasks::number(t), 0);
  ASSERT_EQ(store.steal(reader, t), outcome::got);
  EXPECT_EQ(tasks::number(t), 2);
  ASSERT_EQ(store.steal(reader, t), outcome::got);
  EXPECT_EQ(tasks::number(t), 1);
  EXPECT_EQ(store.steal(reader, t), outcome::empty);
  EXPECT_EQ(store.pop(t), outcome::empty);
}

TEST(ordered_store, second_steal_compares_new_tasks_only) {
  ordered_store<> store(owner);
  ordered_store<>::reader reader(thief);
  constexpr std::size_t n = 1000;
  tasks all(n + 10);
  for (std::size_t i = 0; i < n; ++i) ASSERT_TRUE(store.push(all.offer(i, {.order = static_cast<int>(i * 7 % n)})));
  taken_task t;
  ASSERT_EQ(store.steal(reader, t), outcome::got);
  std::uint64_t const first = reader.comparisons();
  EXPECT_GE(first, n - 1);
  for (std::size_t i = n; i < n + 10; ++i) ASSERT_TRUE(store.push(all.offer(i, {.order = static_cast<int>(i)})));
  ASSERT_EQ(store.steal(reader, t), outcome::got);
  // Ten pushes and two pops of a heap of 1000, each at most 2 log2(1000).
  EXPECT_LE(reader.comparisons() - first, 12U * 2 * 10);
}

TEST(ordered_store, dead_tasks_are_said_to_be_dead) {
  ordered_store<> store(owner);
  ordered_store<>::reader reader(thief);
  tasks all(2);
  ASSERT_TRUE(store.push(all.offer(0, {.order = 0, .dead = true})));
  ASSERT_TRUE(store.push(all.offer(1, {.order = 1, .dead = true})));
  taken_task t;
  ASSERT_EQ(store.pop(t), outcome::got);
  EXPECT_TRUE(t.is_dead);
  t = {};
  ASSERT_EQ(store.steal(reader, t), outcome::got);
  EXPECT_TRUE(t.is_dead);
}

TEST(ordered_store, half_of_the_weight_is_one_task_where_each_is_as_heavy_as_the_rest) {
  ordered_store<> store(owner);
  ordered_store<> own(thief_at_home);
  ordered_store<>::reader reader(thief);
  tasks all(10);
  for (std::size_t i = 0; i < 10; ++i)
    ASSERT_TRUE(store.push(all.offer(i, {.order = static_cast<int>(i)}, std::uint64_t{1} << i)));
  taken_task t;
  ASSERT_EQ(store.steal_half(reader, own, t), outcome::got);
  EXPECT_EQ(tasks::number(t), 9);
  EXPECT_EQ(own.size(), 0);
  EXPECT_EQ(store.size(), 9);
  EXPECT_EQ(store.weight(), (1 << 9) - 1);
}

TEST(ordered_store, half_of_the_weight_is_half_of_equal_tasks_in_the_thiefs_order) {
  ordered_store<> store(owner);
  ordered_store<> own(thief_at_home);
  ordered_store<>::reader reader(thief);
  tasks all(10);
  for (std::size_t i = 0; i < 10; ++i) ASSERT_TRUE(store.push(all.offer(i, {.order = static_cast<int>(i)}, 3)));
  taken_task t;
  ASSERT_EQ(store.steal_half(reader, own, t), outcome::got);
  EXPECT_EQ(tasks::number(t), 9);
  EXPECT_EQ(store.weight(), 15);
  EXPECT_EQ(own.weight(), 12);
  EXPECT_EQ(pop_all(own), (std::vector{5, 6, 7, 8}));
  EXPECT_EQ(pop_all(store), (std::vector{0, 1, 2, 3, 4}));
}

/// Random keys, weights and dead tasks: a thief that takes half has, with each steal, the tasks that go first in its order, until they have half
/// of the weight of those that are alive. The first one goes before all others.
TEST(ordered_store, halves_are_the_first_tasks_in_the_thiefs_order) {
  static constexpr strategy_kind keyed{
      .key = [](void const* v, requester const& by) { return by.steals ? -1.0 * at(v).order : at(v).order; },
      .is_dead = smallest.is_dead};
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    std::mt19937 roll(seed);
    std::size_t const n = 1 + roll() % 150;
    bool const has_dead = roll() % 2 == 0;
    bool const has_weights = roll() % 2 == 0;
    ordered_store<> store(owner);
    ordered_store<>::reader reader(thief);
    tasks all(n);
    std::vector<int> orders(n);
    std::iota(orders.begin(), orders.end(), 0);
    std::ranges::shuffle(orders, roll);
    std::vector<std::uint64_t> weights(n);
    std::vector<int> left(n);  // the numbers of the tasks, in the thief's order
    std::vector<char> dead(n);
    for (std::size_t i = 0; i < n; ++i) {
      weights[i] = has_weights ? 1 + roll() % 30 : 3;
      dead[i] = static_cast<char>(has_dead && roll() % 3 == 0);
      left[static_cast<std::size_t>(orders[i])] = static_cast<int>(i);
      numbers const value{.order = orders[i], .dead = dead[i] != 0};
      offered_task offered = all.offer(i, value, weights[i]);
      offered.kind = &keyed;
      ASSERT_TRUE(store.push(offered));
    }
    std::ranges::reverse(left);
    while (!left.empty()) {
      ordered_store<> own(thief_at_home);
      taken_task t;
      ASSERT_EQ(store.steal_half(reader, own, t), outcome::got) << "seed " << seed;
      std::uint64_t whole = 0;
      for (int const i : left) whole += weights[static_cast<std::size_t>(i)];
      std::vector<int> expected;
      for (std::uint64_t got = 0; !left.empty() && (expected.empty() || 2 * got < whole); left.erase(left.begin())) {
        auto const i = static_cast<std::size_t>(left.front());
        dead[i] != 0 ? whole -= weights[i] : got += weights[i];
        expected.push_back(left.front());
      }
      bool const is_alive = dead[static_cast<std::size_t>(tasks::number(t))] == 0;
      EXPECT_TRUE(!is_alive || tasks::number(t) == expected.front()) << "seed " << seed;
      std::vector<int> taken = pop_all(own);
      taken.push_back(tasks::number(t));
      std::ranges::sort(taken);
      std::ranges::sort(expected);
      ASSERT_EQ(taken, expected) << "seed " << seed;
    }
    EXPECT_EQ(store.size(), 0);
  }
}

TEST(ordered_store, strategies_hear_where_they_are) {
  static numbers seen;
  static constexpr strategy_kind watching{.prioritize =
                                              [](void const*, void const* b, requester const&) {
                                                seen = at(b);
                                                return false;
                                              },
                                          .spawned = smallest.spawned,
                                          .stolen = smallest.stolen};
  ordered_store<> store(owner);
  ordered_store<> own(thief_at_home);
  ordered_store<>::reader reader(thief);
  numbers const value;
  int task = 0;
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(store.push({.task = &task, .kind = &watching, .value = &value, .value_size = sizeof(value)}));
  EXPECT_EQ(seen.spawned_at, 0U);
  EXPECT_EQ(seen.stolen_by, 99U);
  taken_task t;
  ASSERT_EQ(store.steal_half(reader, own, t), outcome::got);
  ASSERT_EQ(own.size(), 1);
  ASSERT_TRUE(own.push({.task = &task, .kind = &watching, .value = &value, .value_size = sizeof(value)}));
  EXPECT_EQ(seen.spawned_at, 0U);
  EXPECT_EQ(seen.stolen_by, 1U);
}

namespace {

/// Counts what is handed out, and may refuse.
class counting_memory final : public std::pmr::memory_resource {
 public:
  std::size_t bytes = 0;
  bool refuses = false;

 private:
  void* do_allocate(std::size_t size, std::size_t alignment) override {
    if (refuses) throw std::bad_alloc();
    bytes += size;
    return std::pmr::new_delete_resource()->allocate(size, alignment);
  }
  void do_deallocate(void* p, std::size_t size, std::size_t alignment) override {
    std::pmr::new_delete_resource()->deallocate(p, size, alignment);
  }
  [[nodiscard]] bool do_is_equal(memory_resource const& other) const noexcept override { return this == &other; }
};

}  // namespace

TEST(ordered_store, memory_is_bounded_by_the_tasks_that_live) {
  counting_memory memory;
  ordered_store<> store(owner, memory);
  constexpr std::size_t live = 1000;
  tasks all(live);
  std::mt19937_64 roll(1);
  for (std::size_t i = 0; i < live; ++i)
    ASSERT_TRUE(store.push(all.offer(i, {.order = static_cast<int>(roll() % 1000)})));
  // One task stays at the very end of the order, so that old slots live among dead ones.
  for (int i = 0; i < 1'000'000; ++i) {
    taken_task t;
    ASSERT_EQ(store.pop(t), outcome::got);
    ASSERT_TRUE(
        store.push(all.offer(static_cast<std::size_t>(tasks::number(t)), {.order = static_cast<int>(roll() % 1000)})));
  }
  EXPECT_EQ(store.size(), 1000);
  EXPECT_LE(memory.bytes, (4 * (live + 64) + 2 * 64) * 128);
}

TEST(ordered_store, without_memory_nothing_is_pushed_and_nothing_lost) {
  counting_memory memory;
  ordered_store<> store(owner, memory);
  tasks all(200);
  std::size_t pushed = 0;
  memory.refuses = true;
  while (pushed < 200 && store.push(all.offer(pushed, {.order = static_cast<int>(pushed)}))) ++pushed;
  EXPECT_EQ(pushed, 64U);
  EXPECT_EQ(pop_all(store).size(), pushed);
  memory.refuses = false;
  EXPECT_TRUE(store.push(all.offer(100, {})));
}

TEST(ordered_store, readers_notice_that_slots_have_moved) {
  ordered_store<> store(owner);
  ordered_store<>::reader reader(thief);
  tasks all(3000);
  for (std::size_t i = 0; i < 10; ++i) ASSERT_TRUE(store.push(all.offer(i, {.order = 100 + static_cast<int>(i)})));
  taken_task t;
  ASSERT_EQ(store.steal(reader, t), outcome::got);  // 9
  for (std::size_t i = 10; i < 3000; ++i) {
    ASSERT_TRUE(store.push(all.offer(i, {.order = 0})));
    ASSERT_EQ(store.pop(t), outcome::got);
  }
  std::vector<int> stolen;
  while (store.steal(reader, t) == outcome::got) stolen.push_back(tasks::number(t));
  EXPECT_EQ(stolen, (std::vector{8, 7, 6, 5, 4, 3, 2, 1, 0}));
}

namespace {

bool throws(void const*, void const*, requester const&) { throw std::bad_alloc(); }
bool lies(void const*, void const*, requester const&) { return true; }
bool changes(void const*, void const*, requester const&) {
  static std::atomic<unsigned> asked{0};
  return asked.fetch_add(1, std::memory_order_relaxed) % 3 == 0;
}
bool dies_by_chance(void const* v) { return changes(v, v, {}); }
constexpr std::array<strategy_kind, 5> odd_kinds{{{.prioritize = throws},
                                                  {.prioritize = lies},
                                                  {.prioritize = changes},
                                                  smallest,
                                                  {.prioritize = changes, .is_dead = dies_by_chance}}};

/// The owner pushes and pops, `thieves` threads steal one or half; each task comes out once.
void each_task_comes_out_once(std::size_t operations, unsigned thieves, std::uint64_t seed) {
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  ordered_store<> store(owner);
  std::vector<std::atomic<int>> taken(operations);
  std::atomic<bool> done{false};
  auto const note = [&](taken_task const& t) {
    static_cast<std::atomic<int>*>(t.task)->fetch_add(1, std::memory_order_relaxed);
  };
  std::vector<std::jthread> others;
  for (unsigned n = 1; n <= thieves; ++n) {
    others.emplace_back([&, n] {
      std::mt19937_64 roll(seed + n);
      ordered_store<> own({.worker = worker_id{n}});
      ordered_store<>::reader reader({.worker = worker_id{n}, .steals = true});
      while (!done.load(std::memory_order_acquire) || !store.looks_empty()) {
        taken_task t;
        outcome const how = roll() % 2 == 0 ? store.steal(reader, t) : store.steal_half(reader, own, t);
        if (how == outcome::got) note(t);
        while (void* const dead = own.pop_swept()) note({dead});
        while (own.pop(t) == outcome::got) note(t);
      }
    });
  }
  std::mt19937_64 roll(seed);
  taken_task t;
  for (std::size_t i = 0; i < operations; ++i) {
    numbers const value{.order = static_cast<int>(roll() % 100)};
    while (!store.push({.task = &taken[i],
                        .kind = &odd_kinds[roll() % odd_kinds.size()],
                        .value = &value,
                        .value_size = sizeof(value),
                        .weight = 1 + roll() % 5})) {}
    if (roll() % 4 == 0 && store.pop(t) == outcome::got) note(t);
  }
  while (store.pop(t) == outcome::got) note(t);
  done.store(true, std::memory_order_release);
  others.clear();
  EXPECT_TRUE(std::ranges::all_of(taken, [](auto const& n) { return n.load(std::memory_order_relaxed) == 1; }));
  EXPECT_EQ(store.size(), 0);
  EXPECT_EQ(store.weight(), 0);
}

}  // namespace

TEST(ordered_store, owner_and_thieves_take_each_task_once_whatever_comparators_do) {
  using skua::testing::full_or;
  each_task_comes_out_once(full_or<std::size_t>(1'000'000, 100'000), 1, 1);
  each_task_comes_out_once(full_or<std::size_t>(200'000, 20'000), 3, 2);
}
