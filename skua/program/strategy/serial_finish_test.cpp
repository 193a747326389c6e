// SPDX-License-Identifier: MIT
// What a strategy says, and finish regions on one thread: the order in which tasks run is that of their strategies.
#include "skua/program/strategy/serial_finish.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <stop_token>
#include <vector>

#include "skua/program/serial.hpp"
#include "skua/program/strategy/finish.hpp"
#include "skua/program/strategy/orders.hpp"

namespace {

using skua::serial;
using skua::runtime::allows_call, skua::runtime::kind_of, skua::runtime::weight_of;

static_assert(skua::has_finish<serial>);

struct weighs {
  double weight;
  [[nodiscard]] double transitive_weight() const { return weight; }
};
struct calls {
  bool may;
  [[nodiscard]] bool allow_call_conversion() const { return may; }
};
struct large {
  char bytes[64];
  [[nodiscard]] bool prioritize(large const&, skua::strategies::requester const&) const { return false; }
};
static_assert(skua::strategy<weighs> && skua::strategy<calls> && !skua::strategy<int> && !skua::strategy<large>);

}  // namespace

TEST(strategy, weight_is_at_least_one_and_finite) {
  EXPECT_EQ(weight_of(weighs{64}), 64U);
  for (double const odd : {0.0, -3.0, 0.5, std::nan("")}) EXPECT_EQ(weight_of(weighs{odd}), 1U) << odd;
  EXPECT_EQ(weight_of(weighs{std::numeric_limits<double>::infinity()}), 1'000'000'000'000U);
  EXPECT_EQ(weight_of(skua::strategies::order{}), 1U);
}

TEST(strategy, conversion_is_off_unless_allowed) {
  EXPECT_FALSE(allows_call(skua::strategies::order{}));
  EXPECT_FALSE(allows_call(calls{false}));
  EXPECT_TRUE(allows_call(calls{true}));
}

TEST(strategy, type_that_only_weighs_is_the_roots) {
  EXPECT_EQ(kind_of<weighs>(), nullptr);
  EXPECT_NE(kind_of<skua::strategies::order>(), nullptr);
  EXPECT_NE(kind_of<skua::strategies::priority>(), kind_of<skua::strategies::deadline>());
}

TEST(serial_finish, body_ends_before_its_tasks_and_they_before_the_region) {
  serial here;
  std::vector<int> ran;
  int const value = here.finish([&](auto& f) {
    f.spawn([&](auto& inner) {
      ran.push_back(2);
      inner.spawn([&](auto&) { ran.push_back(3); });
    });
    ran.push_back(1);
    return 7;
  });
  EXPECT_EQ(value, 7);
  EXPECT_EQ(ran, (std::vector{1, 2, 3}));
}

TEST(serial_finish, tasks_run_in_the_order_of_their_strategies) {
  serial here;
  std::vector<int> ran;
  here.finish([&](auto& f) {
    for (int const i : {4, 1, 3, 0, 2}) {
      f.spawn(skua::strategies::deadline{static_cast<double>(i)}, [&ran, i](auto&) { ran.push_back(i); });
    }
  });
  EXPECT_EQ(ran, (std::vector{0, 1, 2, 3, 4}));
}

TEST(serial_finish, without_a_strategy_the_newest_goes_first) {
  serial here;
  std::vector<int> ran;
  auto const spawn_three = [&](auto& f, auto with) {
    for (int i = 0; i < 3; ++i) f.spawn(with, [&ran, i](auto&) { ran.push_back(i); });
  };
  here.finish([&](auto& f) { spawn_three(f, skua::runtime::no_strategy{}); });
  here.finish([&](auto& f) { spawn_three(f, skua::strategies::depth_first{}); });
  here.finish([&](auto& f) { spawn_three(f, skua::strategies::breadth_first{}); });
  EXPECT_EQ(ran, (std::vector{2, 1, 0, 2, 1, 0, 0, 1, 2}));
}

namespace {

// As the triangle strips of the paper: tasks that start go before tasks that spawn; among themselves each type has its own
// order.
struct of_strips {
  bool spawns;
  [[nodiscard]] bool prioritize(of_strips const& other, skua::strategies::requester const&) const {
    return !spawns && other.spawns;
  }
};
struct start : of_strips {
  using base = of_strips;
  explicit start(int d) : of_strips{false}, degree(d) {}
  int degree;
  [[nodiscard]] bool prioritize(start const& other, skua::strategies::requester const&) const {
    return degree < other.degree;
  }
};
struct spawner : of_strips {
  using base = of_strips;
  explicit spawner(int f) : of_strips{true}, from(f) {}
  int from;
  [[nodiscard]] bool prioritize(spawner const& other, skua::strategies::requester const&) const {
    return from < other.from;
  }
};

}  // namespace

TEST(serial_finish, types_are_ordered_by_their_common_base) {
  serial here;
  std::vector<int> ran;
  here.finish([&](auto& f) {
    f.spawn(spawner{2}, [&](auto&) { ran.push_back(12); });
    f.spawn(start{3}, [&](auto&) { ran.push_back(3); });
    f.spawn(spawner{1}, [&](auto& inner) {
      ran.push_back(11);
      inner.spawn(start{9}, [&](auto&) { ran.push_back(9); });
    });
    f.spawn(start{2}, [&](auto&) { ran.push_back(2); });
  });
  EXPECT_EQ(ran, (std::vector{2, 3, 11, 9, 12}));
}

TEST(serial_finish, dead_tasks_do_not_run) {
  struct dies {
    int const* limit;
    int cost;
    [[nodiscard]] bool is_dead() const { return cost > *limit; }
    [[nodiscard]] bool prioritize(dies const& other, skua::strategies::requester const&) const {
      return cost < other.cost;
    }
  };
  serial here;
  int limit = 10;
  std::vector<int> ran;
  here.finish([&](auto& f) {
    for (int const cost : {1, 5, 9}) {
      f.spawn(dies{&limit, cost}, [&ran, &limit, cost](auto&) {
        ran.push_back(cost);
        limit = 6;
      });
    }
  });
  EXPECT_EQ(ran, (std::vector{1, 5}));
}

TEST(serial_finish, exception_drops_what_has_not_begun) {
  serial here;
  int ran = 0;
  auto const fails = [&](auto& f) {
    f.spawn([&](auto&) { ++ran; });
    f.spawn([&](auto&) { throw std::runtime_error("the newest runs first"); });
  };
  EXPECT_THROW(here.finish(fails), std::runtime_error);
  EXPECT_EQ(ran, 0);
}

TEST(serial_finish, stop_drops_what_has_not_begun) {
  serial here;
  std::stop_source stop;
  int ran = 0;
  auto const body = [&](auto& f) {
    for (int i = 0; i < 3; ++i) {
      f.spawn([&](auto&) {
        ++ran;
        stop.request_stop();
      });
    }
  };
  EXPECT_THROW(here.with_stop(stop.get_token(), [&](serial& inside) { inside.finish(body); }), skua::cancelled);
  EXPECT_EQ(ran, 1);
}

TEST(serial_finish, inner_region_ends_before_its_task_goes_on) {
  serial here;
  std::vector<int> ran;
  here.finish([&](auto& f) {
    f.spawn([&](auto& outer) {
      outer.here().finish([&](auto& inner) { inner.spawn([&](auto&) { ran.push_back(1); }); });
      ran.push_back(2);
    });
  });
  EXPECT_EQ(ran, (std::vector{1, 2}));
}
