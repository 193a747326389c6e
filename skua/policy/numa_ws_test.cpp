// SPDX-License-Identifier: MIT
#include "skua/policy/numa_ws.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <optional>
#include <utility>

#include "skua/policy/protocol_checker.hpp"
#include "skua/policy/script_for_test.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace {

using numa_ws::tag_fields;

/// Four places of four: workers 0..3, 4..7, 8..11, 12..15.
layout four_by_four() { return layout(topology::synthetic("package:4 numa:1 core:4 pu:1")); }
std::uint32_t place_index(worker_id w) { return index(w) / 4; }

task_tag at_place(std::uint32_t p) {
  task_tag t;
  tag_fields{.place = place_id{p}}.write(t);
  return t;
}
placement runs_here(std::uint32_t w) { return {.worker = worker_id{w}, .lane = lane::inbox}; }

// ---- hints [numa-ws-2018 III-A] --------------------------------------------------------------------------------------

TEST(numa_ws, a_child_is_where_it_says_or_where_its_parent_is) {
  numa_aware_stealing p(four_by_four(), 1);
  worker_policy& m = p.of_worker(worker_id{5});
  task_tag parent = at_place(2);
  task_tag const before = parent;
  EXPECT_EQ(tag_fields::read(m.mark(parent, {})).place, place_id{2});
  EXPECT_EQ(tag_fields::read(m.mark(parent, as_hint(work{3}))).place, place_id{2});
  EXPECT_EQ(tag_fields::read(m.mark(parent, as_hint(at{place_id{0}}))).place, place_id{0});
  EXPECT_EQ(tag_fields::read(m.mark(parent, as_hint(at{anywhere}))).place, std::nullopt);
  EXPECT_EQ(tag_fields::read(m.mark(parent, as_hint(at{place_id{4}}))).place, std::nullopt) << "no such place";
  EXPECT_EQ(parent, before) << "a sibling's hint is not inherited";
  task_tag nobody{};
  EXPECT_EQ(tag_fields::read(m.mark(nobody, {})).place, std::nullopt);
  task_tag grandchild = m.mark(parent, as_hint(at{place_id{3}}));
  EXPECT_EQ(tag_fields::read(m.mark(grandchild, {})).place, place_id{3});
}

TEST(numa_ws, an_address_without_a_place_is_one_of_the_place_of_the_worker_that_it_maps_to) {
  numa_aware_stealing p(four_by_four(), 1);
  worker_policy& m = p.of_worker(worker_id{5});
  task_tag parent = at_place(2);
  for (std::uint32_t w = 0; w < 16; ++w) {
    task_tag child = m.mark(parent, as_hint(address::of(w, 16)));
    EXPECT_EQ(tag_fields::read(child).place, place_id{w / 4});
    EXPECT_EQ(tag_fields::read(m.mark(child, {})).place, place_id{w / 4}) << "inherited as a place is";
  }
  EXPECT_EQ(tag_fields::read(m.mark(parent, address::at(0.9) | at{place_id{1}})).place, place_id{1});
}

TEST(numa_ws, a_child_starts_with_no_pushes_and_other_words_of_the_tag_are_left_alone) {
  numa_aware_stealing p(four_by_four(), 1);
  worker_policy& m = p.of_worker(worker_id{5});
  task_tag parent = at_place(2);
  parent.words[2] = 17;
  parent.words[3] = 18;
  m.place(parent, cause::stolen);
  ASSERT_EQ(tag_fields::read(parent).pushes, 1U);
  task_tag const child = m.mark(parent, {});
  EXPECT_EQ(tag_fields::read(child).pushes, 0U);
  EXPECT_EQ(tag_fields::read(child).receiver, std::nullopt);
  EXPECT_EQ(child.words[2], 17U);
  EXPECT_EQ(child.words[3], 18U);
}

