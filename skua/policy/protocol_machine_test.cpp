// SPDX-License-Identifier: MIT
// The protocol checker beside machines that do by chance what they may do (protocol_machine_for_test.hpp): it has nothing to say, and
// when such a machine breaks one rule at any time, it names that rule.
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "skua/policy/protocol_machine_for_test.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace {

using at = sound_worker::at;

struct machine {
  machine(std::uint64_t seed, policy_needs const& needs)
      : roll(seed), policy(roll, needs), checker(policy, machine_workers, {.aborts = false, .most_refusals = 10}) {
    for (std::uint32_t w = 0; w < machine_workers; ++w)
      workers.emplace_back(checker.of_worker(worker_id{w}), *policy.workers[w], roll, frames, tags);
  }
  void run(std::uint32_t steps) {
    for (; steps > 0; --steps) workers[roll.below(machine_workers)].step();
  }
  [[nodiscard]] std::int64_t open_groups() const {
    std::size_t open = 0;
    for (fiber const& f : frames) open += f.groups.size();
    for (sound_worker const& w : workers) open += w.running.groups.size();
    return static_cast<std::int64_t>(open);
  }

  runtime::dice roll;
  any_policy policy;
  protocol_checker checker;
  std::vector<fiber> frames;
  std::vector<task_tag> tags;
  std::deque<sound_worker> workers;
};

policy_needs some_needs(std::uint64_t seed) {
  bool const all = seed % 3 != 0;
  return {.lanes = {lane::mailbox, lane::local, lane::migrated, lane::ordered},
          .times = all ? which_tasks::all : which_tasks::none,
          .chosen = all ? which_tasks::all : which_tasks::none,
          .released = all ? which_tasks::all : which_tasks::none,
          .rests = all};
}

TEST(protocol_machine, that_keeps_the_rules_is_not_blamed) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    machine m(seed, some_needs(seed));
    for (int i = 0; i < 20; ++i) {
      m.run(20);
      ASSERT_EQ(m.checker.breaches(), std::vector<std::string>{}) << "seed " << seed << ", step " << 20 * (i + 1);
      ASSERT_TRUE(m.checker.holds());
      ASSERT_EQ(m.checker.open_groups(), m.open_groups()) << "seed " << seed;
    }
  }
}

