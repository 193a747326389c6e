// SPDX-License-Identifier: MIT
// The forest's order is the one that the hierarchy of types defines, whatever the comparators do.
#include "skua/parts/ordered/strategy_forest.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <vector>

namespace {

using skua::worker_id;
using skua::runtime::goes_first_at_root;
using skua::runtime::ordered_task;
using skua::runtime::requester;
using skua::runtime::strategy_forest;
using skua::runtime::strategy_kind;

constexpr requester owner{.worker = worker_id{0}};
constexpr requester thief{.worker = worker_id{1}, .steals = true};

struct item {
  strategy_kind const* kind = nullptr;
  std::array<int, 3> value{};  ///< one number per level of the hierarchy, the outermost first
  std::uint64_t number = 0;
  worker_id place{0};
};
ordered_task view(item const* i) { return {i->kind, i->value.data(), i->place, i->number}; }

/// Smaller numbers first; a thief's order is the reverse.
template <int Level>
bool smaller_first(void const* a, void const* b, requester const& by) {
  int const x = static_cast<int const*>(a)[Level];
  int const y = static_cast<int const*>(b)[Level];
  return by.steals ? x > y : x < y;
}
void const* same(void const* value) noexcept { return value; }

// Two families below the root, as in Fig. 1: alg, with sort and filter below it, and search.
constexpr strategy_kind alg{.prioritize = smaller_first<0>};
constexpr strategy_kind sort{.base = &alg, .prioritize = smaller_first<1>, .as_base = same};
constexpr strategy_kind filter{.base = &alg, .prioritize = smaller_first<1>, .as_base = same};
constexpr strategy_kind top_k{.base = &filter, .prioritize = smaller_first<2>, .as_base = same};
constexpr strategy_kind search{.prioritize = smaller_first<1>};
constexpr std::array<strategy_kind const*, 6> kinds{nullptr, &alg, &sort, &filter, &top_k, &search};

strategy_kind const* base_of(strategy_kind const* k) { return k == nullptr ? nullptr : k->base; }
bool prioritizes(strategy_kind const* k, item const& a, item const& b, requester const& by) {
  if (k == nullptr) return goes_first_at_root(view(&a), view(&b), by);
  return k->prioritize(a.value.data(), b.value.data(), by);
}

/// The definition, by brute force: the best of a type's own tasks and of the bests of its derived types, in its order.
item const* best_below(strategy_kind const* k, std::vector<item const*> const& all, requester const& by) {
  std::vector<item const*> candidates;
  for (item const* i : all) {
    if (i->kind == k) candidates.push_back(i);
  }
  for (strategy_kind const* d : kinds) {
    if (d == nullptr || base_of(d) != k) continue;
    if (item const* const i = best_below(d, all, by)) candidates.push_back(i);
  }
  item const* best = nullptr;
  for (item const* i : candidates) {
    if (best == nullptr || prioritizes(k, *i, *best, by)) best = i;
  }
  return best;
}

void order_is_the_definition(requester const& by, std::uint64_t seed) {
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 roll(seed);
  std::deque<item> items;
  std::vector<item const*> present;
  strategy_forest<item const*> forest(by);
  // Values are distinct, so the order is strict and the best is unique.
  std::vector<int> values(2000);
  for (int i = 0; i < 2000; ++i) values[static_cast<std::size_t>(i)] = i;
  std::ranges::shuffle(values, roll);
  for (std::size_t step = 0; step < 600; ++step) {
    if (roll() % 3 != 0) {
      items.push_back({.kind = kinds[roll() % kinds.size()],
                       .value = {values[3 * step], values[3 * step + 1], values[3 * step + 2]},
                       .number = step,
                       .place = worker_id{static_cast<std::uint32_t>(roll() % 3)}});
      present.push_back(&items.back());
      forest.push(&items.back());
    } else {
      item const* const expected = best_below(nullptr, present, by);
      auto const got = forest.pop();
      ASSERT_EQ(got.value_or(nullptr), expected) << "at step " << step;
      std::erase(present, expected);
    }
    ASSERT_EQ(forest.size(), present.size());
  }
  while (!present.empty()) {
    item const* const expected = best_below(nullptr, present, by);
    ASSERT_EQ(forest.pop().value_or(nullptr), expected);
    std::erase(present, expected);
  }
  EXPECT_FALSE(forest.pop());
}

}  // namespace

TEST(strategy_forest, order_is_that_of_the_hierarchy_for_owners_and_thieves) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    order_is_the_definition(owner, seed);
    order_is_the_definition(thief, seed);
  }
}

TEST(strategy_forest, root_is_lifo_for_the_owner_and_fifo_for_thieves) {
  std::array<item, 4> items;
  strategy_forest<item const*> mine(owner);
  strategy_forest<item const*> theirs(thief);
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i].number = i;
    mine.push(&items[i]);
    theirs.push(&items[i]);
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    EXPECT_EQ(mine.pop().value_or(nullptr), &items[items.size() - 1 - i]);
    EXPECT_EQ(theirs.pop().value_or(nullptr), &items[i]);
  }
}

