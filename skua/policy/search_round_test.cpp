// SPDX-License-Identifier: MIT
#include "skua/policy/search_round.hpp"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <vector>

#include "skua/policy/script_for_test.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace {

constexpr search_step own[] = {{lane::spawned}, {lane::inbox, after_lost::same_lane}};
constexpr search_step theirs[] = {{lane::mailbox}, {lane::forks, after_lost::next_victim}, {lane::spawned}};
constexpr search_step again[] = {{lane::migrated}};

constexpr search_order plain{.own = own, .theirs = theirs};
constexpr search_order outside_first{.own = own, .theirs = theirs, .injected_first_after_rest = true};
constexpr search_order looks_again{.own = own, .theirs = theirs, .own_again = again};

/// A round of worker 7, whose victims are 1, 2, 3 ... up to `victims`, and what it asked for.
struct walk {
  explicit walk(search_order const& order, std::uint32_t victims = 2) : round(worker_id{7}, order), most(victims) {}

  /// "own spawned", "1 forks", "rest": the next probe, which ends in `how`.
  std::string step(runtime::outcome how) {
    probe const p = round.chosen();
    if (p.kind == action::rest) return "rest";
    EXPECT_EQ(round.chosen(), p) << "asked twice";
    round.choose_next({p, how}, [this](victim_request why) { return choose(why); });
    std::string const who = p.kind == action::pop ? "own" : std::to_string(index(p.victim));
    EXPECT_EQ(p.kind == action::pop, p.victim == worker_id{7});
    return who + " " + name_of(p.lane);
  }
  /// All of one round, each probe with this outcome.
  std::vector<std::string> all(runtime::outcome how = runtime::outcome::empty) {
    std::vector<std::string> seen;
    do seen.push_back(step(how));
    while (seen.back() != "rest" && seen.size() < 50);
    return seen;
  }
  std::optional<victim> choose(victim_request why) {
    requests.push_back(why);
    if (why == victim_request::first) tried = 0;
    if (tried == most) return {};
    return victim{.worker = worker_id{++tried}, .first_step = first_step, .is_last = is_last};
  }

  search_round round;
  std::uint32_t most;
  std::uint32_t tried = 0;
  std::uint8_t first_step = 0;
  bool is_last = false;
  std::vector<victim_request> requests;
};

using lines = std::vector<std::string>;

TEST(search_round, own_lanes_then_each_victims_lanes_then_injected_then_rest) {
  walk w(plain);
  lines const round{"own spawned", "own inbox", "1 mailbox", "1 forks",      "1 spawned",
                    "2 mailbox",   "2 forks",   "2 spawned", "own injected", "rest"};
  EXPECT_EQ(w.all(), round);
  EXPECT_EQ(w.all(runtime::outcome::barred), round) << "a barred lane is a miss";
  EXPECT_EQ(w.requests, (std::vector{victim_request::first, victim_request::after_miss, victim_request::after_miss,
                                     victim_request::first, victim_request::after_miss, victim_request::after_miss}));
}

TEST(search_round, without_victims_it_asks_the_outside_and_rests) {
  walk w(plain, 0);
  EXPECT_EQ(w.all(), (lines{"own spawned", "own inbox", "own injected", "rest"}));
}

TEST(search_round, only_after_a_rest_the_outside_comes_first_as_well) {
  walk w(outside_first, 1);
  EXPECT_EQ(w.all()[2], "1 mailbox");
  EXPECT_EQ(w.all(), (lines{"own spawned", "own inbox", "own injected", "1 mailbox", "1 forks", "1 spawned",
                            "own injected", "rest"}));
  EXPECT_EQ(w.step(runtime::outcome::got), "own spawned");
  EXPECT_EQ(w.all()[2], "1 mailbox") << "it had work since";
}

TEST(search_round, own_lanes_are_tried_again_after_each_victim_but_not_after_the_last_of_all) {
  walk w(looks_again, 1);
  EXPECT_EQ(w.all(), (lines{"own spawned", "own inbox", "1 mailbox", "1 forks", "1 spawned", "own migrated",
                            "own injected", "rest"}));
  w.is_last = true;
  EXPECT_EQ(w.all(), (lines{"own spawned", "own inbox", "1 mailbox", "1 forks", "1 spawned", "own injected", "rest"}));
}

TEST(search_round, a_victim_may_be_tried_from_a_later_lane_on) {
  walk w(plain, 1);
  w.first_step = 1;
  EXPECT_EQ(w.all(), (lines{"own spawned", "own inbox", "1 forks", "1 spawned", "own injected", "rest"}));
}

TEST(search_round, a_lost_race_does_what_the_table_says_and_for_injected_is_run_again) {
  walk w(plain, 2);
  EXPECT_EQ(w.step(runtime::outcome::lost), "own spawned");
  EXPECT_EQ(w.step(runtime::outcome::lost), "own inbox");
  EXPECT_EQ(w.step(runtime::outcome::empty), "own inbox") << "same_lane";
  EXPECT_EQ(w.step(runtime::outcome::lost), "1 mailbox");
  EXPECT_EQ(w.step(runtime::outcome::lost), "1 forks") << "next_lane";
  EXPECT_EQ(w.step(runtime::outcome::empty), "2 mailbox") << "next_victim";
  EXPECT_EQ(w.step(runtime::outcome::empty), "2 forks");
  EXPECT_EQ(w.step(runtime::outcome::lost), "2 spawned");
  EXPECT_EQ(w.requests, (std::vector{victim_request::first, victim_request::after_lost, victim_request::after_miss}));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(w.step(runtime::outcome::lost), "own injected");
  EXPECT_EQ(w.step(runtime::outcome::empty), "own injected");
  EXPECT_EQ(w.step(runtime::outcome::empty), "rest");
}

TEST(search_round, a_catch_anywhere_starts_the_next_round) {
  for (int at = 0; at < 9; ++at) {
    walk w(plain);
    for (int i = 0; i < at; ++i) w.step(runtime::outcome::empty);
    w.step(runtime::outcome::got);
    EXPECT_EQ(w.step(runtime::outcome::empty), "own spawned") << "caught at probe " << at;
    EXPECT_EQ(w.step(runtime::outcome::empty), "own inbox");
    EXPECT_EQ(w.step(runtime::outcome::empty), "1 mailbox");
    EXPECT_EQ(w.requests.back(), victim_request::first);
  }
}

TEST(search_round, nothing_is_learnt_from_a_rest) {
  walk w(plain, 0);
  for (int i = 0; i < 3; ++i) w.step(runtime::outcome::empty);
  probe const rest = w.round.chosen();
  ASSERT_EQ(rest.kind, action::rest);
  w.round.choose_next({rest, runtime::outcome::empty}, [](victim_request) { return std::optional<victim>{}; });
  EXPECT_EQ(w.step(runtime::outcome::empty), "own spawned");
}

static_assert(std::is_trivially_destructible_v<search_round>, "nothing of it is on the heap");

}}}}  // namespace skua::v0::policies
