// SPDX-License-Identifier: MIT
// A trace has the graph that ran: every node once, with a begin and an end, and every edge, on threads and simulated, also of
// nodes that nodes add, of teams, and of runs that fail.
#include "skua/program/flow/flow_trace.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "skua/machine/sim/live_runs_test.hpp"
#include "skua/machine/sim/run_trace.hpp"
#include "skua/machine/sim/simulate.hpp"
#include "skua/parts/trace/trace_reader.hpp"
#include "skua/policy/registry.hpp"
#include "skua/skua.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

using trace::event;
using trace::kind;
using trace::trace_data;

constexpr char const* every_policy[] = {"random", "hierarchical", "adws", "numa-ws", "replay", "only:strategies", "only:arms", "auto"};

/// A graph by numbers: edges lead from smaller to larger ones.
struct graph_of_numbers {
  std::uint32_t nodes = 0;
  std::vector<std::vector<std::uint32_t>> before;

  explicit graph_of_numbers(std::uint32_t n) : nodes(n), before(n) {}
  graph_of_numbers(unsigned seed, std::uint32_t n) : graph_of_numbers(n) {
    std::mt19937 dice(seed);
    for (std::uint32_t i = 1; i < n; ++i) {
      std::set<std::uint32_t> chosen;
      for (auto k = dice() % 4; k > 0; --k)
        chosen.insert(static_cast<std::uint32_t>(dice() % (dice() % 3 == 0 ? 1 : i)));
      before[i].assign(chosen.begin(), chosen.end());
    }
  }
  [[nodiscard]] std::multiset<std::pair<std::uint32_t, std::uint32_t>> edges() const {
    std::multiset<std::pair<std::uint32_t, std::uint32_t>> all;
    for (std::uint32_t to = 0; to < nodes; ++to)
      for (std::uint32_t const from : before[to]) all.insert({from, to});
    return all;
  }
  /// Every seventh node may run as a team.
  void add_to(auto& graph) const {
    std::vector<node<void>> made;
    for (std::uint32_t i = 0; i < nodes; ++i) {
      auto const hints = address::of(i, nodes) | task_type{.number = 5};
      if (i % 7 == 3) {
        made.push_back(graph.add_team(hints, [](auto& mine) { mine.here().leaf(flops{40}, [] {}); }));
      } else {
        made.push_back(graph.add(hints, [](auto& here) { here.leaf(flops{40}, [] {}); }));
      }
      if (i % 3 == 1) graph.name(made.back(), i % 2 == 0 ? "even" : "odd");
      for (std::uint32_t const from : before[i]) graph.edge(made[from], made[i]);
    }
  }
};

/// What a trace says of one run of a flow.
struct seen_flow {
  std::uint64_t began_with = 0, ended_with = 0;
  std::size_t begins = 0, ends = 0;                                                            ///< of the flow
  std::map<std::uint32_t, std::vector<std::pair<std::size_t, event>>> node_begins, node_ends;  ///< with their workers
  std::multiset<std::pair<std::uint32_t, std::uint32_t>> edges;
};

std::map<std::uint32_t, seen_flow> flows_in(trace_data const& all) {
  std::map<std::uint32_t, seen_flow> flows;
  for (std::size_t w = 0; w < all.tracks.size(); ++w) {
    EXPECT_EQ(all.tracks[w].lost, 0u);
    for (event const& e : all.tracks[w].events) {
      if (e.what < kind::flow_began || e.what > kind::released) continue;
      seen_flow& f = flows[static_cast<std::uint32_t>(e.id >> 32)];
      auto const number = static_cast<std::uint32_t>(e.id);
      if (e.what == kind::flow_began) f.began_with = e.value, ++f.begins;
      if (e.what == kind::flow_ended) f.ended_with = e.value, ++f.ends;
      if (e.what == kind::node_began) f.node_begins[number].push_back({w, e});
      if (e.what == kind::node_ended) f.node_ends[number].push_back({w, e});
      trace::for_each_successor(e, [&](std::uint64_t to) { f.edges.insert({number, static_cast<std::uint32_t>(to)}); });
    }
  }
  return flows;
}