TEST(numa_ws, forks_are_never_exposed_and_never_sent_whatever_their_hint) {
  numa_aware_stealing p(four_by_four(), 1);
  worker_policy& m = p.of_worker(worker_id{5});
  m.learn(begun{.task = at_place(3)});
  EXPECT_FALSE(m.sees_forks());
  task_tag child = at_place(3);
  EXPECT_EQ(m.place(child, cause::forked), (placement{.worker = worker_id{5}, .lane = lane::forks}));
  EXPECT_EQ(child, at_place(3));
}

TEST(numa_ws, the_root_starts_on_worker_0_or_at_its_place) {
  numa_aware_stealing p(four_by_four(), 1);
  task_tag root{};
  EXPECT_EQ(p.of_worker(worker_id{0}).place(root, cause::injected), runs_here(0));
  worker_policy& m = p.of_worker(worker_id{9});
  EXPECT_EQ(m.place(root, cause::injected), (placement{.worker = worker_id{0}, .lane = lane::mailbox}));
  EXPECT_EQ(m.place(root, cause::refused), runs_here(9)) << "worker 0 has one waiting: no second try";
  task_tag third = at_place(3);
  placement const to = m.place(third, cause::injected);
  EXPECT_EQ(place_index(to.worker), 3U);
  EXPECT_EQ(to.lane, lane::mailbox);
}

// ---- pushing [numa-ws-2018 III-B] ------------------------------------------------------------------------------------

TEST(numa_ws, what_is_at_home_or_nowhere_in_particular_stays_in_the_hands_that_hold_it) {
  numa_aware_stealing p(four_by_four(), 1);
  for (std::uint32_t w = 0; w < 16; ++w) {
    for (cause const why : {cause::stolen, cause::resumed, cause::refused}) {
      task_tag mine = at_place(w / 4);
      EXPECT_EQ(p.of_worker(worker_id{w}).place(mine, why), runs_here(w));
      task_tag nobodys{};
      EXPECT_EQ(p.of_worker(worker_id{w}).place(nobodys, why), runs_here(w));
    }
  }
}

TEST(numa_ws, what_belongs_elsewhere_is_pushed_into_a_slot_there_when_stolen_and_when_resumed) {
  numa_aware_stealing p(four_by_four(), 1);
  for (std::uint32_t w = 0; w < 16; ++w) {
    for (std::uint32_t home = 0; home < 4; ++home) {
      if (home == w / 4) continue;
      for (cause const why : {cause::stolen, cause::resumed}) {
        task_tag t = at_place(home);
        placement const to = p.of_worker(worker_id{w}).place(t, why);
        EXPECT_EQ(place_index(to.worker), home);
        EXPECT_EQ(to.lane, lane::mailbox);
        EXPECT_EQ(tag_fields::read(t).place, place_id{home});
      }
    }
  }
}

TEST(numa_ws, after_threshold_plus_one_pushes_the_pusher_runs_it) {
  for (std::uint32_t const threshold : {0U, 1U, 4U, 1000U}) {
    numa_aware_stealing p(four_by_four(), 7, {.threshold = threshold});
    worker_policy& m = p.of_worker(worker_id{1});
    for (cause const first : {cause::stolen, cause::resumed, cause::injected}) {
      task_tag t = at_place(2);
      std::uint32_t pushes = 0;
      placement to = m.place(t, first);
      for (; to.worker != worker_id{1}; to = m.place(t, cause::refused)) {
        ASSERT_EQ(to.lane, lane::mailbox);
        ASSERT_LE(++pushes, threshold + 1);
      }
      EXPECT_EQ(pushes, threshold + 1);
      EXPECT_EQ(tag_fields::read(t).pushes, 0U) << "it runs: the count begins anew";
    }
  }
}

