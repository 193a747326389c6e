// SPDX-License-Identifier: MIT
#include "skua/policy/arms/arms.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "skua/policy/arms/example_test.hpp"
#include "skua/policy/arms/runs_for_test.hpp"
#include "skua/policy/script_for_test.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace {

using namespace arms_runs;

// ---- tags and hints ------------------------------------------------------------------------------------------------------

TEST(arms, a_child_has_its_own_address_or_its_parents_and_only_its_own_type) {
  adaptive_moldable p(figure_4(), 1);
  worker_policy& m = p.of_worker(worker_id{5});
  task_tag root{};
  task_tag parent = m.mark(root, address::at(0.3) | moldable);
  task_tag const before = parent;
  EXPECT_EQ(tag_fields::read(parent).address, address::at(0.3));
  EXPECT_EQ(tag_fields::read(parent).type, moldable);
  tag_fields const child = tag_fields::read(m.mark(parent, {}));
  EXPECT_EQ(child.address, address::at(0.3));
  EXPECT_EQ(child.type, std::nullopt);
  EXPECT_EQ(tag_fields::read(m.mark(parent, as_hint(address::at(0)))).address, address::at(0));
  EXPECT_EQ(tag_fields::read(m.mark(parent, as_hint(single))).type, single);
  EXPECT_EQ(parent, before) << "a sibling's hint is not inherited";
  task_tag nothing{};
  EXPECT_EQ(m.mark(nothing, {}), task_tag{});
}