void expect_is(seen_flow const& f, graph_of_numbers const& g, trace_data const& all) {
  EXPECT_EQ(f.begins, 1u);
  EXPECT_EQ(f.ends, 1u);
  EXPECT_EQ(f.began_with, g.nodes);
  EXPECT_EQ(f.ended_with, g.nodes);
  EXPECT_EQ(f.edges, g.edges());
  ASSERT_EQ(f.node_begins.size(), g.nodes);
  for (auto const& [number, begins] : f.node_begins) {
    event const& first = begins.front().second;
    EXPECT_EQ(begins.size(), first.count) << "a begin for each member";
    EXPECT_EQ(f.node_ends.at(number).size(), begins.size());
    EXPECT_EQ(first.detail, 5u);
    std::string_view const name = all.name(first.other);
    if (number % 3 == 1) {
      EXPECT_EQ(name, number % 2 == 0 ? "even" : "odd");
    } else {
      EXPECT_NE(name.find("lambda"), std::string_view::npos) << name;  // compilers say in different words where it is
    }
  }
}

class traced_flow : public ::testing::TestWithParam<char const*> {
 protected:
  traced_flow() {
    std::string where = (std::filesystem::temp_directory_path() / "skua_flow_trace_XXXXXX").string();
    folder_ = ::mkdtemp(where.data());
  }
  ~traced_flow() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string path() const { return (folder_ / "t").string(); }

  template <class F>
  trace_data on_threads(std::uint32_t workers, F&& f) {
    {
      pool p({.workers = workers, .policy = GetParam(), .trace = path()});
      p.run(f);
    }
    return trace::read_trace(path());
  }
  template <class F>
  trace_data simulated(std::uint32_t workers, F&& f) {
    struct traced final : sim::observer {
      traced(trace::trace_file& to, std::uint32_t of, sim::tick ticks_per_ns) : all(to, of, ticks_per_ns) {}
      [[nodiscard]] sim::run_trace* trace() noexcept override { return &all; }
      sim::run_trace all;
    };
    {
      auto const file = trace::trace_file::make({.path = path(), .tracks = workers, .is_virtual = true});
      sim::rules by = sim::sleepy(1);
      by.unit = unit::flops;
      traced watcher(*file, workers, by.ticks_per_ns);
      layout const where = sim::layout_of(workers);
      auto const scheduler = policies::make_policy(GetParam(), where, by.seed);
      sim::flat_costs prices(by);
      static_cast<void>(sim::simulate(f, *scheduler, where, by, prices, watcher));
    }
    return trace::read_trace(path());
  }

  std::filesystem::path folder_;
};
INSTANTIATE_TEST_SUITE_P(policies, traced_flow, ::testing::ValuesIn(every_policy));

TEST_P(traced_flow, has_every_node_and_every_edge) {
  unsigned const seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  graph_of_numbers const g(seed, 200);
  auto const program = [&](auto& here) {
    flow graph(here);
    g.add_to(graph);
    graph.run(here, 2);
  };
  for (std::uint32_t const workers : {1u, 4u}) {
    for (bool const is_simulated : {false, true}) {
      trace_data const all = is_simulated ? simulated(workers, program) : on_threads(workers, program);
      auto const flows = flows_in(all);
      ASSERT_EQ(flows.size(), 2u) << "each run has a number of its own";
      for (auto const& [number, f] : flows) expect_is(f, g, all);
    }
  }
}

TEST_P(traced_flow, a_simulated_node_begins_when_its_predecessors_have_ended) {
  graph_of_numbers const g(7, 150);
  trace_data const all = simulated(4, [&](auto& here) {
    flow graph(here);
    g.add_to(graph);
    graph.run(here);
  });
  seen_flow const f = flows_in(all).begin()->second;
  for (auto const& [from, to] : f.edges) {
    for (auto const& [w, end] : f.node_ends.at(from))
      for (auto const& [v, begin] : f.node_begins.at(to)) EXPECT_LE(end.ticks, begin.ticks) << from << " -> " << to;
  }
  for (auto const& [number, begins] : f.node_begins)
    EXPECT_LT(begins.front().second.ticks, f.node_ends.at(number).front().second.ticks) << "a leaf takes time";
}

