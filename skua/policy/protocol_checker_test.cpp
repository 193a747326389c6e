// SPDX-License-Identifier: MIT
// Machines that break the protocol, one rule each: the checker must name the rule.
#include "skua/policy/protocol_checker.hpp"

#include <gtest/gtest.h>

#include "skua/policy/protocol_stage_for_test.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace {

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
  says.next = {.kind = action::rest, .victim = worker_id{0}};
  m.next_probe();
  m.learn(rested{});
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
  says.next = {.kind = action::pop, .lane = lane::inbox, .victim = worker_id{1}};
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
/// Shows the frame that is ready for worker 0.
struct shown_frames final : machine_view {
  std::uint64_t ready = 0;
  [[nodiscard]] std::uint64_t ready_frame(worker_id) const noexcept override { return ready; }
};

/// Worker 0 has ended a task while frame 1 was ready, and takes another task.
class a_ready_frame : public protocol {
 protected:
  a_ready_frame() { checker_.watch(shows); }
  task_tag task_ends_beside_it() {
    task_tag const t = root();
    shows.ready = 1;
    m.learn(ended{t});
    return t;
  }
  shown_frames shows;
};

TEST_F(a_ready_frame, goes_before_the_next_task) {
  task_tag const t = task_ends_beside_it();
  shows.ready = 2;  // behind the first
  m.learn(begun{t, true});
  m.learn(ended{t});
  shows.ready = 0;
  m.learn(begun{t, true});
  m.learn(ended{t});
  root();
  EXPECT_EQ(verdict(), "");
}
TEST_F(a_ready_frame, may_come_while_its_worker_takes_a_task) {
  m.learn(ended{root()});
  shows.ready = 1;
  m.learn(ended{root()});
  EXPECT_EQ(verdict(), "");
}
TEST_F(a_ready_frame, that_another_policy_has_continued_is_not_waited_for) {
  task_ends_beside_it();
  shows.ready = 2;
  root();
  EXPECT_EQ(verdict(), "");
}
TEST_F(a_ready_frame, may_not_wait_for_a_task_that_begins_after_another) {
  task_ends_beside_it();
  root();
  EXPECT_SAYS("begins a task before a frame that was ready, and that only this worker may continue");
}
TEST_F(a_ready_frame, may_not_wait_for_a_task_that_begins_after_a_wait) {
  root();
  shows.ready = 1;
  m.learn(waiting{});
  root();
  EXPECT_SAYS("begins a task before a frame that was ready, and that only this worker may continue");
}
TEST_F(a_ready_frame, may_not_wait_for_a_task_that_begins_after_a_rest) {
  shows.ready = 1;
  says.next = {.kind = action::rest, .victim = worker_id{0}};
  m.next_probe();
  m.learn(rested{});
  root();
  EXPECT_SAYS("begins a task before a frame that was ready, and that only this worker may continue");
}
TEST_F(protocol, a_task_may_have_parts) {
  task_tag const t = root();
  m.learn(part_ended{t, 5});
  m.learn(part_ended{t, 6});
  m.learn(ended{t, 7});
  EXPECT_EQ(verdict(), "");
}
TEST_F(protocol, the_last_member_of_a_team_ends_it) {
  task_tag const t = root();
  m.learn(team_ended{t, 9});
  m.learn(ended{t, 7});
  EXPECT_EQ(verdict(), "");
}
TEST_F(protocol, a_mark_of_which_nothing_came_is_forgotten_with_the_next_task) {
  task_tag const t = root();
  task_tag own = t;
  task_tag first = m.mark(own, {});
  m.mark(own, {});
  m.learn(ended{t});
  take(from_local);
  m.place(first, cause::stolen);
  m.learn(begun{first});
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
TEST_F(protocol, a_rest_that_was_not_the_answer) {
  take(from_outside);
  m.learn(rested{});
  EXPECT_SAYS("reports a rest that was not the answer");
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
  EXPECT_SAYS("places a stolen or popped task that it has not marked");
}
constexpr probe from_spawned{.kind = action::pop, .lane = lane::spawned, .victim = worker_id{0}};
TEST_F(protocol, a_popped_task_is_marked_and_placed_where_the_policy_needs_that) {
  take(from_spawned);
  task_tag seen{{3}};
  task_tag t = m.mark(seen, {});
  m.place(t, cause::chosen);
  m.learn(begun{t});
  EXPECT_EQ(verdict(), "");
}
TEST_F(protocol, a_popped_task_that_was_not_placed_again) {
  take(from_spawned);
  m.learn(begun{});
  EXPECT_SAYS("begins a task that it has not placed");
}
TEST_F(protocol, a_popped_task_that_was_not_marked_before_it_was_placed_again) {
  take(from_spawned);
  task_tag t{{3}};
  m.place(t, cause::chosen);
  EXPECT_SAYS("places a stolen or popped task that it has not marked");
}
TEST_F(protocol, a_node_goes_on_with_the_one_that_the_policy_let_run_next) {
  task_tag node = root();
  for (int i = 0; i < 3; ++i) {
    task_tag seen = node;
    task_tag next = m.mark(seen, {});
    m.place(next, cause::unblocked);
    m.learn(ended{node});
    m.place(next, cause::next);
    m.learn(begun{next});
    node = next;
  }
  m.learn(ended{node});
  EXPECT_EQ(verdict(), "");
}
/// The team cannot be formed: the node goes to a lane of this worker.
TEST_F(protocol, a_node_whose_team_is_refused_may_wait_in_a_lane) {
  task_tag next = next_after_the_end();
  says.to = {.worker = worker_id{0}, .lane = lane::inbox, .width = 2};
  m.place(next, cause::next);
  says.to = on(0, lane::inbox);
  m.place(next, cause::refused);
  m.next_probe();
  EXPECT_EQ(verdict(), "");
}
TEST_F(protocol, a_node_that_is_to_run_next_does_not_wait_in_a_lane) {
  task_tag next = next_after_the_end();
  m.place(next, cause::next);
  m.next_probe();
  EXPECT_SAYS("searches with a task in its hands");
}
TEST_F(protocol, a_node_that_goes_on_before_it_has_ended) {
  task_tag const node = root();
  task_tag seen = node;
  task_tag next = m.mark(seen, {});
  m.place(next, cause::unblocked);
  m.place(next, cause::next);
  EXPECT_SAYS("goes on with another task than the last one that was placed in its own lane `local`");
}
TEST_F(protocol, a_node_that_goes_on_with_one_that_belongs_elsewhere) {
  task_tag const node = root();
  task_tag seen = node;
  task_tag next = m.mark(seen, {});
  says.to = on(1, lane::migrated);
  m.place(next, cause::unblocked);
  m.learn(ended{node});
  m.place(next, cause::next);
  EXPECT_SAYS("goes on with another task than the last one that was placed in its own lane `local`");
}
TEST_F(protocol, a_node_that_goes_on_after_a_search) {
  task_tag next = next_after_the_end();
  says.next = from_outside;
  m.next_probe();
  m.learn(probed{from_outside, runtime::outcome::empty});
  m.place(next, cause::next);
  EXPECT_SAYS("goes on with another task than the last one that was placed in its own lane `local`");
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
TEST_F(protocol, a_part_that_ends_under_another_tag) {
  root();
  m.learn(part_ended{task_tag{{9}}});
  EXPECT_SAYS("ends a part with another tag than that of the running task");
}
TEST_F(protocol, a_team_that_ends_under_another_tag) {
  root();
  m.learn(team_ended{task_tag{{9}}});
  EXPECT_SAYS("ends a team with another tag than that of the running member");
}
TEST_F(protocol, a_team_that_ends_inside_of_a_group) {
  task_tag const t = root();
  meet(t);
  m.learn(team_ended{t});
  EXPECT_SAYS("ends a team before its last member has left its group");
}
TEST_F(protocol, a_team_of_nothing) {
  task_tag const t = root();
  m.learn(ended{t});
  m.learn(team_ended{t});
  EXPECT_SAYS("ends a team while no task runs");
}
TEST_F(protocol, a_part_that_ends_inside_of_a_group) {
  task_tag const t = root();
  meet(t);
  m.learn(part_ended{t});
  EXPECT_SAYS("ends a part of a task before it has left its group");
}
TEST_F(protocol, a_part_of_nothing) {
  task_tag const t = root();
  m.learn(ended{t});
  m.learn(part_ended{t});
  EXPECT_SAYS("ends a part of a task while no task runs");
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
  EXPECT_SAYS("refuses an answer that was neither another worker's mailbox nor a width, or of another task");
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

}}}}  // namespace skua::v0::policies
