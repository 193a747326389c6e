// SPDX-License-Identifier: MIT
// The rules of combined.md, one worker's calls at a time, behind a checker of the protocol.
#include "skua/policy/combined/combined.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "skua/parts/base/error.hpp"
#include "skua/policy/combined/named_answers.hpp"
#include "skua/policy/protocol_checker.hpp"
#include "skua/policy/registry.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace {

using runtime::outcome;

constexpr runtime::task_type node_type{.number = 3, .moldable = 0};
constexpr runtime::task_type team_type{.number = 3, .moldable = 1};

hint addressed(std::uint32_t fraction) { return {.address = runtime::address{fraction}, .type = node_type}; }

/// Worker 0 of a combined policy on `workers` workers.
class combined : public ::testing::Test {
 protected:
  void make(std::string_view name, std::uint32_t workers = 4) {
    policy_ = std::make_unique<protocol_checker>(make_policy(name, layout::flat(workers), 7), workers,
                                                 protocol_checks{.aborts = true});
    me = &policy_->of_worker(worker_id{0});
  }
  /// A task from outside begins here.
  void begin() {
    task_tag const outside = {};
    taken(lane::injected);
    running_ = outside;
    me->place(running_, cause::injected);
    me->learn(begun{running_});
  }
  /// Probes until the policy asks for this lane of its own, and finds a task there.
  void taken(lane where) {
    for (int tries = 0; tries < 1000; ++tries) {
      probe const p = me->next_probe();
      if (p.kind == action::rest) continue;
      bool const is_it = p.kind == action::pop && p.lane == where;
      me->learn(probed{p, is_it ? outcome::got : outcome::empty});
      if (is_it) return;
    }
    FAIL() << "never looks into its lane " << name_of(where);
  }
  placement spawn(hint const& h, cause why = cause::released) {
    task_tag t = me->mark(running_, h);
    placement const to = me->place(t, why);
    last_ = t;
    return to;
  }
  void end() { me->learn(ended{running_, 1}); }
  /// The probes of one search that finds nothing, up to the rest.
  std::vector<probe> search() {
    std::vector<probe> all;
    for (probe p = me->next_probe(); p.kind != action::rest; p = me->next_probe()) {
      all.push_back(p);
      me->learn(probed{p, outcome::empty});
      if (all.size() > 10'000) break;
    }
    return all;
  }
  static bool looks_into(std::vector<probe> const& all, action how, lane where) {
    for (probe const& p : all) {
      if (p.kind == how && p.lane == where) return true;
    }
    return false;
  }
  static std::size_t position(std::vector<probe> const& all, action how, lane where) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].kind == how && all[i].lane == where) return i;
    }
    return all.size();
  }

  worker_policy* me = nullptr;
  task_tag running_;
  task_tag last_;
  std::unique_ptr<protocol_checker> policy_;
};

TEST_F(combined, says_nothing_of_lanes_that_the_program_does_not_use) {
  make("forks=random");
  auto const plain = make_policy("random", layout::flat(4), 7);
  worker_policy& other = plain->of_worker(worker_id{0});
  for (int i = 0; i < 1000; ++i) {
    probe const mine = me->next_probe();
    ASSERT_EQ(mine, other.next_probe()) << "probe " << i;
    if (mine.kind == action::rest) continue;
    me->learn(probed{mine, outcome::empty});
    other.learn(probed{mine, outcome::empty});
  }
}

