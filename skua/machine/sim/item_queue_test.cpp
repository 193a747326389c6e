// SPDX-License-Identifier: MIT
#include "skua/machine/sim/item_queue.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "skua/machine/sim/engine/inherited_places.hpp"
#include "skua/machine/sim/engine/node_table.hpp"
#include "skua/parts/base/dice.hpp"
#include "tests/programs/random_tree.hpp"

namespace skua { inline namespace v0 { namespace sim { namespace {

/// After any pushes and takes: the same items as in a std::deque, in the same order.
TEST(item_queue, is_a_deque) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    dice roll(seed);
    item_queue q;
    std::deque<tree_node_id> right;
    for (tree_node_id i = 0; i < 300; ++i) {
      if (right.empty() || roll.below(5) < 3) {
        q.push({.content = item::kind::child, .node = i});
        right.push_back(i);
      } else {
        std::size_t const at = roll.below(3) == 0   ? roll.below(static_cast<std::uint32_t>(right.size()))
                               : roll.below(2) == 0 ? 0
                                                    : right.size() - 1;
        ASSERT_EQ(q.take(at).node, right[at]);
        right.erase(right.begin() + static_cast<std::ptrdiff_t>(at));
      }
      ASSERT_EQ(q.size(), right.size());
      auto its = right.begin();
      for (item const& it : q) ASSERT_EQ(it.node, *its++);
      if (!right.empty()) {
        ASSERT_EQ(q.newest().node, right.back());
      }
    }
    item_queue const moved(std::move(q));
    ASSERT_EQ(moved.size(), right.size());
  }
}

TEST(node_table, records_start_as_zero_and_stay_where_they_are) {
  node_table<std::uint32_t> table;
  EXPECT_EQ(table.find(1000), nullptr);
  std::uint32_t& early = table[7];
  EXPECT_EQ(std::exchange(early, 3), 0U);
  table[1'000'000] = 5;
  EXPECT_EQ(&table[7], &early);
  EXPECT_EQ(*table.find(7), 3U);
  EXPECT_EQ(table[1'000'000], 5U);
}

/// In any order of questions: the place of a node is its own, or its parent's.
TEST(inherited_places, are_those_of_the_parents) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    task_tree const program = random_tree::make(seed);
    inherited_places places(program);
    dice roll(seed);
    for (int i = 0; i < 500; ++i) {
      tree_node_id const id = roll.below(program.size());
      std::optional<place_id> const own = program[id].hints.place;
      std::optional<place_id> const right =
          own || program[id].parent == no_tree_node ? own : inherited_places(program).of(program[id].parent);
      ASSERT_EQ(places.of(id), right) << "seed " << seed << ", node " << id;
    }
  }
}

}}}}  // namespace skua::v0::sim
