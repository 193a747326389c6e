// SPDX-License-Identifier: MIT
// Programs in virtual time: they give the answers of the serial elision and the schedules of the recorded tree, under
// any policy.
#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <memory>
#include <numeric>
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

/// A leaf takes its flops and one tick more; everything else takes a few ticks.
class simple_costs final : public costs {
 public:
  tick run(tick, worker_id, task_tree const& program, tree_node_id id) override {
    tree_node const& n = program[id];
    if (n.kind == tree_node_kind::step) return n.ns;
    return n.kind == tree_node_kind::leaf ? static_cast<tick>(n.flops) + n.ns + 1 : 3;
  }
  tick price(tick, operation what, worker_id w, worker_id whom) override {
    tick const far = w == whom ? 0 : 10;
    return what == operation::wake_up ? 500 : 2 + far;
  }
};

template <class F>
simulation run_on(F&& f, std::string_view policy_name, std::uint32_t workers, std::uint64_t seed = 1,
                  live_options const& how = {}) {
  layout const where = layout_of(workers);
  auto const scheduler = policies::make_policy(policy_name, where, seed);
  simple_costs prices;
  observer nobody;
  return simulate(f, *scheduler, where, sleepy(seed), prices, nobody, how);
}

TEST(live, refuses_a_leaf_that_says_what_cannot_be) {
  for (double const count : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -1.0}) {
    auto const says = [&](here& h) {
      h.join([&](here& g) { g.leaf(flops{count}, [] {}); }, [](here& g) { g.leaf(flops{5}, [] {}); });
    };
    EXPECT_THROW(run_on(says, "random", 2), usage_error) << count;
  }
  int here_too = 0;
  EXPECT_THROW(run_on([&](here& h) { h.leaf(writes{&here_too, std::size_t{1} << 40}, [] {}); }, "adws", 2),
               usage_error);
}

TEST(live, a_task_hears_the_virtual_time_at_which_it_runs) {
  std::vector<std::uint64_t> heard;
  simulation const run = run_on(
      [&](here& h) {
        heard.push_back(virtual_ns(h));
        for (int i = 0; i < 3; ++i) {
          h.leaf(flops{100}, [&] { heard.push_back(virtual_ns(h)); });
        }
      },
      "random", 2);
  ASSERT_EQ(heard.size(), 4u);
  for (std::size_t i = 1; i < heard.size(); ++i) EXPECT_GE(heard[i], heard[i - 1] + 101) << i;
  EXPECT_LE(heard.back(), run.result.turns[0].end);
}

std::vector<std::string> all_policies() {
  std::vector<std::string> all = testing::whole_policies();
  all.emplace_back("adws:no-steal");
  return all;
}

class under : public ::testing::TestWithParam<std::string> {};

TEST_P(under, random_programs_have_the_serial_answer) {
  testing::each_random_run(30, some_workers, [](std::uint64_t seed, std::uint32_t workers) {
    serial s;
    std::uint64_t const right = testing::random_program(seed)(s);
    testing::random_program program(seed);
    std::uint64_t answer = 0;
    run_on([&](here& h) { answer = program(h); }, GetParam(), workers, seed);
    EXPECT_EQ(answer, right);
    EXPECT_EQ(program.living(), 0);
  });
}

TEST_P(under, what_a_task_throws_comes_out_and_nothing_is_left) {
  testing::each_random_run(30, some_workers, [](std::uint64_t seed, std::uint32_t workers) {
    testing::random_program program(seed);
    program.throw_from(static_cast<long>(1 + seed % 7));
    bool threw = false;
    try {
      run_on([&](here& h) { program(h); }, GetParam(), workers, seed);
    } catch (testing::thrown const&) {
      threw = true;
    }
    EXPECT_EQ(threw, program.tasks() >= static_cast<long>(1 + seed % 7));
    EXPECT_EQ(program.living(), 0);
  });
}

/// If the tree does not depend on the schedule, the recorded and the live run are the same.
TEST_P(under, live_and_recorded_runs_are_the_same) {
  testing::each_random_run(20, some_workers, [](std::uint64_t seed, std::uint32_t workers) {
    auto const program = [seed](auto& h) { testing::random_program(seed, 6)(h); };
    simulation const live = run_on(program, GetParam(), workers, seed);
    layout const where = layout_of(workers);
    auto const scheduler = policies::make_policy(GetParam(), where, seed);
    simple_costs prices;
    observer nobody;
    simulation const recorded = simulate(record(program), *scheduler, where, sleepy(seed), prices, nobody);
    EXPECT_EQ(live.tree.size(), recorded.tree.size());
    EXPECT_EQ(live.result.makespan, recorded.result.makespan);
    EXPECT_EQ(live.result.moves, recorded.result.moves);
    EXPECT_TRUE(live.result.workers == recorded.result.workers);
  });
}

TEST_P(under, the_same_seed_is_the_same_run) {
  auto const program = [](auto& h) { testing::random_program(99, 7)(h); };
  simulation const a = run_on(program, GetParam(), 16, 5);
  simulation const b = run_on(program, GetParam(), 16, 5);
  EXPECT_TRUE(a.result == b.result);
}

