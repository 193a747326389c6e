// SPDX-License-Identifier: MIT
// Hierarchical localized work stealing, decision by decision. [adws-sc19 4.3]
#include "skua/policy/adws/script_for_test.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace adws { namespace {

/// Eight workers; worker 0 has met the root's group of two, and kept the second half, in which it has met another group.
class stealing : public by_hand {
 protected:
  stealing() {
    root_ = root();
    halves_ = meet(0, root_, {1, 1});
    quarters_ = meet(0, halves_.children[1].tag, {1, 1});
  }
  task_tag left_half() const { return halves_.children[0].tag; }
  task_tag right_half() const { return halves_.children[1].tag; }

  task_tag root_;
  family halves_, quarters_;
};

TEST_F(stealing, nobody_steals_during_the_search) {
  for (std::uint32_t w = 0; w < 8; ++w) EXPECT_EQ(victims(w), others(w, 1, 0)) << w;
}

TEST_F(stealing, the_end_of_a_search_opens_its_innermost_group_to_its_workers) {
  of(0).learn(waiting{});
  for (std::uint32_t w = 0; w < 4; ++w) EXPECT_EQ(victims(w), others(w, 0, 3)) << w;
  for (std::uint32_t w = 4; w < 8; ++w) EXPECT_EQ(victims(w), others(w, 1, 0)) << w;
}

TEST_F(stealing, the_end_of_a_search_root_opens_the_group_that_it_belongs_to) {
  begin(4, left_half());
  of(4).learn(ended{left_half(), 1});
  for (std::uint32_t w = 0; w < 8; ++w) EXPECT_EQ(victims(w), others(w, 0, 7)) << w;
}

/// At each victim of worker w's next round: how many of these groups it may take from.
std::vector<std::uint32_t> admitted(worker_policy& w, std::vector<task_tag> const& groups) {
  std::vector<std::uint32_t> all;
  while (true) {
    probe const p = w.next_probe();
    if (p.kind == action::rest) return all;
    if (p.kind == action::steal && p.lane == lane::local) {
      all.push_back(0);
      for (task_tag const& g : groups) all.back() += w.admits(g.words[0]) ? 1U : 0U;
    }
    w.learn(probed{p, runtime::outcome::empty});
  }
}

TEST_F(stealing, widens_its_range_by_a_group_at_each_victim_that_has_nothing_until_a_task_is_sent_to_it) {
  restart(8, {.delays_steals = false});  // on one node, nobody cares who touches memory first
  task_tag const root_task = root();
  family const halves = meet(0, root_task, {1, 1});
  family const quarters = meet(0, halves.children[1].tag, {1, 1});
  family const eighths = meet(0, quarters.children[1].tag, {1, 1});
  std::vector<task_tag> const groups{eighths.group, quarters.group, halves.group};
  of(0).learn(waiting{});  // the eighths of workers 0 and 1 are active
  EXPECT_EQ(admitted(of(1), groups), (std::vector<std::uint32_t>{1, 2, 3, 3, 3, 3, 3}));
  EXPECT_EQ(admitted(of(1), groups), (std::vector<std::uint32_t>{3, 3, 3, 3, 3, 3, 3})) << "and stays wide";
  // What it steals changes nothing; what was allocated to it does.
  while (of(1).next_probe().kind != action::steal) of(1).learn(probed{of(1).next_probe(), runtime::outcome::empty});
  of(1).learn(probed{of(1).next_probe(), runtime::outcome::got});
  EXPECT_EQ(admitted(of(1), groups).front(), 3U);
  while (of(1).next_probe().lane != lane::migrated) of(1).learn(probed{of(1).next_probe(), runtime::outcome::empty});
  of(1).learn(probed{of(1).next_probe(), runtime::outcome::got});
  EXPECT_EQ(admitted(of(1), groups).front(), 1U);
}

