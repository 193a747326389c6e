// SPDX-License-Identifier: MIT
// The rules of automatic.md, one worker's calls at a time, behind a checker of the protocol.
#include "skua/policy/automatic/automatic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "skua/policy/adws/tag_fields.hpp"
#include "skua/policy/protocol_checker.hpp"
#include "skua/policy/registry.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace {

using runtime::outcome;

constexpr hint nothing_said{};

struct machine_of_test final : machine_view {
  std::uint64_t now = 1;
  called_code code{.number = 77, .name = "solve()"};
  // What the policy has told.
  mutable std::vector<std::string> put_in_force;
  mutable std::uint64_t trials = 0;
  mutable std::uint64_t lost_ns = 0;
  [[nodiscard]] std::uint64_t now_ns(worker_id) const noexcept override { return now; }
  [[nodiscard]] called_code code_of_call(worker_id) const noexcept override { return code; }
  [[nodiscard]] std::uint64_t ready_frame(worker_id) const noexcept override { return 0; }
  void note(worker_id, scheduler_note const& done) const noexcept override {
    trials += done.trials_begun;
    lost_ns += done.trials_lost_ns;
    if (done.scheduler.empty()) return;
    put_in_force.push_back(std::string(done.call) + " " + std::string(done.scheduler) + (done.is_trial ? "?" : ""));
  }
};

/// Four workers. Times pass as each test says.
class automatic : public ::testing::Test {
 protected:
  automatic() { make("forks=auto:explain,spawned=plain,nodes=plain"); }
  void make(std::string_view name) {
    policy_ =
        std::make_unique<protocol_checker>(make_policy(name, layout::flat(4), 7), 4, protocol_checks{.aborts = true});
    policy_->watch(machine_);
  }
  worker_policy& of(std::uint32_t w) { return policy_->of_worker(worker_id{w}); }

  /// Worker w finds a task in this lane of its own.
  void takes(std::uint32_t w, lane where) {
    for (int tries = 0; tries < 1000; ++tries) {
      probe const p = of(w).next_probe();
      if (p.kind == action::rest) continue;
      bool const is_it = p.kind == action::pop && p.lane == where;
      of(w).learn(probed{p, is_it ? outcome::got : outcome::empty});
      if (is_it) return;
    }
    FAIL() << "worker " << w << " never looks into its lane " << name_of(where);
  }
  /// A task from outside comes to worker w.
  placement comes(std::uint32_t w, task_tag& t) {
    takes(w, lane::injected);
    t = {};
    return of(w).place(t, cause::injected);
  }
  /// And begins on the worker that it is sent to.
  void begins_at(placement const& to, std::uint32_t from, task_tag const& t) {
    if (index(to.worker) != from) takes(index(to.worker), to.lane);
    of(index(to.worker)).learn(begun{t});
  }
  task_tag call(std::uint32_t w = 0) {
    task_tag t;
    placement const to = comes(w, t);
    begins_at(to, w, t);
    return t;
  }
  void ends(std::uint32_t w, task_tag const& t) { of(w).learn(ended{.task = t}); }

  static bool is_of_adws(task_tag const& t) { return (t.words[3] & adws::known_bit) != 0; }

  /// The task on worker 0 has a group of two; true if ADWS divided it. The group takes so long.
  bool group(task_tag& t, std::uint64_t ns_of_adws, std::uint64_t ns_of_others) {
    EXPECT_TRUE(of(0).sees_forks());
    task_tag const opened = of(0).meet(t, 2, 2);
    bool const by_hints = is_of_adws(opened);
    task_tag rest = opened;
    for (int i = 0; i < 2; ++i) {
      task_tag child = of(0).mark(rest, nothing_said);
      placement const to = of(0).place(child, cause::forked);
      if (to.worker != worker_id{0} || to.lane == lane::migrated) continue;
      of(0).learn(returned{child});
      break;
    }
    machine_.now += by_hints ? ns_of_adws : ns_of_others;
    of(0).leave(t, opened);
    task_tag const before = t;
    EXPECT_EQ(of(0).place(t, cause::resumed).worker, worker_id{0});
    EXPECT_EQ(t, before);
    return by_hints;
  }

  machine_of_test machine_;
  std::unique_ptr<protocol_checker> policy_;
};

TEST_F(automatic, a_call_is_spread_by_its_hints_from_worker_0_on) {
  task_tag t;
  placement const to = comes(2, t);
  EXPECT_EQ(to, (placement{.worker = worker_id{0}, .lane = lane::mailbox}));
  begins_at(to, 2, t);
  EXPECT_TRUE(of(0).sees_forks());
  EXPECT_TRUE(group(t, 10, 20));
  ends(0, t);
}

