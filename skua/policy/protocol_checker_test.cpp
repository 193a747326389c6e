// SPDX-License-Identifier: MIT
// Machines and policies that break the protocol, one rule each: the checker must name the rule.
#include "skua/policy/protocol_checker.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "skua/policy/registry.hpp"
#include "skua/policy/script_for_test.hpp"

namespace skua::policies {
namespace {

constexpr placement on(std::uint32_t w, lane where) { return {.worker = worker_id{w}, .where = where}; }

/// Answers what the test says; every tag that it writes is a new one.
struct obliging final : worker_policy {
  task_tag meet(task_tag const&, double, std::uint64_t) noexcept override { return fresh(); }
  task_tag mark(task_tag& parent, hint const&) noexcept override {
    ++parent.words[3];
    return fresh();
  }
  placement place(task_tag&, cause) noexcept override { return to; }
  void leave(task_tag const&, task_tag const&) noexcept override {}
  probe next_probe() noexcept override { return next; }
  void learn(event const&) noexcept override {}
  [[nodiscard]] bool sees_forks() const noexcept override { return sees; }
  [[nodiscard]] bool admits(std::uint64_t) const noexcept override { return true; }
  task_tag fresh() noexcept { return {{++made, 7, 7, 7}}; }

  probe next{.what = action::pop, .where = lane::injected, .whom = worker_id{0}};
  placement to = on(0, lane::local);
  bool sees = true;
  std::uint64_t made = 0;
};

/// Worker 0 of four. Each step below is right; a test leaves one out, or adds one.
class protocol : public testing::Test {
 protected:
  struct one_obliging final : policy {
    obliging worker;
    [[nodiscard]] std::string_view name() const noexcept override { return "obliging"; }
    worker_policy& of_worker(worker_id) noexcept override { return worker; }
  };

  explicit protocol(std::uint64_t most_refusals = 10)
      : checker_(policy_, 4, {.aborts = false, .most_refusals = most_refusals}), m(checker_.of_worker(worker_id{0})) {}

  void take(probe const& p) {
    says.next = p;
    EXPECT_EQ(m.next_probe(), p);
    EXPECT_TRUE(p.what == action::pop || m.admits(0));
    m.learn(probed{p, runtime::outcome::got});
  }
  static constexpr probe from_outside{.what = action::pop, .where = lane::injected, .whom = worker_id{0}};
  static constexpr probe from_forks{.what = action::steal, .where = lane::forks, .whom = worker_id{2}};
  static constexpr probe from_local{.what = action::steal, .where = lane::local, .whom = worker_id{2}};

  task_tag root() {
    take(from_outside);
    task_tag t{};
    m.place(t, cause::injected);
    m.learn(begun{t});
    return t;
  }
  /// A group of three: the first child is sent to worker 1, the second is kept.
  struct group {
    task_tag of_task{}, own{}, rest{}, child{};
  };
  group meet(task_tag const& task, std::uint64_t n = 3) {
    group g{.of_task = task, .own = m.meet(task, 0, n)};
    g.rest = g.own;
    return g;
  }
  void mark_and_place(group& g, placement to) {
    g.child = m.mark(g.rest, {});
    says.to = to;
    m.place(g.child, cause::forked);
    says.to = on(0, lane::local);
  }
  group half_done(task_tag const& task) {
    group g = meet(task);
    mark_and_place(g, on(1, lane::migrated));
    mark_and_place(g, on(0, lane::local));
    return g;
  }
  void come_back(group const& g) { m.learn(returned{g.child}); }
  void leave(group const& g) { m.leave(g.of_task, g.own); }

  std::string verdict() const {
    std::vector<std::string> const all = checker_.breaches();
    return all.empty() ? "" : all.front();
  }