TEST_F(stealing, keeps_to_its_group_until_it_rests_while_nobody_touches_memory_for_the_first_time) {
  layout const two_nodes(topology::synthetic("package:2 numa:1 l3:1 core:4 pu:1"));
  for (widening const when : {widening::never, widening::carefully, widening::always}) {
    bool const widens = when == widening::always;
    restart(two_nodes, {.widen = when});
    task_tag const root_task = root();
    family const halves = meet(0, root_task, {1, 1});
    family const quarters = meet(0, halves.children[1].tag, {1, 1});
    std::vector<task_tag> const groups{quarters.group, halves.group};
    of(0).learn(waiting{});  // the quarters of workers 0 to 3 are active
    std::uint32_t const wide = widens ? 2 : 1;
    EXPECT_EQ(admitted(of(1), groups).back(), wide) << "nothing is known";
    if (when != widening::carefully) continue;
    of(1).learn(rested{.first_touches = true});
    EXPECT_EQ(admitted(of(1), groups).back(), 1U);
    of(1).learn(rested{.first_touches = false});
    EXPECT_EQ(admitted(of(1), groups).back(), 2U);
    of(1).learn(rested{.first_touches = true});
    EXPECT_EQ(admitted(of(1), groups).back(), 1U) << "even if it was wider";
  }
}

/// How many rounds of worker w end before it looks at a victim; at most 100.
int rounds_before_victims(worker_policy& w) {
  for (int rounds = 0; rounds < 100;) {
    probe const p = w.next_probe();
    if (p.kind == action::steal) return rounds;
    if (p.kind == action::rest) ++rounds;
    w.learn(probed{p, runtime::outcome::empty});
  }
  return 100;
}

/// Worker w finds a task where it looks for `what` in `where`.
void finds(worker_policy& w, action what, lane where) {
  while (w.next_probe().kind != what || w.next_probe().lane != where)
    w.learn(probed{w.next_probe(), runtime::outcome::empty});
  w.learn(probed{w.next_probe(), runtime::outcome::got});
}

TEST_F(stealing, waits_a_moment_for_the_next_task_if_such_tasks_ended_its_last_waits) {
  restart(8, {});
  meet(0, root(), {1, 1});
  of(0).learn(waiting{});  // the halves are active
  for (int task = 0; task < 4; ++task) {
    EXPECT_EQ(rounds_before_victims(of(1)), 0) << "not before the fourth task in a row";
    finds(of(1), action::pop, lane::migrated);
  }
  int const rounds = rounds_before_victims(of(1));
  EXPECT_GT(rounds, 1);
  EXPECT_LT(rounds, 100);
  EXPECT_EQ(rounds_before_victims(of(1)), 0) << "once is enough";
  finds(of(1), action::pop, lane::local);
  EXPECT_EQ(rounds_before_victims(of(1)), rounds) << "its own tasks change nothing";
  finds(of(1), action::steal, lane::migrated);
  EXPECT_EQ(rounds_before_victims(of(1)), 0) << "what is sent to it does not suffice";
  finds(of(1), action::pop, lane::mailbox);
  EXPECT_EQ(rounds_before_victims(of(1)), 0) << "it counts anew";

  restart(8);
  meet(0, root(), {1, 1});
  of(0).learn(waiting{});
  for (int task = 0; task < 9; ++task) {
    EXPECT_EQ(rounds_before_victims(of(1)), 0) << "in the paper it steals at once";
    finds(of(1), action::pop, lane::migrated);
  }
}

TEST_F(stealing, needs_to_hear_of_first_touches_only_where_several_nodes_have_memory) {
  layout const two_nodes(topology::synthetic("package:2 numa:1 l3:1 core:4 pu:1"));
  auto const needs = [](layout const& where, adws_options const& with) {
    return almost_deterministic(where, 1, with).needs().rests;
  };
  EXPECT_TRUE(needs(two_nodes, {}));
  EXPECT_FALSE(needs(layout::flat(8), {}));
  EXPECT_FALSE(needs(two_nodes, {.widen = widening::never}));
  EXPECT_FALSE(needs(two_nodes, {.widen = widening::always}));
  EXPECT_FALSE(needs(two_nodes, {.steal = false}));
}