TEST_F(automatic, a_call_that_spawns_before_it_forks_is_stolen_from_at_random) {
  task_tag t = call();
  EXPECT_TRUE(is_of_adws(t));
  task_tag child = of(0).mark(t, nothing_said);
  EXPECT_EQ(of(0).place(child, cause::released), (placement{.worker = worker_id{0}, .lane = lane::spawned}));
  EXPECT_FALSE(of(1).preempts()) << "ADWS would";
  machine_.now += 1000;
  ends(0, t);
  // And so is the next one, from the beginning.
  task_tag again;
  EXPECT_EQ(comes(2, again), (placement{.worker = worker_id{0}, .lane = lane::migrated}));
  EXPECT_FALSE(is_of_adws(again));
  begins_at({.worker = worker_id{0}, .lane = lane::migrated}, 2, again);
  machine_.now += 1000;
  ends(0, again);
  EXPECT_NE(policy_->report().find("solve(): random (it spawns tasks before it forks)"), std::string::npos)
      << policy_->report();
}

TEST_F(automatic, a_call_that_offers_tasks_of_a_task_group_is_stolen_from_at_random) {
  task_tag t = call();
  of(0).learn(spawning{});
  EXPECT_FALSE(of(1).preempts()) << "ADWS would";
  of(0).learn(spawning{});
  machine_.now += 1000;
  ends(0, t);
  task_tag again;
  EXPECT_EQ(comes(2, again), (placement{.worker = worker_id{0}, .lane = lane::migrated}));
  EXPECT_FALSE(is_of_adws(again));
  begins_at({.worker = worker_id{0}, .lane = lane::migrated}, 2, again);
  ends(0, again);
}

TEST_F(automatic, a_call_that_offers_tasks_of_a_task_group_after_it_has_forked_keeps_its_scheduler) {
  task_tag t = call();
  group(t, 10, 20);
  of(0).learn(spawning{});
  EXPECT_TRUE(of(1).preempts());
  ends(0, t);
}

TEST_F(automatic, a_call_that_spawns_nodes_keeps_its_scheduler) {
  task_tag t = call();
  task_tag child = of(0).mark(t, {.address = runtime::address{1U << 31}});
  of(0).place(child, cause::released);
  EXPECT_TRUE(of(1).preempts()) << "ADWS is in force";
  ends(0, t);
}

TEST_F(automatic, other_code_is_another_call_site) {
  task_tag t = call();
  task_tag child = of(0).mark(t, nothing_said);
  of(0).place(child, cause::released);
  ends(0, t);
  machine_.code = {.number = 78, .name = "other()"};
  task_tag u = call();
  EXPECT_TRUE(is_of_adws(u));
  ends(0, u);
}

TEST_F(automatic, what_spawns_after_it_has_forked_keeps_its_scheduler) {
  task_tag t = call();
  group(t, 10, 20);
  task_tag child = of(0).mark(t, nothing_said);
  of(0).place(child, cause::released);
  EXPECT_TRUE(of(1).preempts());
  ends(0, t);
}

TEST_F(automatic, enqueued_tasks_run_where_they_are_taken) {
  machine_.code.is_enqueued = true;
  task_tag t;
  EXPECT_EQ(comes(2, t).worker, worker_id{2}) << "nobody waits for it: no detour";
  EXPECT_FALSE(is_of_adws(t));
}

TEST_F(automatic, nothing_changes_while_two_tasks_from_outside_are_alive) {
  task_tag t = call();
  machine_.code.is_enqueued = true;  // wants another scheduler
  task_tag u;
  placement const to = comes(1, u);
  EXPECT_EQ(to.worker, worker_id{1}) << "free: it stays";
  of(1).learn(begun{u});
  task_tag child = of(0).mark(t, nothing_said);
  of(0).place(child, cause::released);
  EXPECT_TRUE(of(1).preempts()) << "ADWS is in force";
  ends(1, u);
  ends(0, t);
  task_tag v;
  comes(3, v);
  EXPECT_FALSE(is_of_adws(v)) << "all have left";
}

TEST_F(automatic, repeated_groups_find_a_faster_scheduler_in_the_middle_of_a_call) {
  task_tag t = call();
  std::uint32_t by_hints = 0;
  for (int i = 0; i < 4000; ++i) by_hints += group(t, 30'000, 10'000);
  EXPECT_LT(by_hints, 1000U);
  EXPECT_FALSE(is_of_adws(t)) << "the call itself has gone over";
  ends(0, t);
  EXPECT_NE(policy_->report().find("measured"), std::string::npos) << policy_->report();
  task_tag u = call();
  EXPECT_FALSE(is_of_adws(u)) << "the next call begins with it";
  ends(0, u);
}

