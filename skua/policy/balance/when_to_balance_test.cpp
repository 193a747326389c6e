// SPDX-License-Identifier: MIT
#include "skua/policy/balance/when_to_balance.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace skua { inline namespace v0 { namespace policies { namespace balance { namespace {

TEST(when_to_balance, is_at_once_where_the_cost_is_not_known) {
  when_to_balance w;
  w.predict(1000, 1000);
  EXPECT_FALSE(w.is_due());
  w.predict(1005, 1000);
  EXPECT_FALSE(w.is_due()) << "half a percent is noise";
  w.predict(1500, 1000);
  EXPECT_TRUE(w.is_due());
}

TEST(when_to_balance, is_when_imbalance_has_cost_more_than_balancing) {
  when_to_balance w;
  w.predict(2000, 1000);
  w.balanced(10'000);
  int iterations = 0;
  for (; !w.is_due(); ++iterations) w.predict(2000, 1000);
  EXPECT_EQ(iterations, 11);
  w.balanced(10'000);
  EXPECT_FALSE(w.is_due());
}

TEST(when_to_balance, is_never_where_loads_are_even_or_none) {
  when_to_balance w;
  for (int n = 0; n < 1000; ++n) w.predict(0, 0);
  for (int n = 0; n < 1000; ++n) w.predict(1000, 995);
  EXPECT_FALSE(w.is_due());
}

TEST(when_to_balance, is_at_first_where_one_load_is_more_than_a_hundredth_above_the_mean) {
  for (double const unit : {1.0, 1e-300, 1e300}) {
    EXPECT_FALSE(when_to_balance::is_due_at_first(100 * unit, 100 * unit));
    EXPECT_FALSE(when_to_balance::is_due_at_first(100.9 * unit, 100 * unit));
    EXPECT_TRUE(when_to_balance::is_due_at_first(101.1 * unit, 100 * unit));
  }
  EXPECT_FALSE(when_to_balance::is_due_at_first(0, 0));
  constexpr double infinite = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(when_to_balance::is_due_at_first(infinite, infinite));
}

}}}}}  // namespace skua::v0::policies::balance
