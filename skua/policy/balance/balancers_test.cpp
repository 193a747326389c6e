// SPDX-License-Identifier: MIT
#include "skua/policy/balance/balancers.hpp"

#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "skua/parts/base/error.hpp"
#include "skua/policy/balance/loads_for_test.hpp"
#include "skua/policy/registry.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance { namespace {

std::string refusal(std::string const& name) {
  try {
    static_cast<void>(make_balancer(name));
  } catch (usage_error const& e) {
    return e.what();
  }
  return "";
}

TEST(balancers, options_follow_the_name_as_for_policies) {
  auto const h = std::get<hierarchical_options>(make_balancer("hierarchical:arity=4,donate=1.01,fill=0.9,binned"));
  EXPECT_EQ(h.arity, 4U);
  EXPECT_EQ(h.donate, 1.01);
  EXPECT_EQ(h.fill, 0.9);
  EXPECT_EQ(h.loads, load_database::detail::binned);
  auto const published = std::get<hierarchical_options>(make_balancer("hierarchical:as-published"));
  EXPECT_FALSE(published.fits);
  EXPECT_EQ(published.sweeps, 1U);
  EXPECT_EQ(std::get<tempered_options>(make_balancer("tempered:order=longest,goal=1")).order, transfer_order::longest);
  EXPECT_EQ(std::get<centralised_options>(make_balancer("centralised")).donate, 1.003);
  EXPECT_TRUE(std::holds_alternative<no_balancing>(make_balancer("none")));
}

TEST(balancers, an_unknown_word_is_answered_with_the_nearest) {
  EXPECT_EQ(
      refusal("centralized"),
      "balancer is 'centralized'; allowed: none, centralised, hierarchical, tempered; did you mean 'centralised'?");
  EXPECT_EQ(refusal("centralised:donat=2"),
            "option of balancer 'centralised' is 'donat'; allowed: donate, binned; did you mean 'donate'?");
  EXPECT_EQ(refusal("hierarchical:arity=1"),
            "option 'arity' of balancer 'hierarchical' is '1'; allowed: a whole number from 2 to 1000000");
  EXPECT_EQ(refusal("centralised:donate=0.5"),
            "option 'donate' of balancer 'centralised' is '0.5'; allowed: a number from 1 to 1000");
  EXPECT_EQ(refusal("centralised:donate=nan"),
            "option 'donate' of balancer 'centralised' is 'nan'; allowed: a number from 1 to 1000");
  EXPECT_EQ(refusal("none:arity=3"), "option of balancer 'none' is 'arity=3'; allowed: none");
  EXPECT_EQ(refusal("hierarchical:binned=1"),
            "option of balancer 'hierarchical' is 'binned=1'; allowed: binned, without a value");
  EXPECT_NE(refusal(""), "");
}

TEST(balancers, no_balancer_but_those_of_the_same_name_is_a_policy) {
  for (balancer_entry const& e : all()) {
    if (e.name == "hierarchical") continue;  // a policy of its own: near victims before far ones
    EXPECT_THROW(static_cast<void>(make_policy(e.name, layout::flat(2), 1)), usage_error) << e.name;
  }
  EXPECT_THROW(static_cast<void>(make_policy("hierarchical:arity=3", layout::flat(2), 1)), usage_error);
}

TEST(balancers, each_conserves_the_tasks_of_any_machine) {
  for (balancer_entry const& e : all()) {
    for (std::uint32_t const ranks : machine_sizes) {
      machine_loads const loads = random_loads(ranks, 10, 16, 17);
      SCOPED_TRACE(testing::Message() << e.name << ", " << ranks << " ranks");
      expect_conserved(loads, rebalance(loads, make_balancer(e.name), 1));
    }
  }
}

}}}}}  // namespace skua::v0::policies::balance