TEST_F(automatic, and_stay_with_a_scheduler_that_is_faster) {
  task_tag t = call();
  std::uint32_t by_hints = 0;
  for (int i = 0; i < 4000; ++i) by_hints += group(t, 10'000, 30'000);
  EXPECT_GT(by_hints, 3950U);
  EXPECT_LT(by_hints, 4000U) << "others were tried";
  EXPECT_TRUE(is_of_adws(t));
  ends(0, t);
}

TEST_F(automatic, calls_find_a_faster_scheduler_from_one_to_the_next) {
  std::uint32_t by_hints = 0;
  for (int i = 0; i < 4000; ++i) {
    task_tag t = call();
    bool const is_by_hints = is_of_adws(t);
    by_hints += is_by_hints;
    machine_.now += is_by_hints ? 30'000 : 10'000;
    ends(0, t);
  }
  EXPECT_LT(by_hints, 1000U);
}

TEST_F(automatic, nothing_is_sent_away_while_another_task_from_outside_may_block_its_worker) {
  task_tag t = call();
  task_tag beside;
  comes(1, beside);
  of(1).learn(begun{beside});
  task_tag const opened = of(0).meet(t, 2, 2);
  task_tag rest = opened;
  task_tag child = of(0).mark(rest, nothing_said);
  EXPECT_EQ(of(0).place(child, cause::forked).worker, worker_id{0});
  of(0).learn(returned{child});
  of(0).leave(t, opened);
  ends(1, beside);
  // It has left: the next group is spread again.
  task_tag const next = of(0).meet(t, 2, 2);
  rest = next;
  child = of(0).mark(rest, nothing_said);
  EXPECT_NE(of(0).place(child, cause::forked).worker, worker_id{0});
  child = of(0).mark(rest, nothing_said);
  if (of(0).place(child, cause::forked).worker == worker_id{0}) of(0).learn(returned{child});
  of(0).leave(t, next);
  ends(0, t);
}