TEST(strategy_forest, root_takes_the_requesters_own_place_first) {
  item const far{.number = 9, .place = worker_id{2}};
  item const own{.number = 1, .place = worker_id{0}};
  strategy_forest<item const*> forest(owner);
  forest.push(&far);
  forest.push(&own);
  EXPECT_EQ(forest.pop().value_or(nullptr), &own);
}

TEST(strategy_forest, type_without_an_order_has_the_roots) {
  constexpr strategy_kind plain{};
  item const older{.kind = &plain, .number = 1};
  item const newer{.kind = &plain, .number = 2};
  strategy_forest<item const*> forest(owner);
  forest.push(&newer);
  forest.push(&older);
  EXPECT_EQ(forest.pop().value_or(nullptr), &newer);
}

TEST(strategy_forest, replacing_all_keeps_the_order) {
  std::array<item, 40> items;
  std::vector<item const*> kept;
  strategy_forest<item const*> forest(owner);
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i] = {.kind = &search, .value = {0, static_cast<int>(i * 7 % 40), 0}, .number = i};
    forest.push(&items[i]);
    if (i % 2 == 0) kept.push_back(&items[i]);
  }
  forest.replace_all(kept);
  EXPECT_EQ(forest.size(), 20U);
  std::ranges::sort(kept, {}, [](item const* i) { return i->value[1]; });
  for (item const* i : kept) EXPECT_EQ(forest.pop().value_or(nullptr), i);
}

TEST(strategy_forest, tasks_that_come_in_order_cost_one_comparison_each) {
  std::vector<item> items(1000);
  strategy_forest<item const*> forest(owner);
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i] = {.kind = &search, .value = {0, static_cast<int>(i), 0}, .number = i};
    forest.push(&items[i]);
  }
  EXPECT_EQ(forest.comparisons(), items.size() - 1);
}

namespace {

bool throws(void const*, void const*, requester const&) { throw std::runtime_error("no order"); }
bool always(void const*, void const*, requester const&) { return true; }
bool by_chance(void const*, void const*, requester const&) {
  static std::mt19937_64 roll(7);
  return roll() % 2 == 0;
}
bool by_nan(void const* a, void const* b, requester const&) {
  auto const number = [](void const* v) { return *static_cast<int const*>(v) % 3 == 0 ? NAN : 1.0; };
  return number(a) < number(b);
}

}  // namespace

namespace {

constexpr strategy_kind keyed{.key = [](void const* v, requester const& by) {
  int const k = *static_cast<int const*>(v);
  return k == 77 ? std::nan("") : (by.steals ? -1.0 * k : k);
}};
constexpr strategy_kind hears{.key = keyed.key, .stolen = [](void*, worker_id, std::uint64_t) {}};

bool is_gone(item const* i) { return i->number % 9 == 4; }
std::uint64_t weight(item const* i) { return static_cast<std::uint64_t>(i->value[1]); }

}  // namespace