TEST_F(stealing, the_return_of_a_kept_search_root_opens_the_group_that_it_belongs_to) {
  of(0).learn(returned{quarters_.children[1].tag});
  of(0).leave(right_half(), quarters_.group);
  EXPECT_EQ(victims(1), others(1, 1, 0)) << "the quarters have ended";
  of(0).learn(returned{right_half()});
  for (std::uint32_t w = 0; w < 8; ++w) EXPECT_EQ(victims(w), others(w, 0, 7)) << w;
}

TEST_F(stealing, a_group_that_ends_does_not_open_the_one_around_it_if_its_task_meets_another) {
  of(0).learn(returned{quarters_.children[1].tag});
  of(0).leave(right_half(), quarters_.group);
  family const next = meet(0, right_half(), {1, 1});
  for (std::uint32_t w = 0; w < 8; ++w) EXPECT_EQ(victims(w), others(w, 1, 0)) << w;
  of(0).learn(returned{next.children[1].tag});
  for (std::uint32_t w = 0; w < 4; ++w) EXPECT_EQ(victims(w), others(w, 0, 3)) << w;
}

TEST_F(stealing, a_search_root_that_ends_without_a_group_opens_the_group_around_it) {
  begin(4, left_half());
  of(4).learn(waiting{});
  EXPECT_EQ(victims(5), others(5, 0, 7));
}

TEST_F(stealing, an_active_group_further_up_takes_precedence_at_once) {
  of(0).learn(waiting{});
  EXPECT_EQ(victims(2), others(2, 0, 3));
  of(4).learn(ended{left_half(), 1});
  EXPECT_EQ(victims(2), others(2, 0, 7));
}

TEST_F(stealing, a_scope_opens_its_range_at_once) {
  begin(4, left_half());
  task_tag half = left_half();
  task_tag const scope = of(4).meet(half, 0, 0);
  for (std::uint32_t w = 4; w < 8; ++w) EXPECT_EQ(victims(w), others(w, 4, 7)) << w;
  EXPECT_EQ(victims(3), others(3, 1, 0));
  of(4).leave(left_half(), scope);
  EXPECT_EQ(victims(5), others(5, 1, 0));
}

TEST_F(stealing, a_root_that_waits_outside_of_any_group_opens_all_workers_until_it_meets_one) {
  restart(8);
  task_tag const t = root();
  of(0).learn(waiting{});
  for (std::uint32_t w = 0; w < 8; ++w) EXPECT_EQ(victims(w), others(w, 0, 7)) << w;
  meet(0, t, {1, 1});
  for (std::uint32_t w = 0; w < 8; ++w) EXPECT_EQ(victims(w), others(w, 1, 0)) << w;
}

TEST_F(stealing, a_root_that_spawns_outside_of_any_group_opens_all_workers) {
  restart(8);
  task_tag t = root();
  EXPECT_EQ(victims(5), others(5, 1, 0));
  task_tag spawned = of(0).mark(t, {});
  EXPECT_EQ(of(0).place(spawned, cause::released), on(0, lane::spawned));
  for (std::uint32_t w = 0; w < 8; ++w) EXPECT_EQ(victims(w), others(w, 0, 7)) << w;
}

TEST_F(stealing, a_root_that_offers_a_task_of_a_task_group_opens_all_workers_before_it_waits) {
  restart(8);
  static_cast<void>(root());
  EXPECT_EQ(victims(5), others(5, 1, 0));
  of(0).learn(spawning{});
  EXPECT_FALSE(of(0).sees_forks());
  for (std::uint32_t w = 0; w < 8; ++w) EXPECT_EQ(victims(w), others(w, 0, 7)) << w;
}

TEST_F(stealing, without_stealing_nobody_steals) {
  restart(8, {.steal = false});
  family const f = meet(0, root(), {1, 1});
  of(0).learn(returned{f.children[1].tag});
  for (std::uint32_t w = 0; w < 8; ++w) EXPECT_EQ(victims(w), others(w, 1, 0)) << w;
}