TEST_F(combined, searches_for_nodes_and_teams_from_the_first_node_on) {
  make("forks=random");
  begin();
  placement const to = spawn(addressed(0xffff'fff0));
  EXPECT_EQ(to.lane, lane::nodes);
  EXPECT_EQ(to.worker, worker_id{3});
  end();
  auto const probes = search();
  EXPECT_EQ(probes.front(), (probe{.kind = action::pop, .lane = lane::inbox, .victim = worker_id{0}}));
  EXPECT_TRUE(looks_into(probes, action::pop, lane::next));
  EXPECT_TRUE(looks_into(probes, action::steal, lane::nodes));
  EXPECT_TRUE(looks_into(probes, action::steal, lane::forks));
  EXPECT_FALSE(looks_into(probes, action::pop, lane::ordered)) << "no task has a strategy";
  EXPECT_LT(position(probes, action::pop, lane::spawned), position(probes, action::pop, lane::nodes));
  EXPECT_LT(position(probes, action::pop, lane::nodes), position(probes, action::steal, lane::nodes));
  EXPECT_LT(position(probes, action::steal, lane::nodes), position(probes, action::steal, lane::forks));
  EXPECT_LT(position(probes, action::steal, lane::forks), position(probes, action::pop, lane::injected));
}

TEST_F(combined, looks_into_its_inbox_and_for_nodes_after_each_steal_that_fails) {
  make("forks=random");
  begin();
  spawn(addressed(0));
  end();
  auto const probes = search();
  for (std::size_t i = 0; i + 2 < probes.size(); ++i) {
    if (probes[i].kind == action::steal) {
      EXPECT_EQ(probes[i + 1], (probe{.kind = action::pop, .lane = lane::inbox, .victim = worker_id{0}}))
          << "probe " << i;
      EXPECT_EQ(probes[i + 2], (probe{.kind = action::pop, .lane = lane::nodes, .victim = worker_id{0}}))
          << "probe " << i;
    }
  }
}

TEST_F(combined, searches_for_urgent_tasks_first_once_there_are_some) {
  make("forks=random");
  begin();
  me->learn(ordered_here{});
  end();
  auto const probes = search();
  EXPECT_EQ(probes.front().lane, lane::ordered);
  EXPECT_EQ(position(probes, action::steal, lane::ordered), position(probes, action::pop, lane::spawned) + 2)
      << "own inbox in between";
  EXPECT_FALSE(looks_into(probes, action::pop, lane::nodes));
  bool const halves = [&] {
    for (probe const& p : probes) {
      if (p.kind == action::steal && p.lane == lane::ordered) return p.amount == amount::half_work;
    }
    return false;
  }();
  EXPECT_TRUE(halves);
}

TEST_F(combined, other_kinds_come_first_now_and_then) {
  make("forks=random");
  begin();
  spawn(addressed(0));
  me->learn(ordered_here{});
  end();
  std::uint32_t forks_first = 0;
  std::uint32_t nodes_first = 0;
  constexpr std::uint32_t searches = 320;
  for (std::uint32_t i = 0; i < searches; ++i) {
    probe p = me->next_probe();
    while (p.lane == lane::inbox) {
      me->learn(probed{p, outcome::empty});
      p = me->next_probe();
    }
    forks_first += p.lane == lane::spawned ? 1 : 0;
    nodes_first += p.lane == lane::next || p.lane == lane::nodes ? 1 : 0;
    if (p.lane != lane::ordered) {
      me->learn(probed{p, outcome::empty});
      taken(lane::ordered);
    } else {
      me->learn(probed{p, outcome::got});
    }
    task_tag ran = {};
    me->learn(begun{ran});
    me->learn(ended{ran, 1});
  }
  EXPECT_EQ(forks_first, searches / 32);
  EXPECT_EQ(nodes_first, searches / 32);
}

TEST_F(combined, begins_with_its_own_lanes_after_each_find) {
  make("forks=random");
  begin();
  spawn(addressed(0));
  me->learn(ordered_here{});
  end();
  for (action const how : {action::steal, action::pop}) {
    for (lane const where : {lane::ordered, lane::nodes, lane::forks, lane::spawned}) {
      if (how == action::pop && where == lane::forks) continue;
      probe p = me->next_probe();
      for (; p.kind != how || p.lane != where; p = me->next_probe()) {
        if (p.kind != action::rest) me->learn(probed{p, outcome::empty});
      }
      if (how == action::steal) {
        EXPECT_TRUE(where == lane::nodes ? me->admits_node(0) : me->admits(0));
      }
      me->learn(probed{p, outcome::got});
      task_tag t{};
      if (where != lane::nodes && (how == action::steal)) {
        task_tag published{};
        t = me->mark(published, {});
      }
      if (how == action::steal || where == lane::nodes)
        me->place(t, how == action::steal ? cause::stolen : cause::chosen);
      me->learn(begun{t});
      me->learn(ended{t, 1});
      std::size_t steals = 0;
      for (int own = 0; own < 3; ++own) {  // inbox, then lanes of its own
        p = me->next_probe();
        steals += p.kind == action::steal ? 1 : 0;
        if (p.kind != action::rest) me->learn(probed{p, outcome::empty});
      }
      EXPECT_EQ(steals, 0U) << "after a find in " << name_of(where);
    }
  }
}

TEST_F(combined, a_node_keeps_the_words_of_both_answers) {
  make("forks=numa-ws");
  begin();
  hint placed = addressed(0x8000'0000);
  placed.place = place_id{0};
  spawn(placed);
  EXPECT_NE(last_.words[0], 0U) << "numa-ws knows its place";
  EXPECT_NE(last_.node[0], 0U) << "arms knows its address and type";
}

TEST_F(combined, a_team_that_is_refused_runs_alone) {
  make("forks=random");
  begin();
  hint h;
  h.type = team_type;
  placement to = spawn(h);
  EXPECT_TRUE(to.lane == lane::nodes) << name_of(to.lane);
  end();
  bool refused = false;
  for (int i = 0; i < 200 && !refused; ++i) {
    taken(lane::nodes);
    task_tag t = last_;
    to = me->place(t, cause::chosen);
    if (to.width > 1) {
      refused = true;
      to = me->place(t, cause::refused);
      EXPECT_EQ(to.worker, worker_id{0});
      EXPECT_EQ(to.width, 1U);
    }
    me->learn(begun{t});
    me->learn(ended{t, 100'000});
  }
  EXPECT_TRUE(refused) << "arms never tried a team";
}

TEST_F(combined, what_failed_teaches_the_answer_for_nodes_no_time) {
  for (bool const failed : {true, false}) {
    make("forks=random", 1);
    begin();
    spawn(addressed(0));
    end();
    taken(lane::nodes);
    task_tag t = last_;
    me->place(t, cause::chosen);
    me->learn(begun{t});
    me->learn(part_ended{.task = t, .duration_ns = 100, .failed = failed});
    EXPECT_EQ(policy_->known().empty(), failed) << "a part";
    me->learn(ended{.task = t, .duration_ns = 100, .failed = failed});
    EXPECT_EQ(policy_->known().empty(), failed) << "the task";
  }
}

TEST_F(combined, tasks_of_ordered_lanes_may_be_stolen_from_anyone) {
  make("forks=adws");
  begin();
  me->learn(ordered_here{});
  end();
  for (probe p = me->next_probe(); p.kind != action::steal || p.lane != lane::ordered; p = me->next_probe()) {
    if (p.kind != action::rest) me->learn(probed{p, outcome::empty});
  }
  EXPECT_TRUE(me->admits(17)) << "adws would bar this worker from a group that it is not inside of";
}

// ---- names -----------------------------------------------------------------------------------------------------------------

std::string refusal(std::string_view asked) {
  try {
    return "accepted: " + std::string(make_policy(asked, layout::flat(2), 1)->name());
  } catch (usage_error const& e) {
    return e.what();
  }
}

TEST(named_answers, are_given_in_any_order_with_options) {
  EXPECT_EQ(refusal("forks=adws"), "accepted: forks=adws,spawned=strategies,nodes=arms");
  EXPECT_EQ(refusal("nodes=arms:width=1,cost=time,forks=replay:relaxed=2,groups=3"),
            "accepted: forks=replay,spawned=strategies,nodes=arms:width=1");
  EXPECT_EQ(refusal("spawned=plain"), "accepted: forks=auto,spawned=plain,nodes=arms");
  EXPECT_EQ(refusal("spawned=plain,nodes=plain,forks=hierarchical:patience=2"), "accepted: only:hierarchical")
      << "nothing is left to combine";
  EXPECT_EQ(refusal("checked:forks=random"), "accepted: checked:forks=random,spawned=strategies,nodes=arms");
}

TEST(named_answers, that_are_wrong_are_refused_with_what_is_allowed) {
  EXPECT_EQ(refusal("fork=random"),
            "answer of a policy is 'fork'; allowed: forks, spawned, nodes; did you mean 'forks'?");
  EXPECT_EQ(refusal("forks=random,forks=adws"),
            "answer of a policy is 'forks=adws' after another forks; allowed: once");
  EXPECT_EQ(refusal("forks=arms"),
            "answer for forks of a policy is 'arms'; allowed: auto, random, hierarchical, adws, numa-ws, replay; did "
            "you mean 'adws'?");
  EXPECT_EQ(refusal("spawned=lifo"), "answer for spawned of a policy is 'lifo'; allowed: strategies, plain");
  EXPECT_EQ(refusal("nodes="), "answer for nodes of a policy is ''; allowed: arms, plain");
  EXPECT_EQ(refusal("nodes=plain:width=1"), "option of answer 'plain' is 'width=1'; allowed: none");
  EXPECT_EQ(refusal("forks=adws:no-stael"),
            "option of policy 'adws' is 'no-stael'; allowed: no-steal, paper, widen, equal; did you mean 'no-steal'?");
}

}}}}  // namespace skua::v0::policies