/// What is chosen and what is left are what pops one after the other would take and leave, for keys, NaNs, equal keys and weights.
TEST(strategy_forest, choice_takes_what_pops_would_take) {
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    std::mt19937 roll(seed);
    auto const below = [&roll](std::uint32_t n) { return static_cast<std::uint32_t>(roll() % n); };
    strategy_kind const* const kind = std::array<strategy_kind const*, 3>{nullptr, &keyed, &hears}[below(3)];
    requester const& by = below(2) == 0 ? owner : thief;
    std::uint32_t const heaviest = below(2) == 0 ? 1 : 1 + below(20);
    std::deque<item> items;
    strategy_forest<item const*> chooses(by);
    strategy_forest<item const*> pops(by);
    std::uint32_t const n = 1 + below(200);
    for (std::uint32_t i = 0; i < n; ++i) {
      items.push_back(
          {kind, {static_cast<int>(below(below(2) == 0 ? 5 : 100)), static_cast<int>(1 + below(heaviest))}, i});
      chooses.add(&items.back());
      pops.push(&items.back());
    }
    auto const next = [&] {
      std::optional<item const*> first = pops.pop();
      while (first && is_gone(*first)) first = pops.pop();
      return first;
    };
    auto const key = [&](item const* i) {
      return kind == nullptr ? static_cast<double>(i->number) : keyed.key(&i->value, by);
    };
    auto const same_place = [&](item const* a, item const* b) {  // equal keys may go in any order
      return key(a) == key(b) || (std::isnan(key(a)) && std::isnan(key(b)));
    };
    std::uint64_t const wanted = 1 + below(n * heaviest);
    std::size_t const chosen = chooses.choose(wanted, is_gone, weight);
    EXPECT_TRUE(chosen != 0 || n < 20) << "seed " << seed;
    std::vector<item const*> taken;
    for (std::size_t i = 0; i < chosen; ++i) taken.push_back(chooses.take_chosen());
    std::uint64_t weighs = 0;
    for (item const* t : taken) weighs += weight(t);
    if (!taken.empty()) {
      EXPECT_TRUE(weighs >= wanted || chooses.size() == 0) << "seed " << seed;
      auto const last = std::ranges::max_element(taken, {}, [&](item const* t) {
        return std::isnan(key(t)) ? 1e9 : (kind == nullptr && !by.steals ? -key(t) : key(t));
      });
      EXPECT_LT(weighs - weight(*last), wanted + heaviest) << "seed " << seed;
      std::optional<item const*> const first = next();
      ASSERT_TRUE(first && same_place(*first, taken.front())) << "seed " << seed;
      for (std::size_t i = 1; i < taken.size(); ++i) {
        std::optional<item const*> const popped = next();
        ASSERT_TRUE(popped && (kind != nullptr || *popped == taken[i])) << "seed " << seed;
      }
      if (kind == &hears) {
        auto const not_after = [&](item const* a, item const* b) { return key(b) < key(a); };
        ASSERT_FALSE(std::ranges::adjacent_find(taken, not_after) != taken.end()) << "seed " << seed;
      }
    }
    while (std::optional<item const*> const expected = next()) {
      std::optional<item const*> left = chooses.pop();
      while (left && is_gone(*left)) left = chooses.pop();
      ASSERT_TRUE(left) << "seed " << seed;
      ASSERT_TRUE(same_place(*left, *expected)) << "seed " << seed;
    }
  }
}

/// Pushes, additions, pops and choices in any order, of two types with keys and of the root's: each pop takes what goes first, whatever lies without an
/// order meanwhile.
TEST(strategy_forest, pops_after_choices_and_additions_take_what_goes_first) {
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    std::mt19937 roll(seed);
    std::deque<item> items;
    strategy_forest<item const*> forest(owner);
    std::vector<item const*> left;
    std::vector<int> keys(1000);
    std::iota(keys.begin(), keys.end(), 100);
    std::ranges::shuffle(keys, roll);
    auto const take = [&](item const* t) { ASSERT_TRUE(std::erase(left, t) == 1) << "seed " << seed; };
    auto const first_of = [&](strategy_kind const* kind) -> item const* {
      item const* first = nullptr;
      for (item const* i : left) {
        if (i->kind != kind) continue;
        bool const is_better =
            first == nullptr || (kind == nullptr ? i->number > first->number : i->value[0] < first->value[0]);
        if (is_better) first = i;
      }
      return first;
    };
    for (int step = 0; step < 400; ++step) {
      std::uint32_t const what = roll() % 8;
      if (what < 4) {
        strategy_kind const* const kind =
            std::array<strategy_kind const*, 3>{&keyed, &hears, nullptr}[roll() % (1 + seed % 3)];
        items.push_back({kind, {keys[items.size()], 1}, items.size() * 9});
        left.push_back(&items.back());
        what < 2 ? forest.push(&items.back()) : forest.add(&items.back());
      } else if (what < 7) {
        std::optional<item const*> const first = forest.pop();
        ASSERT_EQ(first.has_value(), !left.empty()) << "seed " << seed;
        if (!first) continue;
        ASSERT_EQ(*first, first_of((*first)->kind)) << "seed " << seed << ", step " << step;
        take(*first);
      } else {
        for (std::size_t n = forest.choose(1 + roll() % 8, is_gone, weight); n > 0; --n) take(forest.take_chosen());
      }
      ASSERT_EQ(forest.size(), left.size()) << "seed " << seed;
    }
  }
}

TEST(strategy_forest, comparators_that_throw_lie_or_change_lose_no_task) {
  constexpr std::array<strategy_kind, 4> odd{
      {{.prioritize = throws}, {.prioritize = always}, {.prioritize = by_chance}, {.prioritize = by_nan}}};
  constexpr std::uint64_t seed = 42;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 roll(seed);
  std::vector<item> items(20'000);
  std::vector<int> taken(items.size());
  strategy_forest<item const*> forest(thief);
  std::size_t pushed = 0;
  auto const take = [&] {
    if (auto const i = forest.pop()) ++taken[static_cast<std::size_t>(*i - items.data())];
  };
  while (pushed < items.size()) {
    if (roll() % 3 != 0) {
      items[pushed] = {.kind = &odd[roll() % odd.size()], .value = {static_cast<int>(roll() % 100)}, .number = pushed};
      forest.push(&items[pushed++]);
    } else {
      take();
    }
  }
  while (forest.size() > 0) take();
  EXPECT_TRUE(std::ranges::all_of(taken, [](int n) { return n == 1; }));
}
