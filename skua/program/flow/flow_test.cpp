// SPDX-License-Identifier: MIT
// Flows, serially and under every policy: every node runs once after its predecessors; values, late edges, blocks, cycles,
// exceptions, iterations, nesting.
#include "skua/program/flow/flow.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/program/serial.hpp"
#include "skua/skua.hpp"
#include "tests/programs/every_policy.hpp"
#include "tests/programs/fib.hpp"

namespace {

using skua::after, skua::flow, skua::takes, skua::usage_error;

constexpr bool slow = skua::runtime::under_tsan || skua::runtime::under_asan;

class flows : public skua::testing::under_every_policy {};

/// A random graph whose nodes check that their predecessors have run. Half of the nodes fork; every seventh one adds a chain
/// of nodes behind itself, with edges to later nodes that it already precedes.
class random_flow {
 public:
  random_flow(std::uint64_t seed, std::uint32_t nodes) : seed_(seed), ran_(nodes), before_(nodes) {
    skua::runtime::dice roll(seed);
    for (std::uint32_t i = 1; i < nodes; ++i) {
      for (std::uint32_t edges = roll.below(4); edges > 0; --edges) before_[i].push_back(roll.below(i));
    }
  }

  template <class Here>
  void build(flow<Here>& graph) {
    std::vector<skua::runtime::node<void>> nodes;
    for (std::uint32_t i = 0; i < ran_.size(); ++i) nodes.push_back(add(graph, i));
    for (std::uint32_t i = 0; i < ran_.size(); ++i) {
      for (std::uint32_t const b : before_[i]) graph.edge(nodes[b], nodes[i]);
    }
  }
  /// Checks that every node has run `times` times, and those that it added.
  void check(int times) const {
    for (auto const& n : ran_) EXPECT_EQ(n.load(), times) << "seed " << seed_;
    EXPECT_EQ(early_.load(), 0) << "seed " << seed_;
  }
  [[nodiscard]] int added() const { return added_.load(); }

 private:
  template <class Here>
  auto add(flow<Here>& graph, std::uint32_t i) {
    auto hinted = i % 3 == 0 ? as_hint(skua::address::of(i, ran_.size())) : skua::hint{};
    if (i % 2 == 0) hinted.type = skua::task_type{static_cast<std::uint16_t>(i % 5)};
    if (i % 7 == 0) {
      return graph.add(hinted, [this, i](auto& here, auto& in) {
        visit(here, i);
        auto const done = std::make_shared<std::atomic<bool>>(false);
        auto const first = in.add([done](auto&) { done->store(true); });
        auto const second = in.add(after(first), [this, done](auto&) {
          if (!done->exchange(false)) early_.fetch_add(1);
          added_.fetch_add(1);
        });
        in.edge(first, second);  // once more
      });
    }
    return graph.add(hinted, [this, i](auto& here) { this->visit(here, i); });
  }
  void visit(auto& here, std::uint32_t i) {
    if (i % 2 == 0) here.join([](auto& h) { skua::testing::fib(h, 5); }, [](auto& h) { skua::testing::fib(h, 4); });
    int const mine = ran_[i].load() + 1;
    for (std::uint32_t const b : before_[i]) {
      if (ran_[b].load() < mine) early_.fetch_add(1);
    }
    ran_[i].store(mine);
  }

  std::uint64_t const seed_;
  std::vector<std::atomic<int>> ran_;
  std::vector<std::vector<std::uint32_t>> before_;
  std::atomic<int> early_{0};
  std::atomic<int> added_{0};
};

/// The values of a small graph: (3, 3 * 2.0, 3 + 6.0), and a text that grows by every node in order.
std::string run_small(auto& here) {
  std::string order;
  flow graph(here);
  auto const a = graph.add([&](auto&) {
    order += 'a';
    return 3;
  });
  auto const b = graph.add(takes(a), [&](auto&, int x) {
    order += 'b';
    return x * 2.0;
  });
  auto const c = graph.add(after(b), [&](auto&) { order += 'c'; });
  auto const d = graph.add(takes(a, b), after(c), [&](auto&, int x, double y) { order += std::to_string(x + y); });
  static_cast<void>(d);
  graph.run(here, 2);
  return order;
}

}  // namespace