TEST(numa_ws, the_count_goes_on_from_thief_to_thief_and_begins_anew_when_the_task_has_run) {
  numa_aware_stealing p(four_by_four(), 7, {.threshold = 4});
  task_tag t = at_place(3);
  for (std::uint32_t thief = 0; thief < 5; ++thief) {  // each takes it out of the slot where the one before put it
    EXPECT_EQ(place_index(p.of_worker(worker_id{thief}).place(t, cause::stolen).worker), 3U);
    EXPECT_EQ(tag_fields::read(t).pushes, thief + 1);
  }
  task_tag waited = t;
  EXPECT_EQ(p.of_worker(worker_id{5}).place(t, cause::stolen), runs_here(5));
  EXPECT_EQ(place_index(p.of_worker(worker_id{5}).place(waited, cause::resumed).worker), 3U) << "it ran, then waited";
  EXPECT_EQ(tag_fields::read(waited).pushes, 1U);
}

TEST(numa_ws, receivers_are_uniform_and_never_the_same_twice_running) {
  constexpr std::uint64_t seed = 12;
  constexpr std::uint32_t threshold = 50'000;
  numa_aware_stealing p(four_by_four(), seed, {.threshold = threshold});
  worker_policy& m = p.of_worker(worker_id{15});
  task_tag t = at_place(1);
  std::vector<std::uint64_t> firsts(4, 0);
  std::vector<std::uint64_t> steps(3, 0);
  std::uint32_t last = index(m.place(t, cause::stolen).worker) - 4;
  for (std::uint32_t i = 0; i < threshold; ++i) {
    std::uint32_t const now = index(m.place(t, cause::refused).worker) - 4;
    ASSERT_LT(now, 4U);
    ASSERT_NE(now, last);
    ++steps[(now - last + 4) % 4 - 1];
    last = now;
    task_tag fresh = at_place(1);
    ++firsts[index(m.place(fresh, cause::stolen).worker) - 4];
  }
  EXPECT_LT(chi_square(firsts), chi_square_limit(4)) << "seed " << seed;
  EXPECT_LT(chi_square(steps), chi_square_limit(3)) << "seed " << seed;
}

// ---- the search [numa-ws-2018 III-B, IV] -----------------------------------------------------------------------------

TEST(numa_ws, own_deque_then_own_slot_then_victims_then_outside) {
  numa_aware_stealing p(four_by_four(), 3);
  std::vector<probe> const round = fruitless_round(p.of_worker(worker_id{6}));
  auto const own = [](lane l) { return probe{.kind = action::pop, .lane = l, .victim = worker_id{6}}; };
  ASSERT_GE(round.size(), 6U);
  EXPECT_EQ(round[0], own(lane::spawned));
  EXPECT_EQ(round[1], own(lane::inbox));
  EXPECT_EQ(round[2], own(lane::mailbox));
  EXPECT_EQ(round[3].kind, action::steal);
  EXPECT_EQ(round[round.size() - 2], own(lane::injected));
  EXPECT_EQ(round.back().kind, action::rest);
}

TEST(numa_ws, a_coin_decides_between_a_victims_deque_and_its_slot_and_an_empty_slot_leads_to_the_deque) {
  constexpr std::uint64_t seed = 5;
  numa_aware_stealing p(four_by_four(), seed);
  worker_policy& m = p.of_worker(worker_id{6});
  std::vector<std::uint64_t> coin(2, 0);
  std::vector<std::uint64_t> pairs(4, 0);
  std::size_t before = 0;
  for (int i = 0; i < 5000; ++i) {
    std::vector<probe> const round = fruitless_round(m);
    for (std::size_t k = 0; k < round.size(); ++k) {
      if (round[k].kind != action::steal) continue;
      bool const tails = round[k].lane == lane::mailbox;
      if (tails) {
        ASSERT_EQ(round[k + 1], (probe{.kind = action::steal, .lane = lane::forks, .victim = round[k].victim}));
        ++k;
      }
      ASSERT_EQ(round[k].lane, lane::forks);
      ASSERT_EQ(round[k + 1], (probe{.kind = action::steal, .lane = lane::spawned, .victim = round[k].victim}));
      ++k;
      ++coin[tails ? 1 : 0];
      ++pairs[before * 2 + (tails ? 1 : 0)];
      before = tails ? 1 : 0;
    }
  }
  EXPECT_EQ(coin[0] + coin[1], 5000U * 16) << "as many victims in a round as there are workers";
  EXPECT_LT(chi_square(coin), chi_square_limit(2)) << "seed " << seed;
  EXPECT_LT(chi_square(pairs), chi_square_limit(4)) << "seed " << seed;
}