TEST_P(traced_flow, nodes_that_a_node_adds_have_edges_from_it) {
  auto const program = [](auto& here) {
    flow graph(here);
    auto const root = graph.add([](auto&, auto& in) {
      auto const first = in.add([](auto&) {});
      for (int i = 0; i < 4; ++i) in.add(after(first), [](auto&) {});
    });
    graph.add(after(root), [](auto&) {});
    graph.run(here);
  };
  // 0: the root; 1: the node after it; 2: the first one added, for which 3 to 6 wait.
  std::multiset<std::pair<std::uint32_t, std::uint32_t>> const right{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5},
                                                                     {0, 6}, {2, 3}, {2, 4}, {2, 5}, {2, 6}};
  for (bool const is_simulated : {false, true}) {
    auto const flows = flows_in(is_simulated ? simulated(2, program) : on_threads(2, program));
    ASSERT_EQ(flows.size(), 1u);
    seen_flow const& f = flows.begin()->second;
    EXPECT_EQ(f.began_with, 2u);
    EXPECT_EQ(f.ended_with, 7u);
    EXPECT_EQ(f.node_ends.size(), 7u);
    EXPECT_EQ(f.edges, right);
  }
}

TEST_P(traced_flow, a_node_that_throws_ends_and_so_does_the_flow) {
  auto const program = [](auto& here) {
    flow graph(here);
    auto const bad = graph.add([](auto&) { throw std::runtime_error("bad"); });
    graph.add(after(bad), [](auto&) {});
    EXPECT_THROW(graph.run(here), std::runtime_error);
  };
  for (bool const is_simulated : {false, true}) {
    auto const flows = flows_in(is_simulated ? simulated(2, program) : on_threads(2, program));
    ASSERT_EQ(flows.size(), 1u);
    seen_flow const& f = flows.begin()->second;
    EXPECT_EQ(f.ends, 1u);
    EXPECT_EQ(f.node_begins.size(), 1u);
    EXPECT_EQ(f.node_ends.at(0).size(), 1u);
    EXPECT_TRUE(f.edges.empty()) << "nobody was released";
  }
}

TEST_P(traced_flow, a_node_that_waits_may_end_on_another_worker_and_flows_may_nest) {
  trace_data const all = on_threads(4, [](auto& here) {
    flow outer(here);
    for (int i = 0; i < 8; ++i) {
      outer.add([](auto& h) {
        flow inner(h);
        auto const first =
            inner.add([](auto& in) { in.join_each(std::vector<int>(8), [](auto&, int) { ::usleep(50); }); });
        inner.add(after(first), [](auto&) {});
        inner.run(h);
      });
    }
    outer.run(here);
  });
  auto const flows = flows_in(all);
  ASSERT_EQ(flows.size(), 9u);
  for (auto const& [number, f] : flows) {
    EXPECT_EQ(f.node_ends.size(), f.began_with);
    EXPECT_EQ(f.edges.size(), f.began_with == 2 ? 1u : 0u);
  }
}

TEST(flow_names, nodes_share_a_name_and_each_has_its_own_number) {
  serial here;
  flow graph(here);
  auto const a = graph.add([](auto&) {});
  auto const b = graph.add(after(a), [](auto&) {});
  auto const c = graph.add(after(b), [](auto&) {});
  graph.name(a, "gemm");
  graph.name(b, "gemm");
  EXPECT_EQ(graph.name_of(a.get()), "gemm");
  EXPECT_EQ(graph.name_of(b.get()), "gemm");
  EXPECT_EQ(graph.name_of(c.get()), "node 2");
  EXPECT_EQ(graph.names(), (std::vector<std::string>{"", "gemm"}));
  graph.name(b, "syrk");
  EXPECT_EQ(graph.name_of(b.get()), "syrk");
  EXPECT_EQ(graph.name_of(a.get()), "gemm");
}

}}}}  // namespace skua::v0::runtime
