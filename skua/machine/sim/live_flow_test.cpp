// SPDX-License-Identifier: MIT
// Flows in virtual time: the answers of the serial elision under any policy, and what addresses change.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "skua/machine/sim/live_runs_test.hpp"
#include "skua/machine/sim/simulate.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/policy/address_map.hpp"
#include "skua/policy/combinations_for_test.hpp"
#include "skua/policy/registry.hpp"
#include "skua/program/flow/flow.hpp"
#include "skua/program/serial.hpp"
#include "tests/programs/random_runs.hpp"

namespace skua { inline namespace v0 { namespace sim { namespace {

template <class F>
simulation run_on(F&& f, std::string_view policy, std::uint32_t workers, std::uint64_t seed, bool sleeps = true) {
  layout const where = layout_of(workers);
  auto const scheduler = policies::make_policy(policy, where, seed);
  rules by = sleeps ? sleepy(seed) : rules{.seed = seed};
  by.unit = unit::flops;
  by.lost_per_mille = seed % 2 == 0 ? 200 : 0;
  flat_costs prices(by);
  observer nobody;
  return simulate(f, *scheduler, where, by, prices, nobody);
}

/// A random graph: every node mixes the values of its predecessors. Some nodes fork, some add two more nodes while the flow
/// runs, some have addresses and types, moldable or not.
class random_flow {
 public:
  random_flow(std::uint64_t seed, std::uint32_t nodes) : before_(nodes), value_(nodes), works_(nodes), hints_(nodes) {
    runtime::dice roll(seed);
    for (std::uint32_t i = 0; i < nodes; ++i) {
      for (std::uint32_t edges = i == 0 ? 0 : roll.below(4); edges > 0; --edges) before_[i].push_back(roll.below(i));
      works_[i] = 1 + roll.below(200);
      if (roll.below(2) == 0) hints_[i] = hints_[i] | address::of(i, nodes);
      if (roll.below(2) == 0) {
        hints_[i] =
            hints_[i] | task_type{static_cast<std::uint16_t>(roll.below(5)), static_cast<std::uint16_t>(roll.below(2))};
      }
    }
  }

  template <class Here>
  std::uint64_t operator()(Here& here) {
    flow<Here> graph;
    std::vector<runtime::node<void>> nodes;
    for (std::uint32_t i = 0; i < value_.size(); ++i) nodes.push_back(add(graph, i));
    for (std::uint32_t i = 0; i < value_.size(); ++i) {
      for (std::uint32_t const b : before_[i]) graph.edge(nodes[b], nodes[i]);
    }
    graph.run(here, 2);
    std::uint64_t all = added_;
    for (std::uint64_t const v : value_) all = all * 31 + v;
    return all;
  }

 private:
  template <class Here>
  runtime::node<void> add(flow<Here>& graph, std::uint32_t i) {
    if (i % 7 == 0) {
      return graph.add(hints_[i], [this, i](auto& here, auto& in) {
        run(here, i);
        auto const first = in.add(hints_[i], [this](auto& h) { h.leaf(flops{7}, [this] { ++added_; }); });
        in.add(after(first), [this](auto&) { added_ += 3; });
      });
    }
    return graph.add(hints_[i], [this, i](auto& here) { run(here, i); });
  }
  void run(auto& here, std::uint32_t i) {
    std::uint64_t mixed = value_[i] + i;
    if (i % 2 == 0) {
      std::uint64_t left = 0;
      here.join([&](auto& h) { h.leaf(flops{static_cast<double>(works_[i])}, [&] { left = works_[i]; }); },
                [&](auto& h) { h.leaf(flops{30}, [] {}); });
      mixed += left;
    }
    here.leaf(flops{static_cast<double>(works_[i])}, [&] {
      for (std::uint32_t const b : before_[i]) mixed += value_[b] * 17;
    });
    value_[i] = mixed;
  }