  one_obliging policy_;
  protocol_checker checker_;
  obliging& says = policy_.worker;
  worker_policy& m;
};

#define EXPECT_SAYS(rule) EXPECT_EQ(verdict(), std::string("worker 0 ") + (rule))

// ---- sound machines --------------------------------------------------------------------------------------------------

TEST_F(protocol, a_machine_that_keeps_it_passes) {
  task_tag const t = root();
  group const outer = half_done(t);
  group const inner = half_done(outer.child);
  come_back(inner);
  leave(inner);
  task_tag again = outer.child;
  m.place(again, cause::resumed);
  come_back(outer);
  leave(outer);
  m.learn(ended{t});
  take(from_forks);
  task_tag seen{{3}};
  task_tag stolen = m.mark(seen, {});
  m.place(stolen, cause::stolen);
  m.learn(begun{stolen});
  m.learn(waiting{});
  says.next = {.what = action::rest, .whom = worker_id{0}};
  m.next_probe();
  EXPECT_EQ(verdict(), "");
  EXPECT_TRUE(checker_.holds());
  EXPECT_EQ(checker_.open_groups(), 0);
}

TEST_F(protocol, a_group_may_be_left_by_another_worker_than_the_one_that_met_it) {
  task_tag const t = root();
  group const g = half_done(t);
  come_back(g);
  m.learn(waiting{});
  worker_policy& other = checker_.of_worker(worker_id{1});
  says.next = {.what = action::pop, .where = lane::inbox, .whom = worker_id{1}};
  other.next_probe();
  other.learn(probed{says.next, runtime::outcome::got});
  other.learn(begun{t, true});
  other.leave(t, g.own);
  other.learn(ended{t});
  EXPECT_EQ(verdict(), "");
  EXPECT_EQ(checker_.open_groups(), 0);
}

TEST_F(protocol, a_call_from_outside_begins_at_once) {
  task_tag t{};
  m.place(t, cause::called);
  m.learn(begun{t});
  m.learn(ended{t});
  t = {};
  m.place(t, cause::called);
  m.learn(begun{t});
  m.learn(ended{t});
  EXPECT_EQ(verdict(), "");
}
// What was found there is on its way to another worker, and the thread that placed it has left.
TEST_F(protocol, a_call_from_outside_after_a_task_was_sent_away) {
  take(from_outside);
  task_tag away{};
  says.to = on(1, lane::migrated);
  m.place(away, cause::injected);
  says.to = on(0, lane::local);
  task_tag t{};
  m.place(t, cause::called);
  m.learn(begun{t});
  m.learn(ended{t});
  EXPECT_EQ(verdict(), "");
}

// ---- machines that break it ------------------------------------------------------------------------------------------

TEST_F(protocol, a_search_before_the_last_probe_was_reported) {
  m.next_probe();
  m.next_probe();
  EXPECT_SAYS("searches again before it has reported its last probe");
}
TEST_F(protocol, a_report_of_another_probe) {
  m.next_probe();
  m.learn(probed{from_local, runtime::outcome::empty});
  EXPECT_SAYS("reports a probe that was not asked for");
}
TEST_F(protocol, a_search_with_a_task_in_its_hands) {
  take(from_outside);
  m.next_probe();
  EXPECT_SAYS("searches with a task in its hands");
}
TEST_F(protocol, a_search_while_a_task_runs) {
  root();
  m.next_probe();
  EXPECT_SAYS("searches while a task runs");
}
TEST_F(protocol, a_steal_without_admission) {
  says.next = from_local;
  m.next_probe();
  m.learn(probed{from_local, runtime::outcome::got});
  EXPECT_SAYS("takes a task that the policy does not admit");
}
TEST_F(protocol, a_stolen_task_that_was_not_marked) {
  take(from_forks);
  task_tag t{{3}};
  m.place(t, cause::stolen);
  EXPECT_SAYS("places a stolen task that it has not marked");
}
TEST_F(protocol, a_stolen_task_that_was_not_placed) {
  take(from_local);
  m.learn(begun{});
  EXPECT_SAYS("begins a task that it has not placed");
}
TEST_F(protocol, a_task_that_was_placed_twice) {
  take(from_outside);
  task_tag t{};
  m.place(t, cause::injected);
  m.place(t, cause::injected);
  EXPECT_SAYS("places a task twice");
}
TEST_F(protocol, a_stolen_task_that_is_placed_as_if_it_came_from_outside) {
  take(from_local);
  task_tag t{};
  m.place(t, cause::injected);
  EXPECT_SAYS("places a task that it has not taken from there");
}
TEST_F(protocol, a_task_that_begins_with_another_tag_than_it_was_placed_with) {
  take(from_outside);
  task_tag t{};
  m.place(t, cause::injected);
  m.learn(begun{task_tag{{5}}});
  EXPECT_SAYS("begins a task with another tag than it was placed with");
}
TEST_F(protocol, a_task_that_nobody_has_taken) {
  m.learn(begun{});
  EXPECT_SAYS("begins a task that it has not taken");
}
TEST_F(protocol, a_task_that_begins_while_another_runs) {
  root();
  m.learn(begun{});
  EXPECT_SAYS("begins a task while another runs");
}
TEST_F(protocol, a_group_that_is_met_although_the_policy_does_not_see_forks) {
  task_tag const t = root();
  says.sees = false;
  meet(t);
  EXPECT_SAYS("meets a group while the policy does not see forks");
}
TEST_F(protocol, a_group_that_is_met_under_another_tag) {
  root();
  meet(task_tag{{4}});
  EXPECT_SAYS("meets a group with another tag than that of the running task");
}
TEST_F(protocol, a_group_that_is_met_while_no_task_runs) {
  meet({});
  EXPECT_SAYS("meets a group while no task runs");
}
TEST_F(protocol, a_child_that_was_not_marked) {
  group const g = meet(root());
  task_tag t = g.own;
  m.place(t, cause::forked);
  EXPECT_SAYS("places a child that it has not marked");
}
TEST_F(protocol, a_mark_that_forgets_the_marks_before_it) {
  group g = meet(root());
  mark_and_place(g, on(1, lane::migrated));
  g.rest = g.own;
  mark_and_place(g, on(1, lane::migrated));
  EXPECT_SAYS("marks a child from another tag than what is left of its group");
}
TEST_F(protocol, a_child_that_is_placed_while_another_one_is_kept) {
  group g = half_done(root());
  mark_and_place(g, on(1, lane::migrated));
  EXPECT_SAYS("places a child before the one that was kept has returned");
}
TEST_F(protocol, more_children_than_the_group_has) {
  group g = meet(root(), 1);
  mark_and_place(g, on(1, lane::migrated));
  mark_and_place(g, on(1, lane::migrated));
  EXPECT_SAYS("places more children than the group has");
}
TEST_F(protocol, a_child_of_no_group) {
  task_tag t = root();
  group g{.rest = t};
  mark_and_place(g, on(1, lane::migrated));
  EXPECT_SAYS("places a child of a group that it has not met");
}
TEST_F(protocol, a_child_that_returns_before_it_was_kept) {
  group g = meet(root());
  mark_and_place(g, on(1, lane::migrated));
  come_back(g);
  EXPECT_SAYS("reports the return of a child that it has not kept");
}
TEST_F(protocol, another_child_than_the_kept_one_returns) {
  group g = half_done(root());
  g.child = g.own;
  come_back(g);
  EXPECT_SAYS("reports the return of another child than the one that was kept");
}
TEST_F(protocol, a_group_that_is_left_twice) {
  group const g = half_done(root());
  come_back(g);
  leave(g);
  leave(g);
  EXPECT_SAYS("leaves a group that is not open");
}
TEST_F(protocol, a_group_that_is_left_before_its_kept_child_has_returned) {
  leave(half_done(root()));
  EXPECT_SAYS("leaves a group before the child that was kept has returned");
}
TEST_F(protocol, groups_that_are_left_in_the_wrong_order) {
  group const outer = half_done(root());
  half_done(outer.child);
  leave(outer);
  EXPECT_SAYS("leaves another group than the youngest that is open");
}
TEST_F(protocol, a_group_that_is_left_under_another_tag) {
  group g = half_done(root());
  come_back(g);
  g.of_task = g.child;
  leave(g);
  EXPECT_SAYS("leaves a group with another tag than the task that met it");
}
TEST_F(protocol, a_task_that_ends_before_it_has_left_its_group) {
  task_tag const t = root();
  meet(t);
  m.learn(ended{t});
  EXPECT_SAYS("ends a task before it has left its group");
  EXPECT_EQ(checker_.open_groups(), 1);
}
TEST_F(protocol, a_task_that_ends_under_another_tag) {
  root();
  m.learn(ended{task_tag{{9}}});
  EXPECT_SAYS("ends a task with another tag than that of the running task");
}
TEST_F(protocol, a_task_that_ends_twice) {
  task_tag const t = root();
  m.learn(ended{t});
  m.learn(ended{t});
  EXPECT_SAYS("ends a task while no task runs");
}
TEST_F(protocol, a_wait_of_nobody) {
  m.learn(waiting{});
  EXPECT_SAYS("waits while no task runs");
}
TEST_F(protocol, a_refusal_of_what_was_not_placed_in_a_mailbox) {
  take(from_outside);
  task_tag t{};
  m.place(t, cause::injected);
  m.place(t, cause::refused);
  EXPECT_SAYS("says that a mailbox is occupied in which it was not to place this task");
}
TEST_F(protocol, a_tag_that_the_policy_has_never_seen) {
  take(from_local);
  task_tag t{{1, 2, 3, 4}};
  m.place(t, cause::stolen);
  EXPECT_SAYS("uses a tag that the policy has not handed out");
}
TEST_F(protocol, a_task_in_hands_is_preempted) {
  take(from_outside);
  task_tag t{};
  m.place(t, cause::preempted);
  EXPECT_SAYS("preempts a task that does not run");
}
TEST_F(protocol, a_call_from_outside_while_a_task_runs) {
  task_tag t = root();
  m.place(t, cause::called);
  EXPECT_SAYS("begins a call from outside while it has another task or a probe to report");
}
TEST_F(protocol, a_call_from_outside_in_the_middle_of_a_probe) {
  EXPECT_EQ(m.next_probe(), says.next);
  task_tag t{};
  m.place(t, cause::called);
  EXPECT_SAYS("begins a call from outside while it has another task or a probe to report");
}

// ---- policies that break it ------------------------------------------------------------------------------------------

class wrong_probe : public protocol {
 protected:
  std::string verdict_on(probe const& p) {
    says.next = p;
    EXPECT_EQ(m.next_probe().what, action::rest) << "something harmless instead";
    return verdict();
  }
};
TEST_F(wrong_probe, of_a_worker_out_of_range) {
  EXPECT_EQ(verdict_on({.what = action::steal, .where = lane::forks, .whom = worker_id{4}}),
            "worker 0 probes worker 4, who does not exist");
}
TEST_F(wrong_probe, pops_anothers_lane) {
  EXPECT_EQ(verdict_on({.what = action::pop, .where = lane::spawned, .whom = worker_id{1}}),
            "worker 0 pops from a lane of worker 1");
}
TEST_F(wrong_probe, steals_from_itself) {
  EXPECT_EQ(verdict_on({.what = action::steal, .where = lane::forks, .whom = worker_id{0}}),
            "worker 0 steals from itself");
}
TEST_F(wrong_probe, steals_from_an_inbox) {
  EXPECT_EQ(verdict_on({.what = action::steal, .where = lane::inbox, .whom = worker_id{1}}),
            "worker 0 steals from an inbox, which only its own worker opens");
}
TEST_F(wrong_probe, asks_for_half_of_a_lane_of_its_own) {
  EXPECT_EQ(verdict_on({.what = action::pop, .where = lane::inbox, .many = amount::half, .whom = worker_id{0}}),
            "worker 0 asks for half of a lane other than `injected`");
}
TEST_F(wrong_probe, steals_from_the_region) {
  EXPECT_EQ(verdict_on({.what = action::steal, .where = lane::injected, .whom = worker_id{1}}),
            "worker 0 steals from the region's lane instead of popping");
}

class wrong_place : public protocol {
 protected:
  explicit wrong_place(std::uint64_t most_refusals = 10) : protocol(most_refusals) {}
  std::string verdict_on(placement to, cause why = cause::resumed) {
    task_tag t = root();
    says.to = to;
    EXPECT_EQ(m.place(t, why).worker, worker_id{0}) << "something harmless instead";
    return verdict();
  }
  /// Every answer is the mailbox of worker 1, which is always occupied.
  std::string verdict_on_refusals() {
    says.to = on(1, lane::mailbox);
    take(from_outside);
    task_tag t{};
    placement to = m.place(t, cause::injected);
    for (int i = 0; i < 100 && to.worker != worker_id{0}; ++i) to = m.place(t, cause::refused);
    return verdict();
  }
};
class wrong_mailbox : public wrong_place {
 protected:
  wrong_mailbox() : wrong_place(0) {}
};
TEST_F(wrong_place, on_a_worker_out_of_range) {
  EXPECT_EQ(verdict_on(on(4, lane::inbox)), "worker 0 places a task on worker 4, who does not exist");
}
TEST_F(wrong_place, in_a_lane_of_another_worker_in_which_only_that_one_places) {
  EXPECT_EQ(verdict_on(on(1, lane::forks)),
            "worker 0 places a task on worker 1, but not in its inbox, mailbox or migrated lane");
}
TEST_F(wrong_place, of_a_call_from_outside_on_another_worker) {
  says.to = on(1, lane::mailbox);
  task_tag t{};
  EXPECT_EQ(m.place(t, cause::called).worker, worker_id{0});
  EXPECT_EQ(verdict(), "worker 0 places a call from outside on worker 1, not on itself");
}
TEST_F(wrong_place, for_a_team) {
  EXPECT_EQ(verdict_on({.worker = worker_id{0}, .where = lane::inbox, .width = 2}),
            "worker 0 places a task of width 2; no machine has teams yet");
}
TEST_F(wrong_place, of_what_is_preempted_on_another_worker) {
  EXPECT_EQ(verdict_on(on(1, lane::migrated), cause::preempted),
            "worker 0 preempts a task, but places it on worker 1, not on itself");
}
TEST_F(wrong_place, of_what_is_preempted_where_it_cannot_lie) {
  EXPECT_EQ(verdict_on(on(0, lane::forks), cause::preempted),
            "worker 0 preempts a task, but does not place it in its spawned, local or migrated lane");
}
TEST_F(wrong_place, in_occupied_mailboxes_for_ever) {
  EXPECT_EQ(verdict_on_refusals(), "worker 0 places a task in occupied mailboxes, 11 times in a row");
}
TEST_F(wrong_mailbox, that_is_occupied_where_it_never_should_be) {
  EXPECT_EQ(verdict_on_refusals(), "worker 0 places a task in the mailbox of worker 1, which is occupied");
}

// ---- by name ---------------------------------------------------------------------------------------------------------

TEST(checked, a_prefix_of_a_policys_name_puts_a_checker_around_it) {
  EXPECT_EQ(make_policy("checked:adws:no-steal", layout::flat(4), 1)->name(), "checked:adws:no-steal");
  auto const p = make_policy("checked:random", layout::flat(4), 1);
  EXPECT_EQ(fruitless_round(p->of_worker(worker_id{0})).back().what, action::rest);
}

TEST(checked_death, a_breach_ends_the_process_and_is_named) {
  auto const p = make_policy("checked:random", layout::flat(4), 1);
  EXPECT_DEATH(p->of_worker(worker_id{2}).learn(begun{}),
               "protocol broken: worker 2 begins a task that it has not taken");
}

}  // namespace
}  // namespace skua::policies