TEST_P(flows, every_node_runs_once_after_its_predecessors) {
  for (std::uint64_t seed = 1; seed <= (slow ? 4 : 12); ++seed) {
    for (std::uint32_t const n : {1U, 2U, 4U}) {
      skua::pool pool(workers(n));
      random_flow program(seed, 300);
      pool.run([&](auto& here) {
        flow graph(here);
        program.build(graph);
        graph.run(here);
        EXPECT_EQ(graph.nodes(), 300U + 2 * 43);
      });
      program.check(1);
      EXPECT_EQ(program.added(), 43);
    }
  }
}

TEST_P(flows, runs_repeat_without_building_again) {
  skua::pool pool(workers(2));
  random_flow program(5, 200);
  pool.run([&](auto& here) {
    flow graph(here);
    program.build(graph);
    graph.run(here, 3);
    graph.run(here);
  });
  program.check(4);
  EXPECT_EQ(program.added(), 29 * (1 + 2 + 3 + 4)) << "what nodes add belongs to the flow";
}

TEST_P(flows, values_travel_along_edges) {
  skua::serial serial;
  std::string const expected = "abc9.000000abc9.000000";
  EXPECT_EQ(run_small(serial), expected);
  skua::pool pool(workers(2));
  EXPECT_EQ(pool.run([](auto& here) { return run_small(here); }), expected);
}

TEST_P(flows, blocks_order_what_touches_them) {
  skua::pool pool(workers(4));
  constexpr int blocks = 8;
  std::vector<std::uint64_t> expected(blocks, 1);
  std::vector<std::uint64_t> values(blocks, 1);
  pool.run([&](auto& here) {
    flow graph(here);
    skua::runtime::dice roll(7);
    for (int i = 0; i < 400; ++i) {
      std::uint32_t const from = roll.below(blocks);
      std::uint32_t const to = roll.below(blocks);
      expected[to] = expected[to] * 31 + expected[from];
      graph.add(skua::reads{&values[from], sizeof(std::uint64_t)}, skua::writes{&values[to], sizeof(std::uint64_t)},
                [&values, from, to](auto&) { values[to] = values[to] * 31 + values[from]; });
    }
    graph.run(here);
  });
  EXPECT_EQ(values, expected);
}

TEST_P(flows, first_exception_is_rethrown_and_the_flow_can_run_again) {
  skua::pool pool(workers(2));
  std::atomic<int> ran{0};
  bool throws = true;
  pool.run([&](auto& here) {
    flow graph(here);
    auto const a = graph.add([&](auto&) { ran.fetch_add(1); });
    auto const b = graph.add(after(a), [&](auto&) {
      if (throws) throw std::runtime_error("b");
    });
    graph.add(after(b), [&](auto&) { ran.fetch_add(10); });
    EXPECT_THROW(graph.run(here), std::runtime_error);
    EXPECT_EQ(ran.load(), 1);
    throws = false;
    graph.run(here);
  });
  EXPECT_EQ(ran.load(), 12);
}

TEST_P(flows, after_a_failed_run_every_node_may_get_an_edge) {
  skua::pool pool(workers(2));
  std::atomic<int> ran{0};
  bool throws = true;
  pool.run([&](auto& here) {
    flow graph(here);
    auto const first = graph.add([&](auto&) {
      if (throws) throw std::runtime_error("first");
    });
    auto const second = graph.add(after(first), [&](auto&) { ran.fetch_add(1); });  // does not run
    auto const third = graph.add(after(second), [&](auto&) { EXPECT_EQ(ran.fetch_add(10), 1); });
    auto const other = graph.add([&](auto&) { ran.fetch_add(100); });
    EXPECT_THROW(graph.run(here), std::runtime_error);
    throws = false;
    ran = 0;
    EXPECT_NO_THROW(graph.edge(third, other)) << "nothing runs, so no node has begun";
    graph.run(here);
  });
  EXPECT_EQ(ran.load(), 111);
}

