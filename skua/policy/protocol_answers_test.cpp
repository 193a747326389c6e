// SPDX-License-Identifier: MIT
// Policies that break the protocol, one rule each: the checker must name the rule.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "skua/policy/protocol_checker.hpp"
#include "skua/policy/protocol_stage_for_test.hpp"
#include "skua/policy/registry.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace {

// ---- policies that break it ------------------------------------------------------------------------------------------

class wrong_probe : public protocol {
 protected:
  std::string verdict_on(probe const& p) {
    says.next = p;
    EXPECT_EQ(m.next_probe().kind, action::rest) << "something harmless instead";
    return verdict();
  }
};
TEST_F(wrong_probe, of_a_worker_out_of_range) {
  EXPECT_EQ(verdict_on({.kind = action::steal, .lane = lane::forks, .victim = worker_id{4}}),
            "worker 0 probes worker 4, which does not exist");
}
TEST_F(wrong_probe, pops_anothers_lane) {
  EXPECT_EQ(verdict_on({.kind = action::pop, .lane = lane::spawned, .victim = worker_id{1}}),
            "worker 0 pops from a lane of worker 1");
}
TEST_F(wrong_probe, steals_from_itself) {
  EXPECT_EQ(verdict_on({.kind = action::steal, .lane = lane::forks, .victim = worker_id{0}}),
            "worker 0 steals from itself");
}
TEST_F(wrong_probe, steals_from_an_inbox) {
  EXPECT_EQ(verdict_on({.kind = action::steal, .lane = lane::inbox, .victim = worker_id{1}}),
            "worker 0 steals from an inbox, which only its own worker opens");
}
TEST_F(wrong_probe, asks_for_half_of_a_lane_of_its_own) {
  EXPECT_EQ(verdict_on({.kind = action::pop, .lane = lane::inbox, .amount = amount::half, .victim = worker_id{0}}),
            "worker 0 asks for half of a lane that gives one entry at a time");
}
TEST_F(wrong_probe, steals_from_the_region) {
  EXPECT_EQ(verdict_on({.kind = action::steal, .lane = lane::injected, .victim = worker_id{1}}),
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
  EXPECT_EQ(verdict_on(on(4, lane::inbox)), "worker 0 places a task on worker 4, which does not exist");
}
TEST_F(wrong_place, in_a_lane_of_another_worker_in_which_only_that_one_places) {
  EXPECT_EQ(verdict_on(on(1, lane::forks)),
            "worker 0 places a task on worker 1, but not in its inbox, mailbox, migrated or nodes lane");
}
TEST_F(wrong_place, of_a_call_from_outside_on_another_worker) {
  says.to = on(1, lane::mailbox);
  task_tag t{};
  EXPECT_EQ(m.place(t, cause::called).worker, worker_id{0});
  EXPECT_EQ(verdict(), "worker 0 places a call from outside on worker 1, not on itself");
}
TEST_F(wrong_place, for_a_team_of_nobody) {
  EXPECT_EQ(verdict_on({.worker = worker_id{0}, .lane = lane::inbox, .width = 0}), "worker 0 places a task of width 0");
}
TEST_F(wrong_place, for_a_team_again_after_the_width_was_refused) {
  task_tag t{};
  m.next_probe();
  m.learn(probed{from_outside, runtime::outcome::got});
  says.to = {.worker = worker_id{0}, .lane = lane::inbox, .width = 2};
  m.place(t, cause::injected);
  EXPECT_EQ(verdict(), "");
  EXPECT_EQ(m.place(t, cause::refused).width, 1U);
  EXPECT_EQ(verdict(), "worker 0 places a task of width 2 after a width was refused");
}
TEST_F(wrong_place, of_what_is_preempted_on_another_worker) {
  EXPECT_EQ(verdict_on(on(1, lane::migrated), cause::preempted),
            "worker 0 preempts a task, but places it on worker 1, not on itself");
}
TEST_F(wrong_place, of_what_is_preempted_where_it_cannot_lie) {
  EXPECT_EQ(verdict_on(on(0, lane::forks), cause::preempted),
            "worker 0 preempts a task, but does not place it in its spawned, local or migrated lane");
}
TEST(needs, a_lane_that_the_policy_did_not_ask_for) {
  struct forgetful final : policy {
    obliging worker;
    [[nodiscard]] std::string_view name() const noexcept override { return "forgetful"; }
    worker_policy& of_worker(worker_id) noexcept override { return worker; }
  } careless;
  protocol_checker checker(careless, 4, {.of_machine = false, .aborts = false});
  worker_policy& m = checker.of_worker(worker_id{0});
  careless.worker.next = {.kind = action::steal, .lane = lane::mailbox, .victim = worker_id{1}};
  EXPECT_EQ(m.next_probe().kind, action::rest);
  careless.worker.to = on(1, lane::migrated);
  task_tag t{};
  EXPECT_EQ(m.place(t, cause::resumed).worker, worker_id{0});
  EXPECT_EQ(checker.breaches(),
            (std::vector<std::string>{"worker 0 probes a mailbox lane, which it does not need",
                                      "worker 0 places a task in a migrated lane, which it does not need"}));
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
  EXPECT_EQ(fruitless_round(p->of_worker(worker_id{0})).back().kind, action::rest);
}

TEST(checked_death, a_breach_ends_the_process_and_is_named) {
  auto const p = make_policy("checked:random", layout::flat(4), 1);
  EXPECT_DEATH(p->of_worker(worker_id{2}).learn(begun{}),
               "protocol broken: worker 2 begins a task that it has not taken");
}

}}}}  // namespace skua::v0::policies