TEST_F(automatic, a_task_whose_worker_does_not_come_back_is_rescued_and_then_stays) {
  task_tag t = call();
  task_tag const opened = of(0).meet(t, 2, 2);
  task_tag rest = opened;
  task_tag sent = of(0).mark(rest, nothing_said);
  placement const to = of(0).place(sent, cause::forked);
  ASSERT_EQ(to, (placement{.worker = worker_id{2}, .lane = lane::mailbox})) << "worker 2 is blocked";
  int rounds = 0;
  int rests = 0;
  for (bool got = false; !got; ++rounds) {
    ASSERT_LT(rounds, 100'000) << "worker 3 never takes it";
    probe const p = of(3).next_probe();
    if (p.kind == action::rest) {
      ++rests;
      continue;
    }
    bool const sees = p.kind == action::steal && p.lane == lane::mailbox && p.victim == worker_id{2};
    got = sees && of(3).admits(sent.words[0]);
    of(3).learn(probed{p, got ? outcome::got : sees ? outcome::barred : outcome::empty});
  }
  EXPECT_GE(rests, 1000) << "not before it has waited for long";
  EXPECT_EQ(of(3).place(sent, cause::stolen).worker, worker_id{3});
  of(3).learn(begun{sent});
  EXPECT_FALSE(of(3).sees_forks()) << "nothing of it is sent on";
  of(3).learn(ended{.task = sent});
  for (bool kept = false; !kept;) {
    task_tag child = of(0).mark(rest, nothing_said);
    kept = of(0).place(child, cause::forked).worker == worker_id{0};
    if (kept) of(0).learn(returned{child});
  }
  of(0).leave(t, opened);
  ends(0, t);
}

using strings = std::vector<std::string>;

TEST_F(automatic, the_machine_is_told_what_changes_and_what_trials_cost) {
  task_tag t = call();
  for (int i = 0; i < 4000; ++i) group(t, 30'000, 40'000);
  ends(0, t);
  ASSERT_GE(machine_.put_in_force.size(), 4U);
  EXPECT_EQ(strings(machine_.put_in_force.begin(), machine_.put_in_force.begin() + 2),
            (strings{"solve() random?", "solve() adws"}));
  EXPECT_NE(std::ranges::find(machine_.put_in_force, "solve() hierarchical?"), machine_.put_in_force.end());
  std::vector<call_choice> const known = policy_->choices();
  ASSERT_EQ(known.size(), 1U);
  EXPECT_EQ(known[0].trials(), machine_.trials);
  EXPECT_GT(machine_.lost_ns, 0U);
  EXPECT_NEAR(static_cast<double>(machine_.lost_ns), known[0].lost_ns, 4000);
}

TEST_F(automatic, nothing_is_told_of_a_scheduler_that_stays) {
  for (int i = 0; i < 3; ++i) {
    task_tag t = call();
    machine_.now += 1000;
    ends(0, t);
  }
  EXPECT_EQ(machine_.put_in_force, strings{});
  EXPECT_EQ(machine_.trials, 0U);
}

TEST_F(automatic, choices_are_read_while_no_task_from_outside_runs) {
  task_tag t = call();
  EXPECT_TRUE(policy_->choices().empty());
  machine_.now += 1000;
  ends(0, t);
  ASSERT_EQ(policy_->choices().size(), 1U);
  EXPECT_EQ(policy_->choices()[0].call, "solve()");
  EXPECT_EQ(policy_->choices()[0].code, 77U);
  EXPECT_EQ(policy_->choices()[0].scheduler, "adws");
  EXPECT_EQ(policy_->choices()[0].calls, 1U);
}

TEST_F(automatic, a_call_that_an_earlier_run_knows_begins_with_its_choice) {
  call_choice const measured{.code = 77,
                             .call = "solve()",
                             .scheduler = "hierarchical",
                             .why = evidence::measured,
                             .since_call = 2,
                             .calls = 5,
                             .calls_ns = 5e9,
                             .groups = 100,
                             .groups_ns = 4e9,
                             .gain = 0.5,
                             .changes = 1};
  layout const where = layout::flat(4);
  policy_ = std::make_unique<protocol_checker>(
      make_policy("auto:explain",
                  {.layout = where, .seed = 7, .known = {.source = "a.json", .all = {}, .calls = {&measured, 1}}}),
      4, protocol_checks{.aborts = true});
  policy_->watch(machine_);
  EXPECT_EQ(policy_->choices(), std::vector{[&] {
              call_choice c = measured;
              c.earlier_calls = 5;
              return c;
            }()});
  EXPECT_EQ(policy_->report(), "") << "it was not called in this run";
  task_tag t = call();
  EXPECT_FALSE(is_of_adws(t));
  machine_.now += 1000;
  ends(0, t);
  EXPECT_EQ(machine_.put_in_force, strings{"solve() hierarchical"});
  EXPECT_NE(
      policy_->report().find("solve(): hierarchical (measured: 0.5 of the time under the last choice) since an earlier "
                             "run; 6 calls of"),
      std::string::npos)
      << policy_->report();
}

TEST_F(automatic, no_trials_means_none) {
  make("forks=auto:no-trials,spawned=plain,nodes=plain");
  task_tag t = call();
  for (int i = 0; i < 4000; ++i) EXPECT_TRUE(group(t, 30'000, 10'000));
  ends(0, t);
}

TEST_F(automatic, short_calls_are_not_timed_group_by_group) {
  for (int i = 0; i < 3; ++i) {
    task_tag t = call();
    machine_.now += 5'000;
    ends(0, t);
  }
  machine_.code.number = 1;  // spawns: random
  task_tag t = call();
  task_tag child = of(0).mark(t, nothing_said);
  of(0).place(child, cause::released);
  machine_.now += 5'000;
  ends(0, t);
  t = call();
  EXPECT_FALSE(of(0).sees_forks()) << "a fork costs nothing";
  ends(0, t);
}

TEST_F(automatic, the_rest_of_an_outermost_group_is_found_by_plain_thieves) {
  task_tag t = call();
  while (is_of_adws(t)) group(t, 30'000, 10'000);
  task_tag const opened = of(0).meet(t, 2, 2);
  task_tag rest = opened;
  task_tag child = of(0).mark(rest, nothing_said);
  EXPECT_EQ(of(0).place(child, cause::forked), (placement{.worker = worker_id{0}, .lane = lane::local}));
  EXPECT_FALSE(of(0).sees_forks()) << "below it forks cost nothing";
  bool looks = false;
  for (int i = 0; i < 1000 && !looks; ++i) {
    probe const p = of(3).next_probe();
    looks = p.kind == action::steal && p.lane == lane::local;
    EXPECT_TRUE(!looks || p.victim == worker_id{0}) << "no other worker has anything there";
    if (p.kind != action::rest) of(3).learn(probed{p, outcome::empty});
  }
  EXPECT_TRUE(looks);
  of(0).learn(returned{child});
  of(0).leave(t, opened);
  ends(0, t);
}

}}}}  // namespace skua::v0::policies
