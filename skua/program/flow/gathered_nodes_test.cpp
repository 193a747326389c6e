// SPDX-License-Identifier: MIT
// Nodes with the same hints that are ready when a run begins: policies that place nodes place them together, and each still
// runs once, alone, and may be stolen alone (finish.md, "Gathered tasks").
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "skua/policy/arms/arms.hpp"
#include "skua/policy/protocol_checker.hpp"
#include "skua/program/flow/flow.hpp"
#include "skua/skua.hpp"
#include "tests/programs/every_policy.hpp"
#include "tests/programs/fib.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using skua::address, skua::flow, skua::task_type;

class gathered_nodes : public skua::testing::under_every_policy {};

/// Runs of nodes with the same address and type, with teams among them, and runs of plain nodes.
template <class Here, class F>
void add_runs(flow<Here>& graph, std::size_t nodes, F&& f) {
  for (std::size_t i = 0; i < nodes; ++i) {
    std::size_t const run = i / 40;
    double const where = static_cast<double>(run % 5) / 5;
    if (i % 31 == 30) {
      graph.add_team(address::at(where), task_type{1}, [f, i](auto& team) {
        if (team.member() == 0) f(team.here(), i);
      });
    } else if (run % 7 == 6) {
      graph.add([f, i](auto& here) { f(here, i); });
    } else {
      graph.add(address::at(where), task_type{static_cast<std::uint16_t>(run % 2)}, [f, i](auto& here) { f(here, i); });
    }
  }
}

}  // namespace

TEST_P(gathered_nodes, run_once_each_in_every_run) {
  constexpr std::size_t nodes = 700;
  for (std::uint32_t const n : {1U, 2U, 4U}) {
    skua::pool pool(workers(n));
    std::vector<std::atomic<int>> ran(nodes);
    pool.run([&](auto& here) {
      flow graph(here);
      add_runs(graph, nodes, [&ran](auto& inner, std::size_t i) {
        EXPECT_EQ(skua::testing::fib(inner, i % 5 == 0 ? 8 : 1), i % 5 == 0 ? 21 : 1);
        ++ran[i];
      });
      graph.run(here, 3);
    });
    for (auto const& r : ran) EXPECT_EQ(r.load(), 3);
  }
}

TEST_P(gathered_nodes, fail_as_others_do) {
  skua::pool pool(workers(2));
  std::atomic<int> ran{0};
  std::atomic<bool> fails{true};
  pool.run([&](auto& here) {
    flow graph(here);
    for (int i = 0; i < 200; ++i) {
      graph.add(address::at(0.5), task_type{1}, [&, i](auto&) {
        ++ran;
        if (i == 100 && fails) throw std::runtime_error("node 100");
      });
    }
    EXPECT_THROW(graph.run(here), std::runtime_error);
    EXPECT_LE(ran, 200);
    fails = false;
    ran = 0;
    graph.run(here);
    EXPECT_EQ(ran, 200);
  });
}

// A part that could not be stolen would wait behind the first node for ever.
TEST_P(gathered_nodes, do_not_wait_for_one_that_runs) {
  skua::pool pool(workers(2));
  std::atomic<int> begun{0};
  pool.run([&](auto& here) {
    flow graph(here);
    for (int i = 0; i < 64; ++i) {
      graph.add(address::at(0.1), task_type{1}, [&](auto&) {
        if (++begun <= 2) skua::testing::wait_until("another worker begins a node", [&] { return begun >= 2; });
      });
    }
    graph.run(here);
  });
  EXPECT_EQ(begun, 64);
}

// The next node of the same worker comes before them.
TEST_P(gathered_nodes, do_not_hold_back_what_waits_for_one_of_them) {
  skua::pool pool(workers(2));
  std::atomic<int> begun{0};
  std::atomic<bool> has_followed{false};
  pool.run([&](auto& here) {
    flow graph(here);
    auto const node = [&](auto&) {
      if (++begun == 2)
        skua::testing::wait_until("what waits for the first begins", [&] { return has_followed.load(); });
    };
    auto const first = graph.add(address::at(0.1), task_type{1}, node);
    auto const second = graph.add(address::at(0.1), task_type{1}, node);
    for (auto const& before : {first, second})
      graph.add(skua::after(before), address::at(0.1), task_type{1}, [&](auto&) { has_followed = true; });
    graph.run(here);
  });
  EXPECT_EQ(begun, 2);
}