TEST(numa_ws, as_released_looks_into_the_slot_of_every_victim_first) {
  numa_aware_stealing p(four_by_four(), 5, {.as_released = true});
  EXPECT_EQ(p.name(), "numa-ws:as-released");
  std::vector<probe> const round = fruitless_round(p.of_worker(worker_id{6}));
  std::vector<std::uint32_t> const slots = victims_of(round, lane::mailbox);
  EXPECT_EQ(slots.size(), 16U);
  EXPECT_EQ(slots, victims_of(round, lane::forks));
  EXPECT_EQ(slots, victims_of(round, lane::spawned));
}

TEST(numa_ws, local_steals_from_nobody_at_another_place) {
  numa_aware_stealing p(four_by_four(), 5, {.local = true});
  for (std::uint32_t self = 0; self < 16; ++self) {
    for (probe const& tried : fruitless_round(p.of_worker(worker_id{self}))) {
      EXPECT_EQ(place_index(tried.victim), self / 4);
    }
  }
}

TEST(numa_ws, victims_are_biased_by_distance) {
  constexpr std::uint64_t seed = 8;
  numa_aware_stealing p(four_by_four(), seed, {.bias = 3});
  std::uint64_t local = 0;
  std::uint64_t all = 0;
  for (int i = 0; i < 5000; ++i) {
    for (std::uint32_t const v : victims_of(fruitless_round(p.of_worker(worker_id{6})))) {
      ++all;
      if (v / 4 == 1) ++local;
    }
  }
  double const expected = 3 * 9.0 / (3 * 9.0 + 12 * 3.0);  // all other packages are equally far: one class, "near"
  double const sigma = std::sqrt(static_cast<double>(all) * expected * (1 - expected));
  EXPECT_NEAR(static_cast<double>(local), static_cast<double>(all) * expected, 5 * sigma) << "seed " << seed;
}

TEST(numa_ws, a_catch_begins_a_new_round_and_an_idle_worker_answers_the_outside_first) {
  numa_aware_stealing p(four_by_four(), 3);
  worker_policy& m = p.of_worker(worker_id{6});
  fruitless_round(m);
  for (int i = 0; i < 3; ++i) ask(m, runtime::outcome::empty);
  EXPECT_EQ(ask(m, runtime::outcome::got).lane, lane::injected);
  for (int i = 0; i < 3; ++i) ask(m, runtime::outcome::empty);
  EXPECT_EQ(ask(m, runtime::outcome::got).kind, action::steal) << "it had work: what is inside comes first";
  EXPECT_EQ(m.next_probe().lane, lane::spawned);
}

// ---- load balance before locality [numa-ws-2018 III-B] ---------------------------------------------------------------

/// A machine of numbers: one deque of equal tasks on worker 0, one slot per worker, steals that take one tick.
class toy {
 public:
  toy(policy& p, std::uint32_t workers, std::uint32_t tasks, task_tag const& t, std::uint32_t ticks_per_task)
      : policy_(p, workers, {.of_machine = false}), slots_(workers), busy_until_(workers, 0), deque_(tasks, t),
        left_(tasks), price_(ticks_per_task) {}

