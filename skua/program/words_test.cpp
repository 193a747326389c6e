// SPDX-License-Identifier: MIT
// Hints, addresses, weights and trees at their borders: what is unset, empty, just inside and just outside.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "skua/program/children.hpp"
#include "skua/program/hint.hpp"
#include "skua/program/strategy/orders.hpp"
#include "skua/program/strategy/strategy.hpp"
#include "skua/program/task_tree.hpp"
#include "tests/programs/random_tree.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(addresses, lie_on_the_line_and_are_clipped_to_it) {
  EXPECT_EQ(address::at(0).fraction, 0U);
  for (double const x : {-1.0, -0.0, -infinite, nan}) EXPECT_EQ(address::at(x).fraction, 0U) << x;
  EXPECT_EQ(address::at(0.5).fraction, 0x8000'0000U);
  EXPECT_EQ(address::at(1 / 4294967296.0).fraction, 1U);
  for (double const x : {1.0, 1.5, 1e300, infinite}) EXPECT_EQ(address::at(x).fraction, 0xffff'fffeU) << x;
  EXPECT_EQ(address::at(0xffff'fffd / 4294967296.0).fraction, 0xffff'fffdU);
  EXPECT_EQ(address::of(0, 1), address::at(0.5));
  EXPECT_EQ(address::of(0, 2), address::at(0.25));
  EXPECT_EQ(address::of(3, 4), address::at(0.875));
}

TEST(hints, are_unset_until_they_are_given) {
  hint h;
  EXPECT_FALSE(h.work || h.place || h.address || h.type);
  EXPECT_EQ(h.work.value_or(3), 3);
  EXPECT_THROW(static_cast<void>(h.place.value()), std::bad_optional_access);
  EXPECT_EQ(std::optional<task_type>(h.type), std::nullopt);
  h.work = 2;
  EXPECT_TRUE(h.work.has_value());
  EXPECT_EQ(*h.work, 2);
  EXPECT_EQ(h.work.value(), 2);
  EXPECT_EQ(h.work.value_or(3), 2);
  EXPECT_EQ(std::optional<double>(h.work), 2);
  h.work = std::nullopt;
  EXPECT_EQ(h, hint{});
  std::optional<double> none;
  h.work = none;
  EXPECT_FALSE(h.work);
  none = 5;
  h.work = none;
  EXPECT_EQ(h, as_hint(work{5}));
  h.work = nan;
  EXPECT_TRUE(h.work) << "a NaN is given, too";
}

/// Every pair of sets of words: the right one wins where both say something, and nothing is lost where one says nothing.
TEST(hints, of_two_words_the_right_one_wins_field_by_field) {
  hint const all[2] = {work{1} | at{place_id{1}} | address::at(0.1) | task_type{1},
                       work{2} | at{place_id{2}} | address::at(0.2) | task_type{2}};
  auto const some = [](hint const& of, unsigned which) {
    hint h;
    if ((which & 1) != 0) h.work = of.work;
    if ((which & 2) != 0) h.place = of.place;
    if ((which & 4) != 0) h.address = of.address;
    if ((which & 8) != 0) h.type = of.type;
    return h;
  };
  for (unsigned left = 0; left < 16; ++left) {
    for (unsigned right = 0; right < 16; ++right) {
      hint volatile_left = some(all[0], left);
      hint const both = volatile_left | some(all[1], right);
      for (unsigned field = 1; field < 16; field *= 2) {
        hint const expected = (right & field) != 0 ? all[1] : (left & field) != 0 ? all[0] : hint{};
        EXPECT_EQ(some(both, field), some(expected, field)) << left << " | " << right;
      }
    }
  }
}

TEST(hints, of_work_count_what_can_be_weighed) {
  auto const weighed = [](double w) { return work_of(as_hint(work{w})); };
  EXPECT_EQ(work_of(hint{}), 1);
  EXPECT_EQ(weighed(0), 0);
  EXPECT_EQ(weighed(0.5), 0.5);
  EXPECT_EQ(weighed(-0.5), 1);
  EXPECT_EQ(weighed(nan), 1);
  EXPECT_EQ(weighed(-infinite), 1);
  EXPECT_EQ(weighed(1e99), 1e99);
  EXPECT_EQ(weighed(infinite), 1e100);
  EXPECT_EQ(element_hint(3), as_hint(work{3}));
  EXPECT_EQ(element_hint(at{place_id{3}}), as_hint(at{place_id{3}}));
}

/// A strategy that says all there is to say.
struct told {
  double weight = 1;
  bool call = false;
  [[nodiscard]] double transitive_weight() const { return weight; }
  [[nodiscard]] bool allow_call_conversion() const { return call; }
};

TEST(strategies, weigh_a_task_at_least_and_a_million_million_at_most) {
  for (double const w : {1.0, 0.5, 0.0, -3.0, nan, -infinite}) EXPECT_EQ(weight_of(told{.weight = w}), 1U) << w;
  EXPECT_EQ(weight_of(told{.weight = 1.5}), 1U);
  EXPECT_EQ(weight_of(told{.weight = 2}), 2U);
  EXPECT_EQ(weight_of(told{.weight = 1e11}), 100'000'000'000U);
  for (double const w : {1e12, 1e13, infinite}) EXPECT_EQ(weight_of(told{.weight = w}), 1'000'000'000'000U) << w;
  EXPECT_EQ(weight_of(order{}), 1U);
  EXPECT_TRUE(allows_call(told{.call = true}));
  EXPECT_FALSE(allows_call(told{.call = false}));
  EXPECT_FALSE(allows_call(order{}));
  EXPECT_TRUE(allows_call(weighted{}));
  EXPECT_EQ(weight_of(weighted{.weight = 4}), 4U);
}

TEST(strategies, of_numbers_go_by_their_keys) {
  requester const here{.worker = worker_id{0}, .steals = false};
  requester const thief{.worker = worker_id{1}, .steals = true};
  order const o{.local = 2, .steal = 3};
  EXPECT_EQ(o.key(here), 2);
  EXPECT_EQ(o.key(thief), 3);
  for (requester const& by : {here, thief}) {
    EXPECT_LT(priority(urgency::high).key(by), priority(urgency::normal).key(by));
    EXPECT_LT(priority(urgency::normal).key(by), priority(urgency::low).key(by));
    EXPECT_EQ(deadline(7.5).key(by), 7.5);
    depth_first newest;
    breadth_first oldest;
    for (std::uint64_t const number : {4U, 9U}) {
      newest.spawned(worker_id{0}, number);
      oldest.spawned(worker_id{0}, number);
      EXPECT_EQ(newest.key(by), -static_cast<double>(number));
      EXPECT_EQ(oldest.key(by), static_cast<double>(number));
    }
    newest.stolen(worker_id{1}, 2);
    oldest.stolen(worker_id{1}, 3);
    EXPECT_EQ(newest.key(by), -2) << "a stolen task is one of the thief's";
    EXPECT_EQ(oldest.key(by), 3);
  }
}

struct derived : depth_first {
  using base = depth_first;
  int rank = 0;
  [[nodiscard]] bool prioritize(derived const& other, requester const&) const { return rank < other.rank; }
  [[nodiscard]] bool is_dead() const { return rank < 0; }
};

TEST(strategies, are_called_through_their_kind) {
  requester const by{};
  strategy_kind const* const kind = kind_of<derived>();
  ASSERT_NE(kind, nullptr);
  EXPECT_EQ(kind->base, kind_of<depth_first>());
  derived a;
  a.rank = 1;
  derived b;
  b.rank = 2;
  EXPECT_TRUE(kind->prioritize(&a, &b, by));
  EXPECT_FALSE(kind->prioritize(&b, &a, by));
  EXPECT_EQ(kind->as_base(&a), static_cast<depth_first const*>(&a));
  EXPECT_FALSE(kind->is_dead(&a));
  a.rank = -1;
  EXPECT_TRUE(kind->is_dead(&a));
  kind->spawned(&a, worker_id{0}, 5);
  EXPECT_EQ(a.number, 5U);
  kind->stolen(&a, worker_id{1}, 6);
  EXPECT_EQ(a.number, 6U);
  EXPECT_EQ(kind->base->key(kind->as_base(&a), by), -6);
  EXPECT_EQ(kind_of<told>(), nullptr) << "it only weighs";
}

TEST(trees, weigh_every_kind_of_group) {
  auto const forks_of = [](tree_node_kind kind) {
    task_tree t;
    tree_node_id const group = t.add(0, kind);
    for (int i = 0; i < 4; ++i) t[t.add(t.add(group, tree_node_kind::task), tree_node_kind::leaf)].flops = 10;
    totals const all = t.weigh([&](tree_node_id id) { return t.amount(id, unit::flops); }, 2);
    return std::pair(all.forks, all.span);
  };
  EXPECT_EQ(forks_of(tree_node_kind::join), std::pair(std::uint64_t{3}, 16.0));
  EXPECT_EQ(forks_of(tree_node_kind::each), std::pair(std::uint64_t{3}, 16.0));
  EXPECT_EQ(forks_of(tree_node_kind::scope), std::pair(std::uint64_t{4}, 18.0));
}

TEST(trees, count_a_task_that_is_nothing_but_a_step_as_a_leaf_and_no_other_step) {
  task_tree t;
  tree_node_id const scope = t.add(0, tree_node_kind::scope);
  t.add(scope, tree_node_kind::step);
  EXPECT_EQ(t.weigh(unit::leaves).work, 0) << "a scope's";
  tree_node_id const task = t.add(scope, tree_node_kind::task);
  t.add(task, tree_node_kind::step);
  EXPECT_EQ(t.weigh(unit::leaves).work, 1);
  t.add(task, tree_node_kind::join);
  EXPECT_EQ(t.weigh(unit::leaves).work, 0) << "it is something else, too";
}

TEST(trees, of_regions_in_which_nothing_is_spawned_weigh_their_bodies) {
  task_tree t;
  t[t.add(t.add(0, tree_node_kind::finish), tree_node_kind::leaf)].flops = 3;
  t[t.add(0, tree_node_kind::leaf)].flops = 4;
  EXPECT_EQ(t.weigh(unit::flops).span, 7);
}

TEST(trees, keep_who_owns_what_was_written_before) {
  task_tree t;
  std::vector<owned_range> const ranges{{.address = 1, .bytes = 2, .owner = place_id{3}}};
  t.set_owned(ranges);
  EXPECT_EQ(t.owned(), ranges);
}

TEST(trees, of_any_size_that_is_asked_for_have_something_below_the_root) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) EXPECT_GT(random_tree::make(seed, {.tasks = 0}).size(), 1U) << seed;
}

TEST(trees, find_the_next_task_among_siblings) {
  task_tree t;
  tree_node_id const scope = t.add(0, tree_node_kind::scope);
  tree_node_id const leaf = t.add(scope, tree_node_kind::leaf);
  tree_node_id const first = t.add(scope, tree_node_kind::task);
  tree_node_id const second = t.add(scope, tree_node_kind::task);
  tree_node_id const last = t.add(scope, tree_node_kind::leaf);
  EXPECT_EQ(t.task_from(leaf), first);
  EXPECT_EQ(t.task_from(first), first);
  EXPECT_EQ(t.task_from(second), second);
  EXPECT_EQ(t.task_from(last), no_tree_node);
  EXPECT_EQ(t.task_from(no_tree_node), no_tree_node);
}

TEST(a_tree_in_checked_builds, refuses_what_it_has_no_place_for) {
  if (!checked) GTEST_SKIP() << "this build is not checked";
  EXPECT_DEATH(task_tree().add(1, tree_node_kind::leaf), "an existing parent");
  EXPECT_DEATH(task_tree().add(no_tree_node, tree_node_kind::leaf), "an existing parent");
  EXPECT_DEATH(task_tree().add_spawned(0, 0), "a finish region");
  EXPECT_DEATH(task_tree().add_touch(0, {}), "a leaf");
  EXPECT_DEATH(static_cast<void>(random_tree::make(1, {.most_children = 1})), "at least two children");
  EXPECT_DEATH(static_cast<void>(random_tree::make(1, {.most_flops = 0xffff'ffffU})), "at least two children");
  EXPECT_GT(random_tree::make(1, {.most_children = 2}).size(), 1U);
  EXPECT_GT(random_tree::make(1, {.most_flops = 0xffff'fffeU}).size(), 1U);
}

}}}}  // namespace skua::v0::runtime