// The node of a chain that has returned leaves the next one where only its worker looks; a node that runs on must not.
TEST_P(gathered_nodes, or_not_do_not_hold_back_what_they_spawn) {
  for (bool const has_type : {true, false}) {
    skua::pool pool(workers(2));
    std::atomic<bool> has_begun{false};
    pool.run([&](auto& here) {
      flow graph(here);
      auto const node = [&](auto& on) {
        on.finish([&](auto& f) {
          has_type ? f.spawn(address::at(0.1) | task_type{2}, [&](auto&) { has_begun = true; })
                   : f.spawn([&](auto&) { has_begun = true; });
          skua::testing::wait_until("another worker takes it", [&] { return has_begun.load(); });
        });
      };
      graph.add(address::at(0.1), task_type{1}, node);
      graph.run(here);
    });
  }
}

TEST_P(gathered_nodes, cost_less_than_a_search_each) {
  constexpr std::uint64_t nodes = 2000;
  skua::pool pool(workers(1));
  auto const tasks = [&] {
    std::uint64_t all = 0;
    for (auto const& w : pool.counters()) all += w.tasks;
    return all;
  };
  std::uint64_t const before = tasks();
  pool.run([&](auto& here) {
    flow graph(here);
    for (std::uint64_t i = 0; i < nodes; ++i) graph.add(address::at(0.1), task_type{1}, [](auto&) {});
    graph.run(here);
  });
  EXPECT_LE(tasks() - before, nodes / 10);
}

// Two threads run flows of one pool at once, on all of its places and one more, and each waits for both halves.
TEST_P(gathered_nodes, run_beside_those_of_another_caller) {
  constexpr std::size_t nodes = 300;
  for (std::uint32_t const n : {1U, 2U}) {
    skua::pool pool(workers(n));
    std::vector<std::vector<std::atomic<int>>> ran(3);
    std::vector<std::thread> callers;
    for (auto& mine : ran) {
      mine = std::vector<std::atomic<int>>(nodes);
      callers.emplace_back([&pool, &mine] {
        pool.run([&](auto& here) {
          flow graph(here);
          add_runs(graph, nodes, [&mine](auto& inner, std::size_t i) {
            if (i % 10 == 0) inner.join([](auto&) {}, [](auto&) {});
            ++mine[i];
          });
          graph.run(here, 5);
        });
      });
    }
    for (auto& c : callers) c.join();
    for (auto const& mine : ran) {
      for (auto const& r : mine) ASSERT_EQ(r.load(), 5);
    }
  }
}

// A region of an isolated task places nothing, and gathers nothing. One that began before does: its parts lie where others may take
// them while a node waits inside of isolate().
TEST_P(gathered_nodes, run_inside_of_isolated_calls_and_around_them) {
  constexpr std::size_t nodes = 200;
  for (std::uint32_t const n : {1U, 2U, 4U}) {
    skua::pool pool(workers(n));
    std::vector<std::atomic<int>> outside(nodes);
    std::atomic<int> inside{0};
    pool.run([&](auto& here) {
      flow graph(here);
      add_runs(graph, nodes, [&](auto&, std::size_t i) {
        ++outside[i];
        if (i % 20 != 0) return;
        skua::isolate([&](auto& alone) {
          flow part(alone);
          for (int k = 0; k < 10; ++k) {
            part.add(address::at(0.3), task_type{1},
                     [&](auto& h) { h.join([&](auto&) { ++inside; }, [&](auto&) { ++inside; }); });
          }
          part.run(alone, 2);
        });
      });
      graph.run(here, 2);
    });
    for (auto const& r : outside) ASSERT_EQ(r.load(), 2);
    EXPECT_EQ(inside, 10 * 2 * 2 * 2 * 10);
  }
}

INSTANTIATE_TEST_SUITE_P(policies, gathered_nodes, ::testing::ValuesIn(skua::testing::checked_policies()),
                         skua::testing::policy_in_a_name);

TEST(gathered_nodes_under_arms, are_timed_one_by_one) {
  constexpr std::uint64_t nodes = 500;
  skua::policies::adaptive_moldable const* seen = nullptr;
  skua::pool pool({.workers = 2});
  auto const region = pool.open_region([&](skua::policies::policy_setup const& from) {
    auto made =
        std::make_unique<skua::policies::adaptive_moldable>(from.layout, from.seed, skua::policies::arms_options{});
    seen = made.get();
    return std::make_unique<skua::policies::protocol_checker>(std::move(made), from.layout.workers());
  });
  region.run([&](auto& here) {
    flow graph(here);
    for (std::uint64_t i = 0; i < nodes; ++i) graph.add(address::at(0.1), task_type{1}, [](auto&) {});
    for (std::uint64_t i = 0; i < nodes; ++i) graph.add(address::at(0.1), task_type{2}, [](auto&) {});
    graph.run(here);
  });
  EXPECT_EQ(seen->ended(1, 1), nodes);
  EXPECT_EQ(seen->ended(2, 1), nodes);
}