  std::uint64_t run() {
    while (left_ > 0 && now_ < 1'000'000) {
      for (std::uint32_t w = 0; w < slots_.size(); ++w) {
        if (busy_until_[w] <= now_ && left_ > 0) step(worker_id{w});
      }
      ++now_;
    }
    return now_;
  }
  std::uint64_t steals = 0;
  std::uint64_t pushes = 0;

 private:
  void step(worker_id w) {
    worker_policy& m = policy_.of_worker(w);
    probe const p = m.next_probe();
    std::optional<task_tag> got;
    if (p.lane == lane::mailbox) {
      got = std::exchange(slots_[index(p.victim)], {});
    } else if (index(p.victim) == 0 && (p.lane == lane::forks || p.lane == lane::spawned) && !deque_.empty()) {
      got = deque_.front();
      deque_.pop_front();
    }
    m.learn(probed{p, got ? runtime::outcome::got : runtime::outcome::empty});
    if (!got) return;
    if (p.kind == action::steal && !keeps(w, *got)) return;
    busy_until_[index(w)] = now_ + price_;
    --left_;
  }

  /// After a steal. False: it lies in another worker's slot now.
  bool keeps(worker_id w, task_tag t) {
    ++steals;
    worker_policy& m = policy_.of_worker(w);
    for (placement to = m.place(t, cause::stolen); to.worker != w; to = m.place(t, cause::refused)) {
      EXPECT_EQ(to.lane, lane::mailbox);
      ++pushes;
      if (slots_[index(to.worker)]) continue;
      slots_[index(to.worker)] = t;
      return false;
    }
    return true;
  }

  protocol_checker policy_;
  std::vector<std::optional<task_tag>> slots_;
  std::vector<std::uint64_t> busy_until_;
  std::deque<task_tag> deque_;
  std::uint64_t left_;
  std::uint64_t now_ = 0;
  std::uint32_t price_;
};

TEST(numa_ws, work_that_is_all_hinted_to_one_place_is_shared_by_all_workers_nearly_as_fast_as_without_hints) {
  for (bool const as_released : {false, true}) {
    numa_aware_stealing plain(four_by_four(), 21, {.as_released = as_released});
    numa_aware_stealing hinted(four_by_four(), 21, {.as_released = as_released});
    toy without(plain, 16, 1600, {}, 2000);
    toy with(hinted, 16, 1600, at_place(2), 2000);
    auto const best = static_cast<double>(without.run());
    auto const seen = static_cast<double>(with.run());
    EXPECT_LE(best, 1.1 * 1600 / 16 * 2000);
    EXPECT_LE(0.9 * seen, best);
    EXPECT_GT(with.pushes, 0U);
    EXPECT_LE(with.pushes, 5 * with.steals);
  }
}

TEST(numa_ws, a_task_in_the_slot_of_a_busy_worker_is_run_by_others_in_the_end) {
  layout const one_each{topology::synthetic("package:4 numa:1 core:1")};
  numa_aware_stealing p(one_each, 2);
  task_tag t = at_place(3);
  std::optional<task_tag> slot_of_3;
  ASSERT_EQ(p.of_worker(worker_id{0}).place(t, cause::stolen).worker, worker_id{3});
  slot_of_3 = t;
  std::uint32_t pushes = 1;
  bool ran = false;
  for (int probes = 0; probes < 10'000 && !ran; ++probes) {  // worker 3 is busy for good
    worker_policy& m = p.of_worker(worker_id{static_cast<std::uint32_t>(probes) % 3});
    probe const tried = m.next_probe();
    bool const hit = tried == probe{.kind = action::steal, .lane = lane::mailbox, .victim = worker_id{3}};
    m.learn(probed{tried, hit ? runtime::outcome::got : runtime::outcome::empty});
    if (!hit) continue;
    ran = m.place(*slot_of_3, cause::stolen).worker != worker_id{3};
    if (!ran) ++pushes;
  }
  EXPECT_TRUE(ran);
  EXPECT_EQ(pushes, 5U);
}

}}}}  // namespace skua::v0::policies
