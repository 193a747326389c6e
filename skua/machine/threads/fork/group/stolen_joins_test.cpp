// SPDX-License-Identifier: MIT
// What it costs to ask whether a stolen join has failed, by the number of atomic loads and stores: constant for each
// question, however many joins are open.
#include "skua/machine/threads/fork/group/stolen_joins.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>

#include "skua/machine/threads/lane/failure_epoch.hpp"
#include "skua/parts/base/sync.hpp"

namespace {

/// The real world, with its loads counted. One thread.
struct counting_sync : skua::runtime::real_sync {
  static inline std::int64_t loads = 0;
  template <class T>
  struct atomic : skua::runtime::real_sync::atomic<T> {
    using base = skua::runtime::real_sync::atomic<T>;
    using base::base;
    T load(std::memory_order order) const noexcept {
      ++loads;
      return base::load(order);
    }
  };
};

using open_join = skua::runtime::open_join<counting_sync>;
using registered_group = skua::runtime::registered_group<counting_sync>;
using stolen_joins = skua::runtime::stolen_joins<counting_sync>;
using failure_epoch = skua::runtime::failure_epoch<counting_sync>;

struct join : open_join {
  join() : open_join(skua::runtime::word_of_two{nullptr}) {}
};

constexpr std::int64_t depth = 10'000;
constexpr std::int64_t a_question = 12;  ///< loads, at most

template <class Ask>
std::int64_t loads_of(Ask&& ask) {
  std::int64_t const before = counting_sync::loads;
  ask();
  return counting_sync::loads - before;
}

/// Open joins within joins that have all been stolen.
class stolen_joins_cost : public testing::Test {
 protected:
  void steal_one_more() { stolen.link(joins.emplace_back(), ++place); }

  failure_epoch failures;
  std::deque<join> joins;
  stolen_joins stolen;
  std::int64_t place = 0;
};

}  // namespace

TEST_F(stolen_joins_cost, an_owner_that_asks_after_each_steal_asks_in_constant_time) {
  std::int64_t const all = loads_of([&] {
    for (std::int64_t i = 0; i < depth; ++i) {
      steal_one_more();
      EXPECT_FALSE(stolen.want_end(failures.latest()));
    }
  });
  EXPECT_LE(all, depth * a_question);
}

TEST_F(stolen_joins_cost, an_owner_that_asks_while_its_joins_end_asks_in_constant_time) {
  for (std::int64_t i = 0; i < depth; ++i) steal_one_more();
  std::int64_t const all = loads_of([&] {
    for (; !joins.empty(); joins.pop_back()) {
      EXPECT_FALSE(stolen.want_end(failures.now()));
      stolen.forget(joins.back());
    }
  });
  EXPECT_LE(all, depth * a_question);
}

TEST_F(stolen_joins_cost, thieves_of_all_joins_ask_in_constant_time) {
  for (std::int64_t i = 0; i < depth; ++i) steal_one_more();
  std::int64_t const all = loads_of([&] {
    for (join const& taken : joins) EXPECT_FALSE(taken.wants_end(failures.now()));
    for (auto taken = joins.rbegin(); taken != joins.rend(); ++taken) EXPECT_FALSE(taken->wants_end(failures.now()));
  });
  EXPECT_LE(all, 2 * depth * a_question);
}

TEST_F(stolen_joins_cost, groups_inside_of_all_joins_ask_in_constant_time) {
  for (std::int64_t i = 0; i < depth; ++i) steal_one_more();
  std::int64_t const all = loads_of([&] {
    for (std::int64_t i = 0; i < depth; ++i) {
      open_join group{1};
      registered_group known{group};
      stolen.open(known, ++place);
      EXPECT_FALSE(group.wants_end(failures.now()));
      stolen.close(known);
    }
  });
  EXPECT_LE(all, 2 * depth * a_question);  // the first question marks all joins
}

TEST_F(stolen_joins_cost, a_failure_is_found_from_everywhere_inside_and_then_costs_one_look_at_each) {
  for (std::int64_t i = 0; i < depth; ++i) steal_one_more();
  EXPECT_FALSE(stolen.want_end(failures.now()));
  join& failing = joins[depth / 2];
  failing.raise(join::failed);
  failures.begin_next();
  EXPECT_TRUE(stolen.want_end(failures.now()));
  EXPECT_TRUE(failing.wants_end(failures.now()));
  std::int64_t const outside = loads_of([&] {
    for (std::int64_t i = 0; i < depth / 2; ++i) {
      EXPECT_FALSE(joins[static_cast<std::size_t>(i)].wants_end(failures.now()));
    }
  });
  EXPECT_LE(outside, depth * a_question);
}

TEST_F(stolen_joins_cost, a_piece_of_another_fibers_group_is_known_in_constant_time) {
  join group;
  {
    stolen_joins::piece const it{stolen, group};
    EXPECT_TRUE(stolen.runs_piece_of(group));
    EXPECT_FALSE(stolen.runs_piece_of(joins.emplace_back()));
  }
  EXPECT_FALSE(stolen.runs_piece_of(group));
}