constexpr task_tag other{{57'005}};  // what a thief could have seen, and nobody has
constexpr task_tag never_made{{~std::uint64_t{0}, 1, 2, 3}};
constexpr probe other_than(probe p) {
  p.lane = p.lane == lane::spawned ? lane::local : lane::spawned;
  return p;
}

/// Says something of a running task where none runs.
std::optional<std::string> speaks_for_nobody(sound_worker& w) {
  task_tag t = w.any_known();
  switch (w.roll.below(8)) {
    case 0: w.m.meet(t, 0, 2); return "meets a group while no task runs";
    case 1: w.m.learn(returned{t}); return "reports a child that has returned while no task runs";
    case 2: w.m.learn(waiting{}); return "waits while no task runs";
    case 3: w.m.learn(ended{t, 1}); return "ends a task while no task runs";
    case 4: w.m.learn(part_ended{t, 1}); return "ends a part of a task while no task runs";
    case 5: w.m.leave(t, t); return "leaves a group while no task runs";
    case 6: w.m.learn(team_ended{t, 1}); return "ends a team while no task runs";
    default: w.m.place(t, cause::forked); return "places a child while no task runs";
  }
}

/// While a task runs, or before it has reported a probe.
std::string bypasses(sound_worker& w) {
  task_tag t = w.any_known();
  w.m.place(t, cause::bypassed);
  return (w.says.needs.released != which_tasks::none)
             ? "bypasses a task, but does not begin another one then"
             : "bypasses a task, which only a policy that places spawned tasks can have";
}

std::string const not_from_there = "places a task that it has not taken from there";

std::optional<std::string> breaks_probing(sound_worker& w) {
  task_tag t = w.any_known();
  switch (w.roll.below(12)) {
    case 0: w.m.next_probe(); return "searches again before it has reported its last probe";
    case 1:
      w.m.learn(probed{other_than(w.asked), runtime::outcome::empty});
      return "reports a probe that was not asked for";
    case 2: w.m.mark(t, {}); return "marks a task before it has reported its probe";
    case 3: w.m.place(t, cause::resumed); return "resumes a task before it has reported its probe";
    case 4: w.m.place(t, cause::preempted); return "preempts a task that does not run";
    case 5:
      w.m.place(t, cause::called);
      return "begins a call from outside while it has another task or a probe to report";
    case 6: w.m.learn(begun{t, w.roll.below(2) == 0}); return "begins a task while another runs";
    case 7: {
      if (w.asked.kind != action::steal) return {};
      if (w.roll.below(2) == 0) {
        EXPECT_FALSE(w.m.admits(0));
      }
      w.m.learn(probed{w.asked, runtime::outcome::got});
      return "takes a task that the policy does not admit";
    }
    case 8: {
      cause const whys[] = {cause::stolen, cause::injected};
      w.m.place(t, whys[w.roll.below(2)]);
      return not_from_there;
    }
    case 9:
      if (!w.says.needs.rests) return {};
      w.m.learn(rested{});
      return "reports a rest that was not the answer";
    case 10: return bypasses(w);
    default: return speaks_for_nobody(w);
  }
}

std::optional<std::string> breaks_in_hands(sound_worker& w) {
  task_tag t = w.any_known();
  switch (w.roll.below(9)) {
    case 0: w.m.next_probe(); return "searches with a task in its hands";
    case 1:
      if (!w.must_place()) return {};
      w.m.learn(begun{t});
      return "begins a task that it has not placed";
    case 2: {
      cause const why = w.why_placed() == cause::stolen ? cause::injected : cause::stolen;
      w.m.place(t, why);
      return not_from_there;
    }
    case 3: w.m.place(t, cause::preempted); return "preempts a task that does not run";
    case 4:
      w.m.place(t, cause::called);
      return "begins a call from outside while it has another task or a probe to report";
    case 5:
      if (w.asked.lane == lane::injected) return {};
      w.m.place(t, cause::resumed);
      return "resumes a task that it has not parked";
    case 6: {
      if (!w.must_place()) return {};
      if (w.roll.below(2) == 0) {
        t = never_made;
        w.m.place(t, w.why_placed());
        return "uses a tag that the policy has not handed out";
      }
      if (w.takes_without_tag() && w.roll.below(2) == 0) {
        w.m.place(t, w.why_placed());
        return "places a stolen or popped task that it has not marked";
      }
      task_tag seen = t;
      w.m.mark(seen, {});
      w.m.place(t, w.why_placed());
      return "places a task with another tag than its mark";
    }
    case 7:
      if (w.says.needs.released == which_tasks::none || w.has_waited) return {};
      w.m.place(t, cause::released);
      return "spawns a task while no task runs";
    default: return w.has_waited ? std::nullopt : speaks_for_nobody(w);
  }
}

std::optional<std::string> breaks_placed(sound_worker& w) {
  switch (w.roll.below(5)) {
    case 0: w.m.next_probe(); return "searches with a task in its hands";
    case 1: w.m.learn(begun{never_made}); return "uses a tag that the policy has not handed out";
    case 2:
      if (!w.is_task) return {};
      w.m.learn(begun{other});
      return "begins a task with another tag than it was placed with";
    case 3: w.m.place(w.in_hands, w.why_placed()); return "places a task twice";
    default:
      w.m.learn(rested{});
      return w.says.needs.rests ? "reports a rest that was not the answer"
                                : "reports a rest to a policy that does not need it";
  }
}

std::optional<std::string> breaks_group(sound_worker& w) {
  if (w.running.groups.empty()) return {};
  open_group g = w.running.groups.back();
  task_tag t = g.rest;
  switch (w.roll.below(9)) {
    case 0: w.m.learn(ended{w.running.tag, 1}); return "ends a task before it has left its group";
    case 1:
      if (w.says.needs.times == which_tasks::none) return {};
      w.m.learn(part_ended{w.running.tag, 1});
      return "ends a part of a task before it has left its group";
    case 2:
      if (t = w.any_known(); g.keeps && t == g.child) return {};
      w.m.learn(returned{t});
      return g.keeps ? "reports the return of another child than the one that was kept"
                     : "reports the return of a child that it has not kept";
    case 3:
      if (g.keeps) {
        w.m.leave(g.of_task, g.own);
        return "leaves a group before the child that was kept has returned";
      }
      w.m.leave(other, g.own);
      return "leaves a group with another tag than the task that met it";
    case 4: {
      std::size_t const before = w.running.groups.size() - 1;
      w.m.leave(g.of_task, before > 0 ? w.running.groups[before - 1].own : never_made);
      return "leaves another group than the youngest that is open";
    }
    case 5: {
      if (g.keeps) return {};
      task_tag child = w.any_known();
      w.m.place(child, cause::forked);
      return "places a child that it has not marked";
    }
    case 6: {
      if (g.keeps) {
        task_tag child = w.m.mark(t, {});
        w.m.place(child, cause::forked);
        return "places a child before the one that was kept has returned";
      }
      if (g.placed < g.children) return {};
      task_tag child = w.m.mark(t, {});
      w.m.place(child, cause::forked);
      return "places more children than the group has";
    }
    case 7: {
      if (g.keeps || g.placed == g.children) return {};
      t = other;
      task_tag child = w.m.mark(t, {});
      w.m.place(child, cause::forked);
      return "marks a child from another tag than what is left of its group";
    }
    default:
      t = never_made;
      w.m.mark(t, {});
      return "uses a tag that the policy has not handed out";
  }
}

std::optional<std::string> breaks_running(sound_worker& w) {
  if (!w.is_told) return {};
  if (w.knows_groups && w.roll.below(2) == 0 && !w.running.groups.empty()) return breaks_group(w);
  task_tag t = w.any_known();
  switch (w.roll.below(15)) {
    case 13: return bypasses(w);
    case 0:
      if (w.began_open) return {};
      w.m.next_probe();
      return "searches while a task runs";
    case 1: w.m.learn(begun{t, w.roll.below(2) == 0}); return "begins a task while another runs";
    case 2:
      w.m.place(t, cause::called);
      return "begins a call from outside while it has another task or a probe to report";
    case 3:
      if (!w.knows_groups) return {};
      w.m.meet(t = other, 0, 2);
      return "meets a group with another tag than that of the running task";
    case 4:
      w.says.sees = false;
      w.m.meet(w.running.tag, 0, 2);
      return "meets a group while the policy does not see forks";
    case 5:
      if (!w.knows_groups || !w.running.groups.empty()) return {};
      w.m.learn(ended{other, 1});
      return "ends a task with another tag than that of the running task";
    case 6:
      if (!w.knows_groups || !w.running.groups.empty()) return {};
      w.m.learn(part_ended{other, 1});
      return (w.says.needs.times != which_tasks::none) ? "ends a part with another tag than that of the running task"
                                                       : "reports a part of a task to a policy that needs no times";
    case 7:
      if (!w.knows_groups || !w.running.groups.empty()) return {};
      w.m.learn(returned{t});
      return "reports the return of a child that it has not kept";
    case 8:
      if (!w.running.groups.empty()) return {};
      w.m.leave(w.running.tag, never_made);
      return "leaves a group that is not open";
    case 9: {
      if (!w.knows_groups || !w.running.groups.empty()) return {};
      task_tag child = w.m.mark(t, {});
      w.m.place(child, cause::forked);
      return "places a child of a group that it has not met";
    }
    case 10:
      w.m.learn(rested{});
      return w.says.needs.rests ? "reports a rest that was not the answer"
                                : "reports a rest to a policy that does not need it";
    case 11:
      t = other;
      w.m.place(t, cause::refused);
      return "refuses an answer that was neither another worker's mailbox nor a width, or of another task";
    case 12: w.m.place(t, w.roll.below(2) == 0 ? cause::stolen : cause::injected); return not_from_there;
    default:
      if ((w.says.needs.released != which_tasks::none)) return {};
      w.m.place(t, w.roll.below(2) == 0 ? cause::released : cause::chosen);
      return {};
  }
}

std::optional<std::string> breaks_idle(sound_worker& w) {
  task_tag t = w.any_known();
  switch (w.roll.below(6)) {
    case 0:
      if (w.has_sent) return {};
      w.m.learn(begun{t, false});
      return "begins a task that it has not taken";
    case 1: {
      probe p = w.asked;
      if (p.kind == action::rest) p = {.kind = action::pop, .lane = lane::inbox, .victim = w.says.self};
      w.m.learn(probed{p, runtime::outcome::empty});
      return "reports a probe that was not asked for";
    }
    case 2: return w.has_waited ? std::nullopt : speaks_for_nobody(w);
    case 3:
      if ((w.says.needs.released != which_tasks::none) && w.has_waited) return {};
      w.m.place(t, cause::released);
      return (w.says.needs.released != which_tasks::none)
                 ? "spawns a task while no task runs"
                 : "asks where a spawned task goes, which the policy does not need";
    case 4:
      if ((w.says.needs.chosen != which_tasks::none)) return {};
      w.m.place(t, cause::chosen);
      return "asks again for a task that was popped, which the policy does not need";
    default:
      if (!w.was_asked || w.asked.kind == action::rest) return {};
      w.m.learn(rested{});
      return w.says.needs.rests ? "reports a rest that was not the answer"
                                : "reports a rest to a policy that does not need it";
  }
}

/// Nothing: there is no such breach now.
std::optional<std::string> breaks_a_rule(sound_worker& w) {
  switch (w.now) {
    case at::probing: return breaks_probing(w);
    case at::in_hands: return breaks_in_hands(w);
    case at::placed_here: return breaks_placed(w);
    case at::running: return breaks_running(w);
    case at::idle: return breaks_idle(w);
    case at::leaving: break;
  }
  return {};
}

TEST(protocol_machine, that_breaks_one_rule_is_told_which) {
  std::map<std::string, int> times;
  for (std::uint64_t seed = 1; seed <= 12'000; ++seed) {
    machine m(seed, some_needs(seed));
    m.run(m.roll.below(60));
    sound_worker& w = m.workers[m.roll.below(machine_workers)];
    at const state = w.now;
    auto const wanted = breaks_a_rule(w);
    if (!wanted) continue;
    ++times[*wanted];
    auto const said = m.checker.breaches();
    std::string const who = "worker " + std::to_string(index(w.says.self)) + " ";
    ASSERT_EQ(said.empty() ? "" : said.front(), who + *wanted)
        << "seed " << seed << ", state " << static_cast<int>(state);
    ASSERT_FALSE(m.checker.holds());
  }
  EXPECT_GE(times.size(), 40U);
  for (auto const& [rule, n] : times) EXPECT_GE(n, 2) << rule;
}

}}}}  // namespace skua::v0::policies
