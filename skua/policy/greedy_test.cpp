// SPDX-License-Identifier: MIT
#include "skua/policy/greedy.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "skua/policy/protocol_checker.hpp"
#include "skua/policy/registry.hpp"
#include "skua/policy/script_for_test.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace {

constexpr probe pop_of(std::uint32_t w, lane where) {
  return {action::pop, where, where == lane::injected ? amount::half : amount::one, worker_id{w}};
}
constexpr probe steal_from(std::uint32_t w, lane where) { return {action::steal, where, amount::one, worker_id{w}}; }
constexpr probe rest_of(std::uint32_t w) { return {action::rest, lane::forks, amount::one, worker_id{w}}; }

/// What every greedy policy does, whichever victims it prefers.
class greedy : public testing::TestWithParam<char const*> {
 protected:
  worker_policy& of(std::uint32_t workers, std::uint32_t w) {
    // Scripts of outcomes leave out what a machine does with what it finds.
    policy_ = std::make_unique<protocol_checker>(make_policy(GetParam(), layout::flat(workers), 7), workers,
                                                 protocol_checks{.of_machine = false});
    return policy_->of_worker(worker_id{w});
  }

 private:
  std::unique_ptr<policy> policy_;
};

TEST_P(greedy, a_lone_worker_looks_at_its_own_lanes_and_outside_and_never_steals) {
  worker_policy& m = of(1, 0);
  EXPECT_EQ(fruitless_round(m),
            (std::vector{pop_of(0, lane::spawned), pop_of(0, lane::inbox), pop_of(0, lane::injected), rest_of(0)}));
}

TEST_P(greedy, of_two_workers_the_other_is_the_victim_forks_before_spawned) {
  worker_policy& m = of(2, 1);
  std::vector<probe> const round = fruitless_round(m);
  ASSERT_GE(round.size(), 4U);
  EXPECT_EQ(round[0], pop_of(1, lane::spawned));
  EXPECT_EQ(round[1], pop_of(1, lane::inbox));
  EXPECT_EQ(round[2], steal_from(0, lane::forks));
  EXPECT_EQ(round[3], steal_from(0, lane::spawned));
  EXPECT_EQ(round[round.size() - 2], pop_of(1, lane::injected));
  EXPECT_EQ(round.back(), rest_of(1));
  EXPECT_LE(victims_of(round).size(), 2U);
}

TEST_P(greedy, what_was_started_comes_before_what_is_new) {
  worker_policy& m = of(8, 3);
  std::vector<probe> const round = fruitless_round(m);
  for (std::size_t i = 0; i + 2 < round.size(); ++i) EXPECT_NE(round[i].lane, lane::injected) << "probe " << i;
}

TEST_P(greedy, after_a_rest_the_outside_is_asked_before_the_victims_and_again_after_them) {
  worker_policy& m = of(8, 3);
  fruitless_round(m);
  std::vector<probe> const second = fruitless_round(m);
  EXPECT_EQ(second[2], pop_of(3, lane::injected));
  EXPECT_EQ(second[3].kind, action::steal);
  EXPECT_EQ(second[second.size() - 2], pop_of(3, lane::injected));
}

TEST_P(greedy, a_catch_starts_over_with_the_own_lanes_wherever_it_was_made) {
  for (std::size_t catch_at = 0; catch_at < 12; ++catch_at) {
    worker_policy& m = of(8, 3);
    for (std::size_t i = 0; i < catch_at; ++i) ask(m, runtime::outcome::empty);
    ask(m, runtime::outcome::got);
    EXPECT_EQ(ask(m, runtime::outcome::empty), pop_of(3, lane::spawned)) << "caught at probe " << catch_at;
    EXPECT_EQ(ask(m, runtime::outcome::empty), pop_of(3, lane::inbox));
    EXPECT_EQ(ask(m, runtime::outcome::empty).kind, action::steal);
  }
}

