// SPDX-License-Identifier: MIT
// Finish regions in virtual time: the answers of the serial elision under any policy, and what strategies change.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "skua/machine/sim/live_runs_test.hpp"
#include "skua/machine/sim/simulate.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/policy/combinations_for_test.hpp"
#include "skua/policy/registry.hpp"
#include "skua/program/recorder.hpp"
#include "skua/program/serial.hpp"
#include "tests/programs/random_program.hpp"
#include "tests/programs/random_runs.hpp"

namespace skua { inline namespace v0 { namespace sim { namespace {

using regions = testing::random_program::regions;

/// A leaf takes its flops and one tick more, a task three; a comparison takes `compare` ticks.
class simple_costs final : public costs {
 public:
  explicit simple_costs(tick compare = 0) : compare_(compare) {}
  tick run(tick, worker_id, task_tree const& program, tree_node_id id) override {
    tree_node const& n = program[id];
    return n.kind == tree_node_kind::leaf ? static_cast<tick>(n.flops) + 1 : 3;
  }
  tick price(tick, operation what, worker_id w, worker_id whom) override {
    if (what == operation::compare) return compare_;
    return what == operation::wake_up ? 500 : w == whom ? 2 : 12;
  }

 private:
  tick compare_;
};

struct how_to_run {
  std::string_view policy = "strategies";
  std::uint32_t workers = 1;
  std::uint64_t seed = 1;
  std::uint32_t lost_per_mille = 0;
  tick compare = 0;
};

rules rules_of(how_to_run const& how) {
  rules by = sleepy(how.seed);
  by.lost_per_mille = how.lost_per_mille;
  return by;
}

template <class F>
simulation run_on(F&& f, how_to_run const& how) {
  layout const where = layout_of(how.workers);
  auto const scheduler = policies::make_policy(how.policy, where, how.seed);
  simple_costs prices(how.compare);
  observer nobody;
  return simulate(f, *scheduler, where, rules_of(how), prices, nobody);
}

std::uint64_t sum_of(simulation const& of, std::uint64_t worker_counters::* count) {
  std::uint64_t all = 0;
  for (worker_counters const& w : of.result.workers) all += w.*count;
  return all;
}

std::vector<std::string> all_policies() {
  std::vector<std::string> all = testing::policies_and_combinations();
  all.insert(all.end(), {"only:strategies:lifo", "strategies:lifo"});
  return all;
}

class finish_under : public ::testing::TestWithParam<std::string> {};

TEST_P(finish_under, random_programs_have_the_serial_answer) {
  testing::each_random_run(40, some_workers, [](std::uint64_t seed, std::uint32_t workers) {
    serial s;
    auto const places = static_cast<std::uint32_t>(seed % 3);
    std::uint64_t const right = testing::random_program(seed, 5, regions::with_strategies, places)(s);
    testing::random_program program(seed, 5, regions::with_strategies, places);
    std::uint64_t answer = 0;
    std::uint32_t const lost = seed % 2 == 0 ? 300 : 0;
    run_on([&](here& h) { answer = program(h); }, {GetParam(), workers, seed, lost, seed % 3});
    EXPECT_EQ(answer, right);
    EXPECT_EQ(program.living(), 0);
  });
}

TEST_P(finish_under, what_a_task_throws_comes_out_and_nothing_is_left) {
  testing::each_random_run(40, some_workers, [](std::uint64_t seed, std::uint32_t workers) {
    testing::random_program program(seed, 5, regions::with_strategies);
    program.throw_from(static_cast<long>(1 + seed % 17));
    bool threw = false;
    try {
      run_on([&](here& h) { program(h); }, {GetParam(), workers, seed});
    } catch (testing::thrown const&) {
      threw = true;
    }
    EXPECT_EQ(threw, program.tasks() >= static_cast<long>(1 + seed % 17));
    EXPECT_EQ(program.living(), 0);
  });
}

/// Strategies are not recorded; a region without them has the same tree and the same schedule.
TEST_P(finish_under, live_and_recorded_regions_without_strategies_are_the_same) {
  testing::each_random_run(20, some_workers, [](std::uint64_t seed, std::uint32_t workers) {
    auto const places = static_cast<std::uint32_t>(seed % 3);
    auto const program = [seed, places](auto& h) { testing::random_program(seed, 5, regions::plain, places)(h); };
    how_to_run const how{GetParam(), workers, seed};
    simulation const live = run_on(program, how);
    layout const where = layout_of(workers);
    auto const scheduler = policies::make_policy(GetParam(), where, seed);
    simple_costs prices;
    observer nobody;
    simulation const recorded = simulate(record(program), *scheduler, where, rules_of(how), prices, nobody);
    EXPECT_EQ(live.tree.size(), recorded.tree.size());
    EXPECT_EQ(live.result.makespan, recorded.result.makespan);
    EXPECT_EQ(live.result.moves, recorded.result.moves);
  });
}

TEST_P(finish_under, a_stop_drops_what_has_not_begun) {
  for (std::uint32_t const workers : some_workers) {
    SCOPED_TRACE(workers);
    std::stop_source stop;
    int ran = 0;
    EXPECT_THROW(run_on(
                     [&](here& h) {
                       h.with_stop(stop.get_token(), [&](here& inner) {
                         inner.finish([&](auto& f) {
                           for (int i = 0; i < 1000; ++i) {
                             f.spawn([&](auto& g) {
                               if (++ran == 10) stop.request_stop();
                               g.here().leaf(flops{100}, [] {});
                             });
                           }
                         });
                       });
                     },
                     {GetParam(), workers}),
                 cancelled);
    EXPECT_LT(ran, 10 + 2 * static_cast<int>(workers) + 1);
  }
}

INSTANTIATE_TEST_SUITE_P(all, finish_under, ::testing::ValuesIn(all_policies()), [](auto const& tested) {
  std::string word = tested.param;
  std::ranges::replace_if(word, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return word;
});

TEST(live_finish, one_worker_runs_tasks_in_the_order_of_their_strategies) {
  std::vector<int> order;
  run_on(
      [&](here& h) {
        h.finish([&](auto& f) {
          for (int const i : {4, 1, 3, 5, 2}) {
            f.spawn(skua::strategies::order{static_cast<double>(i), 0.0}, [&order, i](auto&) { order.push_back(i); });
          }
        });
      },
      {.policy = "strategies"});
  EXPECT_EQ(order, (std::vector{1, 2, 3, 4, 5}));
}

/// The values in the order in which the tasks began on one worker under this policy.
std::vector<int> order_under(std::string_view policy) {
  std::vector<int> began;
  run_on(
      [&](here& h) {
        h.finish([&](auto& f) {
          for (int const i : {2, 1, 3}) {
            f.spawn(skua::strategies::order{static_cast<double>(i), 0.0}, [&began, i](auto&) { began.push_back(i); });
          }
        });
      },
      {.policy = policy});
  return began;
}

TEST(live_finish, without_an_ordered_lane_the_newest_goes_first) {
  EXPECT_EQ(order_under("strategies"), (std::vector{1, 2, 3}));
  for (std::string_view const policy : {"only:random", "only:adws", "only:numa-ws", "strategies:lifo"}) {
    EXPECT_EQ(order_under(policy), (std::vector{3, 1, 2})) << policy;
  }
}

/// Of 200 tasks of 1000 ticks, how many run on the workers 4 to 7, if they have this hint? Two places of four workers.
std::size_t tasks_at_place_1(std::string_view policy, hint said) {
  simulation const done = run_on(
      [&](here& h) {
        h.finish([&](auto& f) {
          for (int i = 0; i < 200; ++i) f.spawn(said, [](auto& g) { g.here().leaf(flops{1000}, [] {}); });
        });
      },
      {.policy = policy, .workers = 8});
  std::size_t there = 0;
  for (tree_node_id i = 0; i < done.tree.size(); ++i)
    there += done.tree[i].kind == tree_node_kind::leaf && index(done.result.turns[i].worker) >= 4 ? 1U : 0U;
  return there;
}

TEST(live_finish, place_hints_of_spawned_tasks_are_heard) {
  EXPECT_GT(tasks_at_place_1("numa-ws", as_hint(at{place_id{1}})),
            tasks_at_place_1("numa-ws", as_hint(at{place_id{0}})) + 50);
}

/// Spawns 100 tasks that may be calls, of the spawner's place or of the other one.
std::uint64_t conversions(bool of_own_place) {
  struct light {
    [[nodiscard]] static bool allow_call_conversion() noexcept { return true; }
  };
  simulation const done = run_on(
      [&](here& h) {
        bool const in_place_0 = index(h.worker()) < 4;
        place_id const where{in_place_0 == of_own_place ? 0U : 1U};
        h.finish([&](auto& f) {
          for (int i = 0; i < 100; ++i) f.spawn(at{where}, light{}, [](auto&) {});
        });
      },
      {.policy = "strategies", .workers = 8});
  return sum_of(done, &worker_counters::conversions);
}

TEST(live_finish, task_of_another_place_is_never_a_call) {
  EXPECT_GT(conversions(true), 0U);
  EXPECT_EQ(conversions(false), 0U);
}

TEST(live_finish, a_task_that_outlives_its_spawner_is_waited_for) {
  for (std::uint32_t const workers : some_workers) {
    bool ended = false;
    simulation const done = run_on(
        [&](here& h) {
          h.finish([&](auto& f) {
            f.spawn([&](auto& g) { g.spawn([&](auto& k) { k.here().leaf(flops{10'000}, [&] { ended = true; }); }); });
          });
          EXPECT_TRUE(ended);
        },
        {.workers = workers});
    EXPECT_GE(done.result.makespan, 10'000U);
    totals const all = done.tree.weigh(unit::flops);
    EXPECT_EQ(all.span, 10'000);
  }
}

TEST(live_finish, owner_runs_its_own_tasks_only_while_they_come_first) {
  std::string order;
  run_on(
      [&](here& h) {
        h.finish([&](auto& f) {
          f.spawn(skua::strategies::order{5, 5}, [&](auto& g) {
            order += 'x';
            g.here().finish(
                [&](auto& inner) { inner.spawn(skua::strategies::order{10, 10}, [&](auto&) { order += 'y'; }); });
            order += 'X';
          });
          f.spawn(skua::strategies::order{7, 7}, [&](auto&) { order += 'z'; });
        });
      },
      {.policy = "strategies"});
  EXPECT_EQ(order, "xzyX");
}

struct dying {
  int const* limit;
  int number;
  [[nodiscard]] bool prioritize(dying const& other, strategies::requester const&) const noexcept {
    return number < other.number;
  }
  [[nodiscard]] bool is_dead() const noexcept { return number >= *limit; }
};

TEST(live_finish, dead_tasks_do_not_run_and_are_counted) {
  for (std::uint32_t const workers : some_workers) {
    int limit = 100;
    int ran = 0;
    simulation const done = run_on(
        [&](here& h) {
          h.finish([&](auto& f) {
            for (int i = 0; i < 100; ++i) {
              f.spawn(dying{&limit, i}, [&, i](auto& g) {
                ++ran;
                g.here().leaf(flops{50}, [] {});
                limit = std::min(limit, i + 3);
              });
            }
          });
        },
        {.workers = workers});
    EXPECT_EQ(sum_of(done, &worker_counters::spawns), 100U);
    EXPECT_EQ(sum_of(done, &worker_counters::dead) + static_cast<std::uint64_t>(ran), 100U);
    EXPECT_LT(ran, 3 + 2 * static_cast<int>(workers));
  }
}

struct light {
  [[nodiscard]] static constexpr double transitive_weight() noexcept { return 4; }
  [[nodiscard]] static constexpr bool allow_call_conversion() noexcept { return true; }
};

struct kept {
  double number;
  bool const* dead;
  [[nodiscard]] double key(strategies::requester const&) const noexcept { return number; }
  [[nodiscard]] bool is_dead() const noexcept { return *dead; }
};

TEST(live_finish, dead_tasks_are_swept_while_others_wait) {
  for (std::uint32_t const workers : some_workers) {
    bool const never = false;
    bool dead = false;
    auto const held = std::make_shared<int>(0);
    long least = 5000;
    std::uint64_t ran = 0;  // while the first ones were spawned
    simulation const done = run_on(
        [&](here& h) {
          h.finish([&](auto& f) {
            for (int i = 0; i < 5000; ++i) f.spawn(kept{1e6 + i, &dead}, [&ran, held](auto&) { ++ran; });
            for (int i = 0; i < 500; ++i) {
              f.spawn(kept{1.0 * i, &never}, [&](auto& g) {
                dead = true;
                g.here().leaf(flops{50}, [] {});
                least = held.use_count();
              });
            }
          });
        },
        {.workers = workers});
    EXPECT_LT(least, 600);
    EXPECT_EQ(held.use_count(), 1);
    EXPECT_EQ(sum_of(done, &worker_counters::dead) + ran, 5000U);
    if (workers == 1) {
      EXPECT_EQ(ran, 0U);
    }
  }
}

TEST(live_finish, spawns_are_calls_where_the_queue_is_long) {
  std::vector<int> began;
  simulation const done = run_on(
      [&](here& h) {
        h.finish([&](auto& f) {
          for (int i = 0; i < 4; ++i) f.spawn(light{}, [&began, i](auto&) { began.push_back(i); });
        });
      },
      {.policy = "strategies"});
  EXPECT_EQ(began, (std::vector{2, 3, 1, 0}));  // two wait; 4 <= 2 * 2, so the third and fourth are calls
  EXPECT_EQ(sum_of(done, &worker_counters::conversions), 2U);
}

void nest(auto& f, int depth) {
  if (depth > 0) f.spawn(light{}, [depth](auto& g) { nest(g, depth - 1); });
}

TEST(live_finish, calls_do_not_overflow_the_stack) {
  simulation const done = run_on(
      [&](here& h) {
        h.finish([&](auto& f) {
          for (int i = 0; i < 8; ++i) f.spawn([](auto&) {});
          nest(f, 200'000);
        });
      },
      {.policy = "only:strategies"});
  EXPECT_GT(sum_of(done, &worker_counters::conversions), 1000U);
  EXPECT_LT(sum_of(done, &worker_counters::conversions), 200'000U);
}

TEST(live_finish, half_of_the_work_is_stolen) {
  // Weights 64, 1, 1, ..: a thief that takes the oldest, the heaviest, has enough with it.
  std::vector<worker_id> ran(33);
  run_on(
      [&](here& h) {
        h.finish([&](auto& f) {
          f.spawn(strategies::weighted{64.0}, [&](auto& g) {
            ran[0] = g.here().worker();
            g.here().leaf(flops{5000}, [] {});
          });
          for (std::size_t i = 1; i <= 32; ++i) {
            f.spawn(strategies::weighted{1.0}, [&, i](auto& g) {
              ran[i] = g.here().worker();
              g.here().leaf(flops{100}, [] {});
            });
          }
        });
      },
      {.workers = 2});
  EXPECT_EQ(std::ranges::count(ran, ran[0]), 1);
}

TEST(live_finish, comparisons_take_time) {
  auto const program = [](here& h) {
    h.finish([&](auto& f) {
      for (int i = 0; i < 1000; ++i)
        f.spawn(skua::strategies::order{static_cast<double>(i * 7919 % 1009), 0.0}, [](auto&) {});
    });
  };
  tick const free = run_on(program, {.policy = "strategies"}).result.makespan;
  tick const priced = run_on(program, {.policy = "strategies", .compare = 10}).result.makespan;
  EXPECT_GT(priced, free + 10 * 1000);       // at least one per task
  EXPECT_LT(priced, free + 10 * 1000 * 20);  // at most log n and a few
}

TEST(live_finish, spawns_outside_of_a_handle_s_task_are_refused) {
  auto const program = [](here& h) { h.finish([&](auto& f) { f.spawn([&f](auto&) { f.spawn([](auto&) {}); }); }); };
  EXPECT_THROW(run_on(program, {.policy = "random"}), usage_error);
  EXPECT_THROW(run_on(program, {.policy = "random", .workers = 2}), usage_error);
}

TEST(live_finish, the_same_seed_is_the_same_run) {
  auto const program = [](auto& h) { testing::random_program(7, 6, regions::with_strategies)(h); };
  simulation const a = run_on(program, {.workers = 16, .seed = 5});
  simulation const b = run_on(program, {.workers = 16, .seed = 5});
  EXPECT_TRUE(a.result == b.result);
}

}}}}  // namespace skua::v0::sim