  std::vector<std::vector<std::uint32_t>> before_;
  std::vector<std::uint64_t> value_;
  std::vector<std::uint32_t> works_;
  std::vector<hint> hints_;
  std::uint64_t added_ = 0;
};

std::vector<std::string> all_policies() {
  std::vector<std::string> all = testing::policies_and_combinations();
  all.insert(all.end(), {"only:arms:width=1", "only:arms:cost=time", "only:arms:model=power", "only:arms:critical=on",
                         "only:arms:critical=on,model=power", "arms:width=1", "arms:critical=on"});
  return all;
}

class flows_in_virtual_time : public ::testing::TestWithParam<std::string> {};

TEST_P(flows_in_virtual_time, random_flows_have_the_serial_answer) {
  testing::each_random_run(10, some_workers, [](std::uint64_t seed, std::uint32_t workers) {
    serial s;
    random_flow elision(seed, 120);
    std::uint64_t const right = elision(s);
    random_flow program(seed, 120);
    std::uint64_t answer = 0;
    run_on([&](here& h) { answer = program(h); }, GetParam(), workers, seed);
    EXPECT_EQ(answer, right);
  });
}

INSTANTIATE_TEST_SUITE_P(all, flows_in_virtual_time, ::testing::ValuesIn(all_policies()), [](auto const& tested) {
  std::string word = tested.param;
  std::ranges::replace_if(word, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return word;
});

/// Of 40 tasks per worker of 10,000 ticks each, spawned in a random order: how many run on the worker at their address?
double part_at_its_address(std::string_view policy, std::uint32_t workers, std::uint64_t seed) {
  policies::address_map const map(workers);
  std::uint32_t const n = 40 * workers;
  std::uint32_t at_home = 0;
  run_on(
      [&](here& h) {
        std::vector<std::uint32_t> order(n);
        for (std::uint32_t i = 0; i < n; ++i) order[i] = i;
        runtime::dice roll(seed);
        for (std::uint32_t i = n; i > 1; --i) std::swap(order[i - 1], order[roll.below(i)]);
        flow graph(h);
        for (std::uint32_t const i : order) {
          graph.add(map.middle_of(worker_id{i % workers}, 1), [&, i](here& on) {
            at_home += index(on.worker()) == i % workers ? 1U : 0U;
            on.leaf(flops{10'000}, [] {});
          });
        }
        graph.run(h);
      },
      policy, workers, seed, false);
  return static_cast<double>(at_home) / n;
}

/// A worker takes others' tasks only when it has none: at the beginning, and at the end.
TEST(live_flow, a_task_runs_on_the_worker_at_its_address_while_nobody_is_idle) {
  for (std::uint32_t const workers : {2U, 7U, 16U, 64U}) {
    SCOPED_TRACE(workers);
    EXPECT_GT(part_at_its_address("arms", workers, 3), 0.8);
    EXPECT_LT(part_at_its_address("only:random", workers, 3), 0.6);
  }
}

/// A line of cells, each of which waits for itself and its neighbours: of 40 steps, how many of a cell run where the one before
/// has run?
double part_at_its_data(bool derives_addresses, std::uint32_t workers) {
  std::uint32_t const cells = 4 * workers;
  std::vector<std::uint32_t> last(cells, workers);
  std::uint32_t again = 0;
  run_on(
      [&](here& h) {
        flow graph(h);
        std::vector<runtime::node<void>> before;
        for (std::uint32_t step = 0; step < 40; ++step) {
          std::vector<runtime::node<void>> now;
          for (std::uint32_t i = 0; i < cells; ++i) {
            auto const update = [&, i](here& on) {
              std::uint32_t const w = index(on.worker());
              again += std::exchange(last[i], w) == w ? 1 : 0;
              on.leaf(flops{10'000.0 + 1000 * ((7 * i) % 5)}, [] {});
            };
            now.push_back(
                step == 0 ? graph.add(update)
                          : graph.add(after(before[i == 0 ? 0 : i - 1], before[i], before[i + 1 == cells ? i : i + 1]),
                                      update));
          }
          before = now;
        }
        graph.derive_addresses(derives_addresses);
        graph.run(h);
      },
      "arms:derive", workers, 3, false);
  return static_cast<double>(again) / (39 * cells);
}

TEST(live_flow, nodes_of_a_regular_graph_find_their_data_by_addresses_from_depth_and_breadth) {
  for (std::uint32_t const workers : {4U, 16U}) {
    SCOPED_TRACE(workers);
    EXPECT_GT(part_at_its_data(true, workers), 0.8);
    EXPECT_LT(part_at_its_data(false, workers), 0.6);
  }
}

/// Also under policies that divide groups, which a flow has none of: its nodes are there to be stolen while the caller, who
/// never waits, runs one of them.
TEST(live_flow, independent_nodes_run_on_all_workers_under_every_policy_that_steals) {
  constexpr std::uint32_t workers = 8;
  constexpr std::uint64_t flops_each = 10'000;
  for (std::string_view const policy : {"random", "hierarchical", "numa-ws", "adws", "arms", "strategies"}) {
    simulation const done = run_on(
        [&](here& h) {
          flow graph(h);
          for (std::uint32_t i = 0; i < 8 * workers; ++i)
            graph.add(address::of(i, 8 * workers), [](here& on) { on.leaf(flops{flops_each}, [] {}); });
          graph.run(h);
        },
        policy, workers, 1, false);
    EXPECT_LT(done.result.makespan, 10 * flops_each) << policy << ": 8 if perfect, 64 if one worker runs all";
  }
}

/// Their worker is asked again when it takes them, and may not make a team of a task that is none.
TEST(live_flow, a_task_that_is_no_team_runs_alone_whatever_its_type_says) {
  std::uint64_t ran = 0;
  simulation const done = run_on(
      [&](here& h) {
        flow graph(h);
        for (std::uint32_t i = 0; i < 200; ++i) {
          graph.add(address::of(i, 200) | task_type{1, 1}, [&](here& on) { on.leaf(flops{1000}, [&] { ++ran; }); });
        }
        graph.run(h);
      },
      "arms", 16, 1);
  std::uint64_t refused = 0;
  for (worker_counters const& w : done.result.workers) refused += w.refused;
  EXPECT_EQ(ran, 200U);
  EXPECT_GT(refused, 0U);
}

/// The task and its child take 10,000 ticks each, and either may have a history.
TEST(live_flow, a_thief_takes_what_a_node_spawns_while_that_runs) {
  for (std::string_view const policy : {"random", "arms", "arms:width=1"}) {
    for (hint const& spawned : {hint{}, address::at(0.1) | task_type{2}}) {
      simulation const done = run_on(
          [&](here& h) {
            flow graph(h);
            graph.add(address::at(0.1), task_type{1}, [&](here& on) {
              on.finish([&](auto& f) {
                f.spawn(spawned, [](auto& inner) { inner.here().leaf(flops{10'000}, [] {}); });
                on.leaf(flops{10'000}, [] {});
              });
            });
            graph.run(h);
          },
          policy, 2, 1, false);
      EXPECT_LT(done.result.makespan, 15'000U) << policy << ": 20,000 if the child waits for the end of the node";
    }
  }
}

/// The node that is called first works for longer than its brother, which ends later in the order of the calls: what waits
/// for both begins when the first has ended in virtual time.
TEST(live_flow, a_node_begins_when_the_measured_time_of_all_that_it_waits_for_is_over) {
  layout const where = layout_of(2);
  auto const scheduler = policies::make_policy("random", where, 1);
  rules const by{.seed = 1, .unit = unit::ns, .units_per_tick = 100};
  flat_costs prices(by);
  observer nobody;
  auto const spin = [](std::chrono::microseconds how_long) {
    auto const begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < how_long) {}
  };
  simulation const done = simulate(
      [&](here& h) {
        flow graph(h);
        auto const node = [&](std::chrono::microseconds how_long) {
          return [&spin, how_long](auto& h) {
            h.leaf([&] { spin(std::chrono::microseconds{200}); });  // so that both workers have a node
            spin(how_long);
          };
        };
        auto const first = graph.add(node(std::chrono::microseconds{2000}));
        auto const second = graph.add(node(std::chrono::microseconds{0}));
        graph.add(after(first, second), [](auto& h) { h.leaf([] {}); });
        graph.run(h);
      },
      *scheduler, where, by, prices, nobody, {.measured = timing::on});
  std::vector<tree_node_id> leaves;
  for (tree_node_id const id : done.result.order) {
    if (done.tree[id].kind == tree_node_kind::leaf) leaves.push_back(id);
  }
  ASSERT_EQ(leaves.size(), 3U);
  EXPECT_GE(done.result.turns[leaves.back()].begin * 100, 2'200'000U) << "a tick is 100 ns";
}

}}}}  // namespace skua::v0::sim