TEST_P(greedy, a_lost_race_is_no_miss_and_never_leads_to_rest) {
  worker_policy& m = of(8, 3);
  for (int i = 0; i < 10'000; ++i) ASSERT_NE(ask(m, runtime::outcome::lost).kind, action::rest);
}

TEST_P(greedy, a_barred_lane_is_a_miss) {
  worker_policy& m = of(8, 3);
  EXPECT_EQ(fruitless_round(m, runtime::outcome::barred).back(), rest_of(3));
}

TEST_P(greedy, a_round_is_at_most_two_attempts_per_worker_and_every_worker_is_tried_in_time) {
  for (std::uint32_t const workers : {2U, 3U, 16U, 64U}) {
    worker_policy& m = of(workers, workers / 2);
    std::vector<bool> tried(workers, false);
    for (int rounds = 0; rounds < 40; ++rounds) {
      std::vector<probe> const round = fruitless_round(m);
      EXPECT_LE(victims_of(round).size() + victims_of(round, lane::spawned).size(), 2 * workers);
      for (std::uint32_t const v : victims_of(round)) {
        ASSERT_LT(v, workers);
        tried[v] = true;
      }
    }
    for (std::uint32_t v = 0; v < workers; ++v) EXPECT_EQ(tried[v], v != workers / 2) << v << " of " << workers;
  }
}

TEST_P(greedy, asking_twice_without_an_answer_repeats_the_question) {
  worker_policy& m = of(8, 3);
  for (int i = 0; i < 6; ++i) {
    probe const first = m.next_probe();
    EXPECT_EQ(m.next_probe(), first);
    m.learn(probed{first, runtime::outcome::empty});
  }
}

TEST_P(greedy, the_end_of_a_task_changes_nothing) {
  worker_policy& m = of(8, 3);
  for (int i = 0; i < 5; ++i) ask(m, runtime::outcome::empty);
  probe const before = m.next_probe();
  m.learn(ended{.task = {}, .duration_ns = 1000});
  EXPECT_EQ(m.next_probe(), before);
}

TEST_P(greedy, a_task_belongs_where_it_is) {
  worker_policy& m = of(8, 3);
  task_tag any;
  EXPECT_EQ(m.place(any, cause::forked), (placement{worker_id{3}, lane::forks, 1}));
  EXPECT_EQ(m.place(any, cause::released), (placement{worker_id{3}, lane::spawned, 1}));
  EXPECT_EQ(m.place(any, cause::seeded), (placement{worker_id{3}, lane::spawned, 1}));
  for (cause const why : {cause::stolen, cause::resumed, cause::refused, cause::injected}) {
    EXPECT_EQ(m.place(any, why).worker, worker_id{3});
    EXPECT_EQ(m.place(any, why).width, 1);
  }
  task_tag parent{{1, 2, 3, 4}};
  EXPECT_EQ(m.mark(parent, as_hint(work{5})), parent);
  EXPECT_FALSE(m.sees_forks());
}

TEST_P(greedy, same_seed_and_events_same_answers_and_another_seed_other_ones) {
  auto const answers = [](std::uint64_t seed) {
    auto const p = make_policy(GetParam(), layout::flat(16), seed);
    runtime::dice script(99);
    std::vector<probe> all;
    for (std::uint32_t i = 0; i < 5000; ++i) {
      all.push_back(ask(p->of_worker(worker_id{i % 16}), static_cast<runtime::outcome>(script.below(4))));
    }
    return all;
  };
  EXPECT_EQ(answers(1), answers(1));
  EXPECT_NE(answers(1), answers(2));
}

TEST_P(greedy, workers_of_one_policy_roll_their_own_dice) {
  auto const p = make_policy(GetParam(), layout::flat(64), 5);
  std::vector<std::vector<std::uint32_t>> walks;
  for (std::uint32_t const w : {10U, 11U}) {
    std::vector<std::uint32_t> relative = victims_of(fruitless_round(p->of_worker(worker_id{w})));
    for (std::uint32_t& v : relative) v = (v + 64 - w) % 64;
    walks.push_back(relative);
  }
  EXPECT_NE(walks[0], walks[1]);
}

INSTANTIATE_TEST_SUITE_P(policies, greedy, testing::Values("random", "hierarchical"),
                         [](auto const& each) { return std::string(each.param); });

}}}}  // namespace skua::v0::policies