TEST_P(flows, nest_in_nodes_and_in_joins) {
  skua::pool pool(workers(3));
  std::atomic<int> ran{0};
  pool.run([&](auto& here) {
    auto const inner = [&](auto& h) {
      flow graph(h);
      auto const a = graph.add([&](auto&) { ran.fetch_add(1); });
      graph.add(after(a), [&](auto&) { ran.fetch_add(1); });
      graph.run(h);
    };
    flow outer(here);
    for (int i = 0; i < 20; ++i) outer.add([&](auto& h) { h.join(inner, inner); });
    outer.run(here);
  });
  EXPECT_EQ(ran.load(), 80);
}

TEST_P(flows, stop_ends_a_run) {
  skua::pool pool(workers(2));
  std::stop_source source;
  std::atomic<int> ran{0};
  pool.run([&](auto& here) {
    flow graph(here);
    skua::runtime::node<void> last = graph.add([&](auto&) { source.request_stop(); });
    for (int i = 0; i < 100; ++i) last = graph.add(after(last), [&](auto&) { ran.fetch_add(1); });
    EXPECT_THROW(here.with_stop(source.get_token(), [&](auto& h) { graph.run(h); }), skua::cancelled);
  });
  EXPECT_EQ(ran.load(), 0);
}

INSTANTIATE_TEST_SUITE_P(policies, flows, ::testing::ValuesIn(skua::testing::checked_policies()),
                         skua::testing::policy_in_a_name);

TEST_P(flows, of_two_tasks_that_run_one_flow_one_is_refused_or_comes_later) {
  skua::pool pool(workers(2));
  pool.run([](auto& here) {
    for (int round = 0; round < (slow ? 20 : 200); ++round) {
      flow graph(here);
      std::atomic<int> ran{0};
      auto last = graph.add([&](auto&) { ++ran; });
      for (int i = 1; i < 50; ++i) last = graph.add(after(last), [&](auto&) { ++ran; });
      std::atomic<int> refused{0};
      auto const run = [&](auto& h) {
        try {
          graph.run(h);
        } catch (usage_error const&) {
          ++refused;
        }
      };
      here.join(run, run);
      ASSERT_EQ(ran.load(), 50 * (2 - refused.load()));
      graph.run(here);
    }
  });
}

/// Every element is visited by one member of one team, whatever its width; teams stand in joins, and fork.
struct rows_by_teams {
  std::vector<int> visits = std::vector<int>(64);
  template <class Here>
  void operator()(Here& here) {
    auto const part = [this](std::uint64_t first) {
      return [this, first](Here& inside) {
        inside.team(skua::address::of(first / 32, 2), skua::task_type{2}, [this, first](auto& team) {
          auto const [begin, end] = team.share(32);
          for (auto i = begin; i < end; ++i) ++visits[first + i];
          team.barrier();
          if (skua::testing::fib(team.here(), 10) != 55) visits[first] = -1000;
        });
      };
    };
    here.join(part(0), part(32));
  }
  [[nodiscard]] bool is_right() const { return visits == std::vector<int>(64, 1); }
};

TEST_P(flows, team_is_called_from_fork_join) {
  skua::pool pool(workers(3));
  for (int i = 0; i < 20; ++i) {
    rows_by_teams rows;
    pool.run([&](auto& here) { rows(here); });
    EXPECT_TRUE(rows.is_right());
  }
}

TEST(team_call, serial_elision_has_a_team_of_one) {
  skua::serial here;
  rows_by_teams rows;
  rows(here);
  EXPECT_TRUE(rows.is_right());
  here.team([](auto& team) { EXPECT_EQ(team.width(), 1U); });
}

TEST(team_call, exception_of_a_member_reaches_the_caller) {
  skua::pool pool({.workers = 2, .policy = "arms:cost=time", .topology = "package:1 core:2"});
  for (int i = 0; i < 50; ++i) {
    int caught = 0;
    pool.run([&](auto& here) {
      try {
        here.team([](auto& team) {
          if (team.member() == team.width() - 1) throw std::runtime_error("the last");
          team.barrier();
        });
      } catch (std::runtime_error const&) {
        ++caught;
      }
    });
    EXPECT_EQ(caught, 1);
  }
}