TEST_P(under, a_stop_is_seen_by_leaves_and_drops_the_rest) {
  for (std::uint32_t const workers : some_workers) {
    SCOPED_TRACE(workers);
    std::stop_source stop;
    int ran = 0;
    bool saw = false;
    std::vector<int> many(1000);
    EXPECT_THROW(run_on(
                     [&](here& h) {
                       h.with_stop(stop.get_token(), [&](here& inner) {
                         inner.join_each(many, [&](here& leaf, int&) {
                           if (++ran == 10) stop.request_stop();
                           leaf.leaf(flops{100}, [] {});
                           saw |= leaf.stop_requested();
                         });
                       });
                     },
                     GetParam(), workers),
                 cancelled);
    EXPECT_TRUE(saw);
    EXPECT_LT(ran, 10 + 2 * static_cast<int>(workers) + 1);
  }
}

/// A search that prunes by the best found so far: its tree depends on the schedule, its answer does not.
struct search {
  std::vector<int> values, weights;
  int best = 0;
  void go(auto& h, std::size_t i, int value, int room) {
    h.leaf(flops{5}, [&] { best = std::max(best, value); });
    int rest = 0;
    for (std::size_t k = i; k < values.size(); ++k) rest += values[k];
    if (i == values.size() || value + rest <= best) return;
    h.join(
        [&](auto& g) {
          if (weights[i] <= room) go(g, i + 1, value + values[i], room - weights[i]);
        },
        [&](auto& g) { go(g, i + 1, value, room); });
  }
};

TEST_P(under, branch_and_bound_finds_the_best) {
  search s{{10, 13, 7, 8, 2, 12, 4, 9, 3, 6}, {3, 4, 2, 3, 1, 5, 2, 4, 1, 2}};
  serial alone;
  s.go(alone, 0, 0, 12);
  int const right = s.best;
  for (std::uint32_t const workers : some_workers) {
    s.best = 0;
    run_on([&](here& h) { s.go(h, 0, 0, 12); }, GetParam(), workers);
    EXPECT_EQ(s.best, right) << workers << " workers";
  }
}

TEST_P(under, measured_leaves_take_their_time) {
  auto const program = [](auto& h) {
    auto const spin = [] {
      double volatile x = 1;
      for (int i = 0; i < 2000; ++i) x = x * 1.0000001;
    };
    h.join([&](auto& g) { g.leaf(spin); }, [&](auto& g) { g.leaf(spin); });
  };
  simulation const done = run_on(program, GetParam(), 2, 1, {.measured = timing::on});
  std::uint64_t leaves = 0;
  for (tree_node_id i = 0; i < done.tree.size(); ++i) {
    if (done.tree[i].kind != tree_node_kind::leaf) continue;
    ++leaves;
    EXPECT_GT(done.tree[i].ns, 0U);
  }
  EXPECT_EQ(leaves, 2U);
}

INSTANTIATE_TEST_SUITE_P(all, under, ::testing::ValuesIn(all_policies()), [](auto const& tested) {
  std::string word = tested.param;
  for (char& c : word) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return word;
});

TEST(live, worker_and_workers_are_those_of_the_machine) {
  std::vector<int> seen(4);
  std::vector<int> range(64);
  run_on(
      [&](here& h) {
        EXPECT_EQ(h.num_workers(), 4U);
        h.join_each(range, [&](here& g, int&) {
          g.leaf(flops{1000}, [] {});
          ++seen[index(g.worker())];
        });
      },
      "random", 4);
  for (int const n : seen) EXPECT_GT(n, 0);
}

TEST(live, more_workers_take_less_time_and_never_less_than_the_laws_allow) {
  std::vector<int> range(256);
  auto const program = [&](here& h) { h.join_each(range, [&](here& g, int&) { g.leaf(flops{10'000}, [] {}); }); };
  tick before = run_on(program, "random", 1).result.makespan;
  for (std::uint32_t const workers : {2U, 4U, 16U}) {
    tick const now = run_on(program, "random", workers).result.makespan;
    EXPECT_LT(now, before) << workers;
    before = now;
  }
}

/// A policy that breaks a rule in the middle of a program causes an error, not a crash.
TEST(live, an_unlawful_policy_is_reported) {
  struct lost_worker final : worker_policy {
    task_tag tag;
    hint last;
    task_tag mark_it(task_tag& t) { return t; }
    task_tag mark(task_tag& parent, hint const&) noexcept override { return parent; }
    placement place(task_tag&, cause) noexcept override { return {.worker = worker_id{99}}; }
    probe next_probe() noexcept override {
      return {.kind = action::pop, .lane = lane::injected, .victim = worker_id{0}};
    }
    void learn(event const&) noexcept override {}
  };
  struct lost final : policy {
    lost_worker m;
    std::string_view name() const noexcept override { return "lost"; }
    worker_policy& of_worker(worker_id) noexcept override { return m; }
  } scheduler;
  layout const where = layout::flat(1);
  simple_costs prices;
  observer nobody;
  auto const program = [](here& h) { h.join([](here&) {}, [](here&) {}); };
  EXPECT_THROW(simulate(program, scheduler, where, {}, prices, nobody), unlawful);
}

}}}}  // namespace skua::v0::sim