TEST_F(stealing, a_stolen_task_divides_no_more_and_knows_its_group) {
  of(0).learn(waiting{});
  task_tag seen{{quarters_.group.words[0]}};
  task_tag stolen = of(2).mark(seen, hint{});
  EXPECT_EQ(of(2).place(stolen, cause::stolen).worker, worker_id{2});
  begin(2, stolen);
  EXPECT_FALSE(of(2).sees_forks());
  EXPECT_EQ(stolen.words[0], quarters_.group.words[0]);
}

TEST_F(stealing, own_lanes_come_first_the_slot_before_all_and_again_after_every_victim) {
  of(0).learn(waiting{});
  std::vector<probe> const round = fruitless_round(of(2));
  std::vector<lane> mine;
  for (std::size_t i = 0; i < round.size() && round[i].kind == action::pop; ++i) mine.push_back(round[i].lane);
  EXPECT_EQ(mine, (std::vector{lane::mailbox, lane::local, lane::spawned, lane::migrated, lane::inbox}));
  std::size_t at = mine.size();
  for (int victim = 0; victim < 3; ++victim) {
    for (lane const l : {lane::migrated, lane::local, lane::forks, lane::spawned}) {
      ASSERT_EQ(round[at].kind, action::steal);
      EXPECT_EQ(round[at++].lane, l);
    }
    for (lane const l : {lane::mailbox, lane::migrated})
      EXPECT_EQ(round[at++], (probe{.kind = action::pop, .lane = l, .victim = worker_id{2}}));
  }
  EXPECT_EQ(round[at].lane, lane::injected);
  EXPECT_EQ(round[at + 1].kind, action::rest);
}

TEST_F(stealing, every_other_worker_of_the_range_is_as_likely_a_victim) {
  for (std::uint32_t const workers : {3U, 8U, 64U}) {
    restart(workers);
    family const f = meet(0, root(), {1, 1});
    of(0).learn(returned{f.children[1].tag});
    for (std::uint32_t const self : {0U, workers / 2, workers - 1}) {
      std::vector<std::uint64_t> counts(workers, 0);
      for (int i = 0; i < 5000; ++i) {
        for (std::uint32_t const v : victims_of(fruitless_round(of(self)))) ++counts[v];
      }
      EXPECT_EQ(counts[self], 0U);
      counts.erase(counts.begin() + self);
      EXPECT_LT(chi_square(counts), chi_square_limit(counts.size())) << workers << " workers, seed 11";
    }
  }
}

TEST_F(stealing, a_range_of_one_worker_has_no_victims) {
  restart(2);
  family const f = meet(0, root(), {1, 1});
  family const inner = meet(0, f.children[1].tag, {1, 1});
  EXPECT_EQ(inner.children.size(), 1U) << "both are mine";
  of(0).learn(returned{inner.children[0].tag});
  EXPECT_EQ(victims(0), others(0, 0, 1)) << "the range is that of the group around it";
}

/// All groups of Figure 10: each worker steals what belongs to the topmost active group around it, and nothing else.
TEST_F(stealing, a_thief_takes_what_belongs_to_its_group_or_to_one_inside_it_whatever_the_ranges_are) {
  // Eight workers: halves, and in the left half quarters as well.
  begin(4, left_half());
  family const left_quarters = meet(4, left_half(), {1, 1});
  std::vector<task_tag> const all{root_, halves_.group, quarters_.group, left_quarters.group};
  auto const row = [&](std::uint32_t w) {
    std::string text;
    for (task_tag const& t : all) text += takes(w, t) ? '+' : '-';
    return text;
  };
  for (std::uint32_t w = 0; w < 8; ++w) EXPECT_EQ(row(w), "----") << w;
  of(0).learn(waiting{});  // the right quarters are active
  for (std::uint32_t w = 0; w < 8; ++w) EXPECT_EQ(row(w), w < 4 ? "--+-" : "----") << w;
  of(4).learn(waiting{});  // and the left ones
  for (std::uint32_t w = 0; w < 8; ++w) EXPECT_EQ(row(w), w < 4 ? "--+-" : "---+") << w;
  of(4).leave(left_half(), left_quarters.group);
  of(4).learn(ended{left_half(), 1});  // the halves are
  for (std::uint32_t w = 0; w < 8; ++w) EXPECT_EQ(row(w), "-+++") << w;
}