TEST(arms, what_a_thief_sees_is_enough_to_inherit_and_to_judge) {
  adaptive_moldable p(figure_4(), 1);
  task_tag none{};
  task_tag const full = p.of_worker(worker_id{0}).mark(none, address::at(0.7) | moldable);
  tag_fields const seen = tag_fields::read(task_tag{{full.words[0]}});
  EXPECT_EQ(seen.address, address::at(0.7));
  EXPECT_EQ(seen.type, moldable);
  EXPECT_EQ(seen.chosen, std::nullopt);
  tag_fields const all{
      .address = address::at(1), .type = {{.number = 65'535}}, .chosen = arms::partition_id{13}, .key = 31};
  tag_fields const again = tag_fields::read(all.written());
  EXPECT_EQ(again.address, all.address);
  EXPECT_EQ(again.type, all.type);
  EXPECT_EQ(again.chosen, all.chosen);
  EXPECT_EQ(again.key, all.key);
}

TEST(arms, a_place_is_an_address_in_its_middle_unless_the_inherited_one_is_inside) {
  adaptive_moldable p(figure_4(), 1);
  worker_policy& m = p.of_worker(worker_id{0});
  task_tag none{};
  task_tag at_1 = m.mark(none, as_hint(at{place_id{1}}));
  EXPECT_EQ(m.place(at_1, cause::released), queued(6));
  task_tag in_1 = m.mark(none, as_hint(address::at(0.55)));
  EXPECT_EQ(tag_fields::read(m.mark(in_1, as_hint(at{place_id{1}}))).address, address::at(0.55));
  task_tag moved = m.mark(in_1, as_hint(at{place_id{0}}));
  EXPECT_EQ(m.place(moved, cause::released), queued(2));
  EXPECT_EQ(tag_fields::read(m.mark(in_1, as_hint(at{anywhere}))).address, std::nullopt);
  EXPECT_EQ(tag_fields::read(m.mark(in_1, as_hint(at{place_id{2}}))).address, std::nullopt) << "no such place";
}

// ---- where a task starts [arms-2021 3.1] ---------------------------------------------------------------------------------

TEST(arms, a_task_starts_on_the_worker_at_its_address_whoever_releases_it) {
  adaptive_moldable p(figure_4(), 1);
  for (std::uint32_t by = 0; by < 8; ++by) {
    for (std::uint32_t home = 0; home < 8; ++home) {
      task_tag t = tag_of({.address = address::of(home, 8)});
      EXPECT_EQ(p.of_worker(worker_id{by}).place(t, cause::released), queued(home));
      t = tag_of(address::of(home, 8) | moldable);
      EXPECT_EQ(p.of_worker(worker_id{by}).place(t, cause::released), queued(home)) << "its width stays open";
      t = tag_of({.address = address::of(home, 8)});
      EXPECT_EQ(p.of_worker(worker_id{by}).place(t, cause::injected), by == home ? here(by) : queued(home));
    }
  }
}

TEST(arms, a_task_that_starts_again_has_its_width_still_to_be_chosen) {
  adaptive_moldable p(figure_4(), 1);
  for (cause const why : {cause::released, cause::seeded}) {
    task_tag t = tag_of(address::of(5, 8) | moldable);
    ASSERT_EQ(p.of_worker(worker_id{5}).place(t, cause::chosen).worker, worker_id{5});
    ASSERT_TRUE(tag_fields::read(t).chosen);
    EXPECT_EQ(p.of_worker(worker_id{0}).place(t, why), queued(5));
    EXPECT_EQ(t, tag_of(address::of(5, 8) | moldable));
  }
}

TEST(arms, a_task_without_an_address_stays_with_whoever_releases_it) {
  adaptive_moldable p(figure_4(), 1);
  worker_policy& m = p.of_worker(worker_id{5});
  task_tag t{};
  EXPECT_EQ(m.place(t, cause::released), (placement{.worker = worker_id{5}, .lane = lane::spawned}));
  EXPECT_EQ(m.place(t, cause::injected), here(5));
  EXPECT_EQ(m.place(t, cause::chosen), here(5));
  t = tag_of(as_hint(moldable));
  EXPECT_EQ(m.place(t, cause::released), queued(5)) << "only there does its tag go with it";
  for (cause const why : {cause::resumed, cause::called}) {
    t = tag_of(address::at(0) | moldable);
    EXPECT_EQ(m.place(t, why), here(5));
  }
  EXPECT_FALSE(m.sees_forks());
}

// ---- how wide it is [arms-2021 3.3.1] --------------------------------------------------------------------------------------

TEST(arms, a_moldable_task_tries_each_width_around_its_worker_then_takes_the_least_cost) {
  adaptive_moldable p(figure_4(), 1, by_product);
  task_tag const t = tag_of(address::of(5, 8) | moldable);
  auto const superlinear_for_two = [](std::uint16_t w) {
    return std::uint64_t{w == 1 ? 40'000U : w == 2 ? 15'000U : 12'000U};
  };
  EXPECT_EQ(runs(p, 5, t, superlinear_for_two(1)), here(5));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(runs(p, 5, t, superlinear_for_two(2)), team(4, 2));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(runs(p, 5, t, superlinear_for_two(4)), team(4, 4));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(runs(p, 5, t, superlinear_for_two(2)), team(4, 2));
  EXPECT_EQ(p.ended(moldable.number, 1), 1U);
  EXPECT_EQ(p.ended(moldable.number, 2), 23U);
  EXPECT_EQ(p.ended(moldable.number, 4), 3U);
  EXPECT_EQ(p.ended(moldable.number, 3), 0U);
  auto const led_by = [&](std::uint32_t leader, std::uint16_t width) {
    return p.ended(moldable.number, {.leader = worker_id{leader}, .width = width});
  };
  EXPECT_EQ(led_by(5, 1), 1U);
  EXPECT_EQ(led_by(4, 1), 0U);
  EXPECT_EQ(led_by(4, 2), 23U);
  EXPECT_EQ(led_by(4, 4), 3U);
  EXPECT_EQ(led_by(4, 3) + led_by(5, 2) + led_by(8, 1) + led_by(0, 8), 0U) << "no partitions";
  EXPECT_EQ(p.ended(single.number, 1), 0U);
  EXPECT_EQ(p.time_ns(moldable.number, address::of(5, 8), arms::partition_id{5}), 40'000U);
}

TEST(arms, times_of_one_type_and_address_say_nothing_of_another) {
  adaptive_moldable p(figure_4(), 1, by_product);
  task_tag const t = tag_of(address::of(5, 8) | moldable);
  measure(p, 5, t, {40'000, 15'000, 12'000});
  EXPECT_EQ(runs(p, 5, tag_of(address::of(6, 8) | moldable), 1), here(5));
  EXPECT_EQ(runs(p, 5, tag_of(address::of(5, 8) | task_type{.number = 9, .moldable = 1}), 1), here(5));
  EXPECT_EQ(runs(p, 5, t, 15'000), team(4, 2));
}

TEST(arms, the_leader_counts_a_team_and_the_last_member_reports_its_time) {
  adaptive_moldable p(figure_4(), 1, by_product);
  task_tag t = tag_of(address::of(0, 8) | moldable);
  runs(p, 0, t, 10'000);
  ASSERT_EQ(p.of_worker(worker_id{0}).place(t, cause::chosen), team(0, 2));
  p.of_worker(worker_id{1}).learn(begun{.task = t});
  p.of_worker(worker_id{0}).learn(ended{.task = t, .duration_ns = 5'000});
  EXPECT_EQ(p.ended(moldable.number, 2), 1U);
  EXPECT_EQ(p.time_ns(moldable.number, address::of(0, 8), arms::partition_id{8}), 0U) << "the team has not ended";
  p.of_worker(worker_id{1}).learn(team_ended{.task = t, .duration_ns = 7'700});
  p.of_worker(worker_id{1}).learn(ended{.task = t, .duration_ns = 200});
  EXPECT_EQ(p.ended(moldable.number, 2), 1U);
  EXPECT_EQ(p.time_ns(moldable.number, address::of(0, 8), arms::partition_id{8}), 7'700U);
}

TEST(arms, what_is_not_moldable_runs_alone_and_so_does_everything_under_width_1) {
  adaptive_moldable p(figure_4(), 1, by_product);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(runs(p, 2, tag_of(address::of(2, 8) | single), 100), here(2));
  EXPECT_EQ(p.ended(single.number, 1), 5U);
  adaptive_moldable one(figure_4(), 1, {.width = 1});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(runs(one, 2, tag_of(address::of(2, 8) | moldable), 100), here(2));
  adaptive_moldable two(figure_4(), 1, {.width = 2});
  std::set<std::uint16_t> widths;
  for (int i = 0; i < 500; ++i) widths.insert(runs(two, 2, tag_of(address::of(2, 8) | moldable), 10'000).width);
  EXPECT_EQ(widths, (std::set<std::uint16_t>{1, 2})) << "trials obey as well";
}

TEST(arms, a_thief_chooses_among_its_own_partitions) {
  adaptive_moldable p(figure_4(), 1, by_product);
  task_tag const t = tag_of(address::of(1, 8) | moldable);
  measure(p, 1, t, {40'000, 15'000, 12'000});
  task_tag stolen = t;
  EXPECT_EQ(p.of_worker(worker_id{6}).place(stolen, cause::stolen), here(6)) << "its own are not measured yet";
  task_tag near = t;
  EXPECT_EQ(p.of_worker(worker_id{0}).place(near, cause::stolen), here(0)) << "[0, 1] is not";
  EXPECT_EQ(runs(p, 0, t, 40'000), here(0));
  EXPECT_EQ(p.of_worker(worker_id{0}).place(near, cause::stolen), team(0, 2));
}

TEST(arms, a_refused_width_runs_alone_and_is_measured_as_such) {
  adaptive_moldable p(figure_4(), 1, by_product);
  worker_policy& m = p.of_worker(worker_id{0});
  task_tag t = tag_of(address::of(0, 8) | moldable);
  runs(p, 0, t, 10'000);
  ASSERT_EQ(m.place(t, cause::chosen), team(0, 2));
  EXPECT_EQ(m.place(t, cause::refused), here(0));
  m.learn(ended{.task = t, .duration_ns = 20'000});
  EXPECT_EQ(p.time_ns(moldable.number, address::of(0, 8), arms::partition_id{0}), 12'000U);
  EXPECT_EQ(p.time_ns(moldable.number, address::of(0, 8), arms::partition_id{8}), 0U);
}

TEST(arms, what_fails_teaches_no_time) {
  adaptive_moldable p(figure_4(), 1);
  worker_policy& m = p.of_worker(worker_id{0});
  task_tag t = tag_of(address::of(0, 8) | moldable);
  auto const time = [&](std::uint32_t partition) {
    return p.time_ns(moldable.number, address::of(0, 8), arms::partition_id{partition});
  };
  ASSERT_EQ(m.place(t, cause::chosen), here(0));
  m.learn(part_ended{.task = t, .duration_ns = 10, .failed = true});
  m.learn(ended{.task = t, .duration_ns = 10, .failed = true});
  EXPECT_EQ(time(0), 0U);
  m.learn(part_ended{.task = t, .duration_ns = 4000});
  EXPECT_EQ(time(0), 4000U);
  ASSERT_EQ(m.place(t, cause::chosen), team(0, 2));
  for (std::uint32_t const w : {0U, 1U})
    p.of_worker(worker_id{w}).learn(ended{.task = t, .duration_ns = 10, .failed = w == 1});
  EXPECT_EQ(p.ended(moldable.number, 2), 1U);
  EXPECT_EQ(time(8), 0U) << "only the machine knows when the team ended";
}

TEST(arms, partners_without_work_are_free_under_cost_idle) {
  adaptive_moldable p(figure_4(), 1, {.cost = arms::cost::idle});
  task_tag const t = tag_of(address::of(0, 8) | moldable);
  measure(p, 0, t, {40'000, 25'000, 24'000});
  for (std::uint32_t w = 0; w < 4; ++w) fruitless_round(p.of_worker(worker_id{w}));
  EXPECT_EQ(runs(p, 0, t, 24'000), team(0, 4));
  for (std::uint32_t const w : {2U, 3U}) p.of_worker(worker_id{w}).learn(begun{});
  EXPECT_EQ(runs(p, 0, t, 25'000), team(0, 2));
  p.of_worker(worker_id{1}).learn(begun{});
  EXPECT_EQ(runs(p, 0, t, 40'000), here(0));
}

/// Worker 1 runs a task of another region.
struct another_region final : machine_view {
  [[nodiscard]] bool works_elsewhere(worker_id w) const noexcept override { return w == worker_id{1}; }
  [[nodiscard]] std::uint64_t ready_frame(worker_id) const noexcept override { return 0; }
};

TEST(arms, a_partner_that_works_in_another_region_is_busy) {
  another_region const machine;
  adaptive_moldable p(figure_4(), 1);
  task_tag const t = tag_of(address::of(0, 8) | moldable);
  measure(p, 0, t, {40'000, 25'000, 24'000});
  EXPECT_EQ(runs(p, 0, t, 24'000), team(0, 4));
  p.watch(machine);
  EXPECT_EQ(runs(p, 0, t, 40'000), here(0));
}

TEST(arms, a_node_that_releases_another_is_a_free_partner) {
  adaptive_moldable p(figure_4(), 1);
  task_tag t = tag_of(address::of(0, 8) | moldable);
  measure(p, 0, t, {40'000, 25'000, 26'000});
  task_tag before = t;
  EXPECT_EQ(p.of_worker(worker_id{1}).place(before, cause::stolen).worker, worker_id{1});
  p.of_worker(worker_id{1}).learn(begun{.task = before});
  EXPECT_EQ(runs(p, 0, t, 40'000), here(0));
  t = p.of_worker(worker_id{1}).mark(before, address::of(0, 8) | moldable);
  task_tag spawned = t;
  EXPECT_EQ(p.of_worker(worker_id{1}).place(spawned, cause::released), queued(0));
  EXPECT_EQ(runs(p, 0, t, 40'000), here(0)) << "worker 1 still runs the task that has spawned this one";
  EXPECT_EQ(p.of_worker(worker_id{1}).place(t, cause::unblocked), queued(0));
  EXPECT_EQ(runs(p, 0, t, 25'000), team(0, 2)) << "worker 1 has nothing else, though its task has not ended yet";
}

TEST(arms, a_node_keeps_the_first_of_its_successors_that_belong_there_where_no_thief_looks) {
  adaptive_moldable p(figure_4(), 1);
  worker_policy& m = p.of_worker(worker_id{0});
  task_tag node = tag_of(address::of(0, 8) | single);
  EXPECT_EQ(m.place(node, cause::chosen), here(0));
  m.learn(begun{.task = node});
  auto const released = [&](hint const& h) {
    task_tag t = m.mark(node, h);
    return m.place(t, cause::unblocked);
  };
  placement const next{.worker = worker_id{0}, .lane = lane::local};
  EXPECT_EQ(released(address::of(1, 8) | single), queued(1)) << "it belongs elsewhere";
  EXPECT_EQ(released(as_hint(address::of(0, 8))), next);
  EXPECT_EQ(released(address::of(0, 8) | single), queued(0)) << "others may take the second one";
  m.learn(ended{.task = node, .duration_ns = 100});
  m.learn(probed{{.kind = action::pop, .lane = lane::local, .victim = worker_id{0}}, runtime::outcome::got});
  EXPECT_EQ(released(address::of(0, 8) | single), next) << "the first one is under way";
  fruitless_round(m);
  EXPECT_EQ(released(address::of(0, 8) | single), next) << "it is not there: a machine had no memory for it";
  m.learn(ended{.task = node, .duration_ns = 100});
  EXPECT_EQ(m.place(node, cause::next), here(0));
  m.learn(begun{.task = node});
  EXPECT_EQ(released(address::of(0, 8) | single), next) << "the machine went on with it";
}

TEST(arms, a_next_task_behind_a_member_of_a_team_is_for_thieves) {
  adaptive_moldable p(figure_4(), 1);
  worker_policy& m = p.of_worker(worker_id{0});
  task_tag node = tag_of(address::of(0, 8) | single);
  EXPECT_EQ(m.place(node, cause::chosen), here(0));
  m.learn(begun{.task = node});
  task_tag next = m.mark(node, address::of(0, 8) | single);
  EXPECT_EQ(m.place(next, cause::unblocked).lane, lane::local);
  m.learn(ended{.task = node, .duration_ns = 100});
  m.learn(probed{{.kind = action::pop, .lane = lane::inbox, .victim = worker_id{0}}, runtime::outcome::got});
  EXPECT_EQ(m.place(next, cause::bypassed), queued(0));
  task_tag member = tag_of(address::of(0, 8) | moldable);
  m.learn(begun{.task = member});
  EXPECT_EQ(m.place(next, cause::unblocked).lane, lane::local) << "the lane is free again";
}

TEST(arms, what_a_running_task_spawns_waits_where_thieves_look) {
  adaptive_moldable p(figure_4(), 1);
  worker_policy& m = p.of_worker(worker_id{5});
  for (hint const& h : {hint{}, address::of(5, 8) | single}) {
    task_tag root{};
    task_tag parent = m.mark(root, h);
    EXPECT_EQ(m.place(parent, cause::chosen), here(5));
    m.learn(begun{.task = parent});
    task_tag child = m.mark(parent, as_hint(address::of(5, 8)));
    EXPECT_EQ(m.place(child, cause::released), queued(5)) << "the parent may run on for long";
    child = m.mark(parent, as_hint(address::of(5, 8)));
    EXPECT_EQ(m.place(child, cause::unblocked).lane, lane::local) << "now it has returned";
    m.learn(ended{.task = parent, .duration_ns = 100});
    fruitless_round(m);
  }
}

TEST(arms, a_layout_file_decides_which_widths_there_are) {
  auto const file = arms::partitions::read("layout", "0,1,2\n1,3\n1\n1\n");
  adaptive_moldable p(layout::flat(3), file, 1);
  task_tag const t = tag_of(address::of(2, 3) | moldable);
  EXPECT_EQ(runs(p, 2, t, 10'000), here(2));
  EXPECT_EQ(runs(p, 2, t, 10'000), team(0, 3));
}

// ---- the search [arms-2021 3.3.2] ------------------------------------------------------------------------------------------

TEST(arms, the_inbox_comes_first_and_the_own_queue_before_any_steal) {
  adaptive_moldable p(figure_4(), 1);
  auto const round = fruitless_round(p.of_worker(worker_id{3}));
  std::vector<lane> own;
  for (probe const& q : round) {
    if (q.kind == action::steal) break;
    own.push_back(q.lane);
  }
  EXPECT_EQ(own, (std::vector{lane::inbox, lane::spawned, lane::local, lane::migrated}));
}

TEST(arms, neighbours_are_tried_in_turn_from_the_next_one_on) {
  adaptive_moldable p(figure_4(), 1, {.idle_tries = 1000});
  using list = std::vector<std::uint32_t>;
  EXPECT_EQ(victims_of(fruitless_round(p.of_worker(worker_id{3}))), (list{0, 1, 2}));
  EXPECT_EQ(victims_of(fruitless_round(p.of_worker(worker_id{0}))), (list{1, 2, 3}));
  EXPECT_EQ(victims_of(fruitless_round(p.of_worker(worker_id{5}))), (list{6, 7, 4}));
  EXPECT_TRUE(victims_of(fruitless_round(p.of_worker(worker_id{5})), lane::local).empty()) << "what a worker runs next";
  for (lane const l : {lane::migrated, lane::spawned})
    EXPECT_EQ(victims_of(fruitless_round(p.of_worker(worker_id{5})), l), (list{6, 7, 4})) << name_of(l);
}

TEST(arms, after_idle_tries_of_neighbours_one_random_outsider_is_tried_in_each_round) {
  for (auto const& [tries, rounds] : {std::pair{0U, 0}, std::pair{3U, 0}, std::pair{4U, 1}, std::pair{10U, 3}}) {
    adaptive_moldable p(figure_4(), 7, {.idle_tries = tries});
    worker_policy& m = p.of_worker(worker_id{5});
    for (int i = 0; i < rounds; ++i) EXPECT_EQ(victims_of(fruitless_round(m)).size(), 3U);
    std::set<std::uint32_t> outsiders;
    for (int i = 0; i < 200; ++i) {
      auto const victims = victims_of(fruitless_round(m));
      ASSERT_EQ(victims.size(), 4U);
      outsiders.insert(victims.back());
    }
    EXPECT_EQ(outsiders, (std::set<std::uint32_t>{0, 1, 2, 3}));
    ask(m, runtime::outcome::got);
    EXPECT_EQ(victims_of(fruitless_round(m)).size(), rounds > 0 ? 3U : 4U) << "something was found: near ones again";
  }
}

TEST(arms, a_worker_that_shares_no_partition_tries_outsiders_as_well) {
  adaptive_moldable p(layout::flat(3), arms::partitions::read("layout", "0,1,2\n1\n1\n1\n"), 1);
  worker_policy& m = p.of_worker(worker_id{1});
  for (int i = 0; i < 9; ++i) EXPECT_EQ(victims_of(fruitless_round(m)).size(), 0U);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(victims_of(fruitless_round(m)).size(), 1U);
}

TEST(arms, where_all_share_a_partition_nobody_is_an_outsider_and_nothing_is_left_alone) {
  adaptive_moldable p(layout::flat(4), 1);
  worker_policy& m = p.of_worker(worker_id{1});
  EXPECT_FALSE(m.is_choosy());
  for (int i = 0; i < 50; ++i) EXPECT_EQ(victims_of(fruitless_round(m)), (std::vector<std::uint32_t>{2, 3, 0}));
  EXPECT_TRUE(adaptive_moldable(figure_4(), 1).of_worker(worker_id{0}).is_choosy());
  EXPECT_FALSE(adaptive_moldable(figure_4(), 1, {.idle_tries = 0, .threshold = 0}).of_worker(worker_id{0}).is_choosy());
  EXPECT_TRUE(fruitless_round(adaptive_moldable(layout::flat(1), 1).of_worker(worker_id{0})).back().kind ==
              action::rest);
}

/// Goes on until it steals from an outsider's queue; the answer on a task there. A rejection is reported.
bool takes_from_outside(worker_policy& m, task_tag const& task) {
  for (;;) {
    probe const p = m.next_probe();
    if (p.kind == action::rest) continue;
    bool const is_it = p.kind == action::steal && p.lane == lane::migrated && index(p.victim) < 4;
    if (!is_it) {
      EXPECT_TRUE(p.kind != action::steal || m.admits(task.words[0])) << "neighbours' tasks, forks and spawns";
      m.learn(probed{p, runtime::outcome::empty});
      continue;
    }
    bool const takes = m.admits(task.words[0]);
    m.learn(probed{p, takes ? runtime::outcome::got : runtime::outcome::barred});
    return takes;
  }
}

TEST(arms, a_task_from_outside_is_taken_only_by_the_globally_best_partition) {
  adaptive_moldable p(figure_4(), 1, {.idle_tries = 0, .threshold = 1000});
  task_tag const t = tag_of(address::of(1, 8) | moldable);
  worker_policy& thief = p.of_worker(worker_id{6});
  EXPECT_FALSE(takes_from_outside(thief, t)) << "nothing is known: it stays at its address";
  runs(p, 1, t, 40'000);
  EXPECT_FALSE(takes_from_outside(thief, t)) << "[1, 1] is best";
  runs(p, 6, t, 30'000);
  EXPECT_TRUE(takes_from_outside(thief, t)) << "[6, 1] is best";
  EXPECT_FALSE(takes_from_outside(p.of_worker(worker_id{5}), t)) << "5 is not in [6, 1]";
  ASSERT_EQ(runs(p, 6, t, 14'000), team(6, 2));
  EXPECT_TRUE(takes_from_outside(p.of_worker(worker_id{7}), t)) << "7 is in [6, 2]";
  runs(p, 1, t, 10'000);
  EXPECT_FALSE(takes_from_outside(thief, t)) << "[0, 2] is best";
}

TEST(arms, tasks_that_have_no_model_are_taken_from_outside) {
  adaptive_moldable p(figure_4(), 1, {.idle_tries = 0, .threshold = 1000});
  worker_policy& thief = p.of_worker(worker_id{6});
  EXPECT_TRUE(takes_from_outside(thief, {}));
  EXPECT_TRUE(takes_from_outside(thief, tag_of(as_hint(address::at(0)))));
  EXPECT_TRUE(takes_from_outside(thief, tag_of(as_hint(moldable))));
  EXPECT_FALSE(takes_from_outside(thief, tag_of(address::at(0) | moldable)));
}

TEST(arms, after_threshold_rejections_anything_is_taken_and_the_count_begins_anew) {
  for (std::uint32_t const threshold : {0U, 1U, 10U}) {
    adaptive_moldable p(figure_4(), 1, {.idle_tries = 0, .threshold = threshold});
    task_tag const t = tag_of(address::of(1, 8) | moldable);
    worker_policy& thief = p.of_worker(worker_id{6});
    for (int again = 0; again < 3; ++again) {
      for (std::uint32_t i = 0; i < threshold; ++i) EXPECT_FALSE(takes_from_outside(thief, t)) << i;
      EXPECT_TRUE(takes_from_outside(thief, t)) << threshold;
    }
    task_tag taken = t;
    EXPECT_EQ(thief.place(taken, cause::stolen), here(6)) << "with its own partitions";
  }
}

TEST(arms, the_power_law_judges_by_the_partitions_around_the_address) {
  adaptive_moldable p(figure_4(), 1, {.model = arms_model::power_law, .idle_tries = 0, .threshold = 1000});
  task_tag const t = tag_of(address::of(5, 8) | moldable);
  EXPECT_EQ(runs(p, 5, t, 40'000), here(5));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(runs(p, 5, t, 15'000), team(4, 2));
  EXPECT_EQ(runs(p, 5, t, 6'000), team(4, 4)) << "predicted, not tried";
  EXPECT_FALSE(takes_from_outside(p.of_worker(worker_id{6}), tag_of(address::of(1, 8) | moldable)));
}

}}}}  // namespace skua::v0::policies
