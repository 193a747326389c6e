// SPDX-License-Identifier: MIT
#include "skua/policy/registry.hpp"

#include <gtest/gtest.h>

#include <string>

#include "skua/parts/base/error.hpp"
#include "skua/policy/script_for_test.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace {

std::string refusal(std::string_view asked) {
  try {
    make_policy(asked, layout::flat(2), 1);
  } catch (usage_error const& e) {
    return e.what();
  }
  return "accepted";
}

TEST(registry, every_listed_policy_can_be_made_under_its_name_and_has_a_line_about_it) {
  ASSERT_FALSE(all().empty());
  for (policy_entry const& e : all()) {
    EXPECT_EQ(make_policy(e.name, layout::flat(4), 1)->name(), e.name);
    EXPECT_FALSE(e.about.empty());
    EXPECT_EQ(e.about.find('\n'), std::string_view::npos);
  }
}

/// "; allowed: random, hierarchical, ..."
std::string known() {
  std::string text = "; allowed: ";
  for (policy_entry const& e : all()) text += (&e == all().data() ? "" : ", ") + std::string(e.name);
  return text;
}

TEST(registry, an_unknown_name_is_refused_with_what_exists_and_the_nearest) {
  EXPECT_EQ(refusal("randon"), "policy is 'randon'" + known() + "; did you mean 'random'?");
  EXPECT_EQ(refusal("hier"), "policy is 'hier'" + known() + "; did you mean 'hierarchical'?");
  EXPECT_EQ(refusal("Random"), "policy is 'Random'" + known() + "; did you mean 'random'?");
  EXPECT_EQ(refusal("xyzzy"), "policy is 'xyzzy'" + known());
  EXPECT_EQ(refusal(""), "policy is ''" + known());
  EXPECT_EQ(refusal(":patience=1"), "policy is ''" + known());
  EXPECT_EQ(refusal(" random"), "policy is ' random'" + known() + "; did you mean 'random'?");
  EXPECT_NE(refusal(std::string(100'000, 'r')).find("; allowed: "), std::string::npos);
}

TEST(registry, an_unknown_or_senseless_option_is_refused_and_says_what_would_be_right) {
  EXPECT_EQ(refusal("random:no-steal"), "option of policy 'random' is 'no-steal'; allowed: none");
  EXPECT_EQ(refusal("random:"), "option of policy 'random' is ''; allowed: none");
  EXPECT_EQ(refusal("hierarchical:patient=2"),
            "option of policy 'hierarchical' is 'patient'; allowed: patience; did you mean 'patience'?");
  EXPECT_EQ(refusal("hierarchical:"), "option of policy 'hierarchical' is ''; allowed: patience");
  EXPECT_EQ(refusal("hierarchical:patience=1,patience=2"),
            "option of policy 'hierarchical' is 'patience=2' after another patience; allowed: once");
  EXPECT_EQ(refusal("hierarchical:patience=1,"), "option of policy 'hierarchical' is ''; allowed: patience");
  for (std::string const bad : {"", "0", "-1", "1001", "2x", "x", " 2", "99999999999999999999", "nan"}) {
    EXPECT_EQ(refusal("hierarchical:patience=" + bad),
              "option 'patience' of policy 'hierarchical' is '" + bad + "'; allowed: a whole number from 1 to 1000");
  }
  EXPECT_NE(refusal("hierarchical:patience").find("whole number"), std::string::npos);
}

TEST(registry, a_name_is_an_answer_and_only_before_it_makes_it_the_policy_of_all_tasks) {
  auto const needs = [](std::string_view asked) { return make_policy(asked, layout::flat(4), 1)->needs(); };
  policy_needs const whole = needs("forks=adws,spawned=strategies,nodes=arms");
  EXPECT_EQ(needs("adws"), whole);
  EXPECT_EQ(needs("only:adws"), needs("forks=adws,spawned=plain,nodes=plain"));
  EXPECT_NE(needs("only:adws"), whole);
  EXPECT_EQ(needs("strategies:lifo"), needs("forks=auto,spawned=strategies:lifo,nodes=arms"));
  EXPECT_EQ(needs("arms:critical=on"), needs("nodes=arms:critical=on"));
  EXPECT_FALSE(needs("auto").addresses) << "what a program does not say costs nothing";
  EXPECT_TRUE(needs("arms:derive").addresses);
  EXPECT_TRUE(needs("only:arms").addresses);
  EXPECT_TRUE(needs("only:strategies").lanes.has(lane::ordered));
  EXPECT_FALSE(needs("only:arms").lanes.has(lane::ordered));
  EXPECT_EQ(needs("only:arms").chosen, which_tasks::all);
  for (policy_entry const& e : all()) {
    std::string const only = "only:" + std::string(e.name);
    EXPECT_EQ(make_policy(only, layout::flat(4), 1)->name(), only);
    EXPECT_EQ(make_policy("checked:" + only, layout::flat(4), 1)->name(), "checked:" + only);
    EXPECT_EQ(without_prefixes("checked:" + only), e.name);
  }
  EXPECT_EQ(refusal("only:randon"), "policy is 'randon'" + known() + "; did you mean 'random'?");
  EXPECT_EQ(refusal("only:forks=adws"), "policy is 'forks=adws'" + known());
  EXPECT_EQ(refusal("only:"), "policy is ''" + known());
}

TEST(registry, options_of_numa_ws_are_read_or_refused_by_name) {
  auto const name = [](std::string_view asked) { return std::string(make_policy(asked, layout::flat(4), 1)->name()); };
  EXPECT_EQ(name("numa-ws:threshold=0,bias=1,local"), "numa-ws");
  EXPECT_EQ(name("numa-ws:local,as-released,bias=100,threshold=1000"), "numa-ws:as-released");
  EXPECT_EQ(refusal("numa-ws:treshold=3"),
            "option of policy 'numa-ws' is 'treshold'; allowed: threshold, bias, as-released, local; did you mean "
            "'threshold'?");
  EXPECT_EQ(refusal("numa-ws:local=yes"), "option of policy 'numa-ws' is 'local=yes'; allowed: local, without a value");
  EXPECT_EQ(refusal("numa-ws:threshold=4:bias=2"),
            "option of policy 'numa-ws' is 'threshold=4:bias=2'; allowed: options with a comma between each two, as in "
            "NAME:OPTION,OPTION=VALUE");
  EXPECT_EQ(refusal("numa-ws:local;as-released"),
            "option of policy 'numa-ws' is 'local;as-released'; allowed: options with a comma between each two, as in "
            "NAME:OPTION,OPTION=VALUE");
  EXPECT_EQ(refusal("numa-ws:threshold=4:x"),
            "option 'threshold' of policy 'numa-ws' is '4:x'; allowed: a whole number from 0 to 1000");
  EXPECT_EQ(refusal("numa-ws:threshold=1001"),
            "option 'threshold' of policy 'numa-ws' is '1001'; allowed: a whole number from 0 to 1000");
  EXPECT_EQ(refusal("numa-ws:bias=0"),
            "option 'bias' of policy 'numa-ws' is '0'; allowed: a whole number from 1 to 100");
}

TEST(registry, options_of_replay_are_read_or_refused_by_name) {
  EXPECT_EQ(make_policy("replay:relaxed=0,groups=0,detail=1,watch=1,near-first", layout::flat(4), 1)->name(), "replay");
  EXPECT_EQ(make_policy("replay:paper,relaxed=2", layout::flat(4), 1)->name(), "replay:paper");
  EXPECT_EQ(make_policy("only:replay", layout::flat(4), 1)->needs().times, which_tasks::all);
  EXPECT_EQ(make_policy("only:replay:paper", layout::flat(4), 1)->needs().times, which_tasks::none)
      << "it measures nothing";
  EXPECT_EQ(refusal("replay:detail=21"),
            "option 'detail' of policy 'replay' is '21'; allowed: a whole number from 1 to 20");
  EXPECT_EQ(refusal("replay:watch=0"),
            "option 'watch' of policy 'replay' is '0'; allowed: a whole number from 1 to 1000000");
  EXPECT_EQ(refusal("replay:near-first=1"),
            "option of policy 'replay' is 'near-first=1'; allowed: near-first, without a value");
}

TEST(registry, options_of_arms_are_read_or_refused_by_name) {
  auto const name = [](std::string_view asked) { return std::string(make_policy(asked, layout::flat(4), 1)->name()); };
  EXPECT_EQ(name("arms:width=1,cost=idle,model=power,idle-tries=0,threshold=1000000"), "arms:width=1");
  EXPECT_EQ(name("arms:cost=product,model=history"), "arms");
  EXPECT_EQ(name("arms:measure=leader"), "arms");
  EXPECT_EQ(refusal("arms:measure=all"), "option 'measure' of policy 'arms' is 'all'; allowed: team, leader");
  EXPECT_EQ(name("arms:critical=on"), "arms");
  EXPECT_EQ(refusal("arms:critical=yes"), "option 'critical' of policy 'arms' is 'yes'; allowed: off, on");
  EXPECT_EQ(refusal("arms:width=0"), "option 'width' of policy 'arms' is '0'; allowed: a whole number from 1 to 65535");
  EXPECT_EQ(refusal("arms:cost=tme"),
            "option 'cost' of policy 'arms' is 'tme'; allowed: product, time, idle; did you mean 'time'?");
  EXPECT_EQ(refusal("arms:model="), "option 'model' of policy 'arms' is ''; allowed: history, power");
}

TEST(registry, an_option_either_takes_a_value_or_refuses_every_one) {
  std::size_t bare = 0;
  for (policy_entry const& e : all()) {
    for (policy_option const& o : e.options) {
      std::string const asked = std::string(e.name) + ":" + std::string(o.word);
      if (o.bare) {
        ++bare;
        EXPECT_EQ(refusal(asked), "accepted");
        for (std::string const value : {"", "0", "1", "x", "banana", "="}) {
          EXPECT_EQ(refusal(asked + "=" + value), "option of policy '" + std::string(e.name) + "' is '" +
                                                      std::string(o.word) + "=" + value +
                                                      "'; allowed: " + std::string(o.word) + ", without a value");
        }
      } else {
        EXPECT_NE(refusal(asked), "accepted") << asked;
        EXPECT_NE(refusal(asked + "=banana"), "accepted") << asked;
      }
      EXPECT_EQ(o.about.starts_with(std::string(o.word) + (o.bare ? ":" : "=")), true) << o.about;
    }
  }
  EXPECT_GE(bare, 4U);
}

TEST(registry, who_chose_a_policy_is_named_if_it_was_a_variable) {
  auto const said = [](runtime::setting<std::string> const& chosen) -> std::string {
    try {
      check_policy(chosen);
    } catch (usage_error const& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_EQ(said({.value = "adws:no-steal", .source = "SKUA_POLICY"}), "accepted");
  EXPECT_EQ(said({.value = "RANDOM", .source = "SKUA_POLICY"}),
            "SKUA_POLICY: policy is 'RANDOM'" + known() + "; did you mean 'random'?");
  EXPECT_EQ(said({.value = "numa-ws:bias=0", .source = "SKUA_POLICY"}), "SKUA_POLICY: " + refusal("numa-ws:bias=0"));
  EXPECT_EQ(said({.value = "randm", .source = "code"}), refusal("randm"));
  EXPECT_EQ(said({.value = "randm", .source = "default"}), refusal("randm"));
}

TEST(registry, an_option_reaches_its_policy) {
  auto const patient = make_policy("hierarchical:patience=5", layout::flat(4), 1);
  EXPECT_EQ(victims_of(fruitless_round(patient->of_worker(worker_id{0}))).size(), 15U);
  for (std::string const name : {"adws", "adws:paper", "adws:widen", "adws:equal", "adws:no-steal"})
    EXPECT_EQ(make_policy(name, layout::flat(4), 1)->name(), name);
  // Of ADWS: does a worker to which tasks are sent regularly wait for the next one before it steals?
  auto const waits = [](std::string_view name) {
    auto const p = make_policy(name, layout::flat(3), 1);
    for (std::uint32_t w = 0; w < 2; ++w) {
      task_tag t{};  // a root, and a task of which anybody may steal
      p->of_worker(worker_id{w}).place(t, cause::injected);
    }
    worker_policy& m = p->of_worker(worker_id{2});
    for (int task = 0; task < 4; ++task) {
      fruitless_round(m);
      while (m.next_probe().lane != lane::migrated) ask(m, runtime::outcome::empty);
      ask(m, runtime::outcome::got);
    }
    return victims_of(fruitless_round(m), lane::forks).empty();
  };
  EXPECT_TRUE(waits("adws"));
  EXPECT_TRUE(waits("adws:widen"));
  EXPECT_FALSE(waits("adws:paper"));
}

}}}}  // namespace skua::v0::policies