/// [adws-sc19 4.3.1]: from the rightmost worker of a range only its local queue, from the leftmost only its migration queue
/// (or both, if the left end is a border), from those between both.
TEST_F(stealing, the_two_queues_of_the_paper_at_the_ends_of_a_range) {
  for (std::uint32_t const workers : {5U, 6U, 7U}) {
    restart(workers);
    task_tag const t = root();
    family const thirds = meet(0, t, {1, 1, 1});
    // The middle third: its owner is shared with the right third, its leftmost worker with the left third.
    born const& middle = thirds.children[1];
    range const r = middle.is().range;
    std::uint32_t const j = r.owner();
    begin(j, middle.tag);
    family const inner = meet(j, middle.tag, {1, 1, 1, 1});
    of(j).learn(waiting{});
    task_tag const of_the_right = thirds.children[2].tag;
    task_tag const of_the_left = thirds.children[0].tag;
    for (std::uint32_t w = j; w <= r.leftmost(); ++w) {
      ASSERT_EQ(victims(w), others(w, j, r.leftmost()));
      EXPECT_TRUE(takes(w, inner.rest)) << "the local queue of the rightmost";
      for (born const& b : inner.children) EXPECT_TRUE(takes(w, b.tag)) << "what it has migrated";
      EXPECT_FALSE(takes(w, of_the_right)) << "the migration queue of the rightmost";
      EXPECT_FALSE(takes(w, of_the_left)) << "the local queue of the leftmost";
      EXPECT_FALSE(takes(w, t));
    }
  }
}

TEST_F(stealing, of_a_free_task_anybody_may_steal_but_nothing_else_then) {
  task_tag free{};
  EXPECT_EQ(of(6).place(free, cause::injected).worker, worker_id{6});
  begin(6, free);
  EXPECT_EQ(victims(1).size(), 7U);
  EXPECT_TRUE(takes(1, free));
  EXPECT_FALSE(takes(1, left_half()));
  of(6).learn(ended{free, 1});
  EXPECT_EQ(victims(1), others(1, 1, 0));
}

/// How many rounds worker w makes until it looks into worker 0's mailbox, and what it then finds: `t`.
int rounds_until_fetch(worker_policy& w, task_tag const& t, int most) {
  for (int rounds = 0; rounds < most;) {
    probe const p = w.next_probe();
    bool const fetches = p.kind == action::steal && p.lane == lane::mailbox;
    if (fetches && w.admits(t.words[0])) {
      EXPECT_EQ(p.victim, worker_id{0});
      w.learn(probed{p, runtime::outcome::got});
      return rounds;
    }
    if (p.kind == action::rest) {
      ++rounds;
    } else {
      w.learn(probed{p, fetches ? runtime::outcome::barred : runtime::outcome::empty});
    }
  }
  return most;
}

TEST_F(stealing, a_root_that_worker_0_does_not_begin_is_fetched_and_then_free) {
  for (bool const steals : {true, false}) {
    restart(8, {.steal = steals});
    task_tag waiting_root{};
    ASSERT_EQ(of(3).place(waiting_root, cause::injected), on(0, lane::mailbox));
    int const rounds = rounds_until_fetch(of(5), waiting_root, 10'000);
    EXPECT_GT(rounds, 100) << "worker 0 gets the time to wake up";
    ASSERT_LT(rounds, 10'000);
    EXPECT_EQ(of(5).place(waiting_root, cause::stolen).worker, worker_id{5});
    EXPECT_TRUE(tag_fields::read(waiting_root).is_free);
    begin(5, waiting_root);
    task_tag const next = root(2);
    EXPECT_TRUE(tag_fields::read(next).is_root) << "the region has no root: the next one is";
    of(5).learn(ended{waiting_root, 1});
    of(0).learn(ended{next, 1});
  }
}

TEST_F(stealing, a_root_that_was_fetched_is_a_free_task_like_any_other_until_it_ends) {
  restart(8);
  task_tag fetched{};
  of(3).place(fetched, cause::injected);
  group_id const node = tag_fields::read(fetched).group;
  rounds_until_fetch(of(5), fetched, 10'000);
  of(5).place(fetched, cause::stolen);
  begin(5, fetched);
  EXPECT_FALSE(tag_fields::read(fetched).is_root);
  task_tag const next = root(2);
  EXPECT_EQ(tag_fields::read(next).group, node) << "it has given its node back";
  EXPECT_EQ(victims(1).size(), 7U) << "anybody may steal of it";
  of(5).learn(ended{fetched, 1});
  EXPECT_EQ(victims(1), others(1, 1, 0));
  task_tag another{};
  EXPECT_EQ(of(3).place(another, cause::injected), on(3, lane::inbox)) << "there is a root still";
}

TEST_F(stealing, a_root_that_waits_is_looked_for_once_in_so_many_rounds) {
  restart(8);
  task_tag waiting_root{};
  of(3).place(waiting_root, cause::injected);
  int looks = 0;
  for (int rounds = 0; rounds < 1600;) {
    probe const p = ask(of(5), runtime::outcome::barred);
    looks += p.kind == action::steal && p.lane == lane::mailbox ? 1 : 0;
    rounds += p.kind == action::rest ? 1 : 0;
  }
  EXPECT_EQ(looks, 3);
}

TEST_F(stealing, first_in_its_range_and_then_once_among_all_workers_if_there_are_free_tasks) {
  of(0).learn(waiting{});  // the quarters of workers 0 to 3 are active
  task_tag free{};
  of(6).place(free, cause::injected);
  fruitless_round(of(2));  // what it has begun
  for (int round = 0; round < 20; ++round) {
    int in_range = 0;
    int elsewhere = 0;
    for (probe const& p : fruitless_round(of(2))) {
      if (p.kind != action::steal || p.lane != lane::migrated) continue;
      ++(in_range < 3 ? in_range : elsewhere);
      EXPECT_TRUE(elsewhere > 0 || index(p.victim) < 4);
    }
    EXPECT_EQ(in_range, 3) << round;
    EXPECT_EQ(elsewhere, 1) << round;
  }
  // What it may take from the one is not what it may take from the others.
  int victims = 0;
  for (probe p = of(2).next_probe(); p.kind != action::rest; p = of(2).next_probe()) {
    if (p.kind == action::steal && p.lane == lane::migrated) ++victims;
    if (p.kind == action::steal) {
      EXPECT_TRUE(of(2).admits(free.words[0]));
      EXPECT_EQ(of(2).admits(quarters_.group.words[0]), victims < 4) << victims;
    }
    of(2).learn(probed{p, runtime::outcome::empty});
  }
}

TEST_F(stealing, of_one_worker_there_is_nobody_to_steal_from) {
  restart(1);
  root();
  task_tag free{};
  of(0).place(free, cause::injected);
  EXPECT_EQ(victims(0), others(0, 1, 0));
}

TEST_F(stealing, a_root_that_has_begun_is_not_fetched) {
  restart(8);
  task_tag const begun_root = root(3);
  EXPECT_EQ(rounds_until_fetch(of(5), begun_root, 3000), 3000);
}

TEST_F(stealing, after_a_catch_or_a_lost_race_the_round_goes_on_as_it_should) {
  of(0).learn(waiting{});
  while (of(2).next_probe().kind != action::steal) ask(of(2), runtime::outcome::empty);
  EXPECT_EQ(ask(of(2), runtime::outcome::lost).lane, lane::migrated);
  EXPECT_EQ(ask(of(2), runtime::outcome::barred).lane, lane::local);
  EXPECT_EQ(ask(of(2), runtime::outcome::got).lane, lane::forks);
  EXPECT_EQ(of(2).next_probe(), (probe{.kind = action::pop, .lane = lane::mailbox, .victim = worker_id{2}}));
}

}}}}}  // namespace skua::v0::policies::adws
