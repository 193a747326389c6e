// SPDX-License-Identifier: MIT
// What a flow says of its graph, and in which order it runs, on random graphs against the definitions. Without threads: what a scheduler does
// with a flow is in flow_test.cpp.
#include "skua/program/flow/graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/program/flow/flow.hpp"
#include "skua/program/serial.hpp"
#include "tests/programs/shuffled.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

using edge = std::pair<std::uint32_t, std::uint32_t>;

/// A flow whose nodes note their numbers, and its edges, as the test knows them.
struct drawn_graph {
  serial here;
  flow<serial> made;
  std::vector<node<void>> nodes;
  std::vector<double> work;
  std::vector<edge> edges;
  std::vector<std::uint32_t> ran;

  std::uint32_t add(double amount) {
    auto const number = static_cast<std::uint32_t>(nodes.size());
    work.push_back(amount);
    nodes.emplace_back(made.add(runtime::work{amount}, [this, number](auto&) { ran.push_back(number); }));
    return number;
  }
  void connect(std::uint32_t from, std::uint32_t to) {
    made.edge(nodes[from], nodes[to]);
    edges.emplace_back(from, to);
  }
  /// Edges go from lower numbers to higher ones, or the other way round.
  drawn_graph(dice& roll, std::uint32_t n, bool forwards) {
    for (std::uint32_t i = 0; i < n; ++i) add(1 + roll.below(9));
    for (std::uint32_t to = 1; to < n; ++to) {
      for (std::uint32_t k = roll.below(4); k > 0; --k) {
        std::uint32_t const from = roll.below(to);
        forwards ? connect(from, to) : connect(to, from);
      }
    }
  }

  [[nodiscard]] std::vector<double> levels() const {
    std::vector<double> level = work;
    for (std::size_t pass = 0; pass < nodes.size(); ++pass) {
      for (auto const& [from, to] : edges) level[from] = std::max(level[from], work[from] + level[to]);
    }
    return level;
  }
};

/// f(graph, seed) for some graphs, also the smallest.
template <class F>
void on_graphs(F const& f) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    dice roll(seed);
    std::uint32_t const n = seed <= 4 ? static_cast<std::uint32_t>(seed) : 1 + roll.below(30);
    drawn_graph g(roll, n, seed % 2 == 0);
    f(g, roll);
  }
}

TEST(graph, every_node_runs_once_after_its_predecessors_in_every_run) {
  on_graphs([](drawn_graph& g, dice&) {
    for (int round = 0; round < 3; ++round) {
      g.ran.clear();
      g.made.run(g.here);
      std::vector<std::size_t> at(g.nodes.size(), ~std::size_t{0});
      ASSERT_EQ(g.ran.size(), g.nodes.size());
      for (std::size_t i = 0; i < g.ran.size(); ++i) at[g.ran[i]] = i;
      for (auto const& [from, to] : g.edges) EXPECT_LT(at[from], at[to]);
    }
    EXPECT_EQ(g.made.nodes(), g.nodes.size());
    EXPECT_EQ(g.made.edges(), g.edges.size());
  });
}

TEST(graph, levels_and_the_critical_path_are_those_of_the_definition) {
  on_graphs([](drawn_graph& g, dice&) {
    std::vector<double> const level = g.levels();
    EXPECT_EQ(g.made.bottom_levels(), level);
    std::vector<std::uint32_t> const path = g.made.critical_path();
    ASSERT_FALSE(path.empty());
    EXPECT_EQ(level[path.front()], std::ranges::max(level));
    double sum = 0;
    for (std::size_t i = 0; i < path.size(); ++i) {
      sum += g.work[path[i]];
      EXPECT_TRUE(i == 0 || std::ranges::count(g.edges, edge(path[i - 1], path[i])) > 0);
    }
    EXPECT_EQ(sum, level[path.front()]);
  });
}

/// How often a text has a part.
std::size_t occurrences(std::string const& text, std::string const& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(graph, exports_have_every_node_every_edge_and_the_critical_path) {
  on_graphs([](drawn_graph& g, dice& roll) {
    std::uint32_t const named = roll.below(static_cast<std::uint32_t>(g.nodes.size()));
    g.made.name(g.nodes[named], "a \"b\" \\ \n\x1f c~ \xc3\xa4");
    std::string const quoted = R"("a \"b\" \\ \u000a\u001f c~ )"
                               "\xc3\xa4\"";
    std::vector<std::uint32_t> const path = g.made.critical_path();
    std::string const dot = g.made.to_dot();
    std::string const json = g.made.to_json();
    std::vector<double> const level = g.levels();
    std::string nodes;
    std::string critical;
    for (std::uint32_t i = 0; i < g.nodes.size(); ++i) {
      std::string const number = std::to_string(i);
      std::string const name = i == named ? quoted : "\"node " + number + "\"";
      bool const is_red = std::ranges::count(path, i) > 0;
      EXPECT_EQ(occurrences(dot, "  n" + number + " [label=" + name + (is_red ? ", color=red];\n" : "];\n")), 1U)
          << dot;
      nodes += (i > 0 ? ", " : "") + std::string("{\"id\": ") + number + ", \"name\": " + name +
               ", \"work\": " + std::to_string(static_cast<int>(g.work[i])) +
               ", \"level\": " + std::to_string(static_cast<int>(level[i])) + "}";
    }
    for (std::uint32_t const i : path) critical += (critical.empty() ? "" : ", ") + std::to_string(i);
    EXPECT_EQ(json.find("{\"nodes\": [" + nodes + "], \"edges\": ["), 0U) << json;
    EXPECT_TRUE(json.ends_with("], \"critical_path\": [" + critical + "]}\n")) << json;
    EXPECT_TRUE(dot.starts_with("digraph flow {\n") && dot.ends_with("}\n")) << dot;
    EXPECT_EQ(occurrences(dot, " -> "), g.edges.size());
    std::size_t edges_in_json = 0;
    for (auto const& [from, to] : std::set(g.edges.begin(), g.edges.end())) {
      auto const n = static_cast<std::size_t>(std::ranges::count(g.edges, edge(from, to)));
      EXPECT_EQ(occurrences(dot, "  n" + std::to_string(from) + " -> n" + std::to_string(to) + ";\n"), n);
      EXPECT_EQ(occurrences(json, "[" + std::to_string(from) + ", " + std::to_string(to) + "]"),
                n + (critical == std::to_string(from) + ", " + std::to_string(to) ? 1 : 0));
      edges_in_json += n;
    }
    EXPECT_EQ(edges_in_json, g.edges.size());
    EXPECT_EQ(occurrences(json, "[, "), 0U) << json;
    EXPECT_EQ(occurrences(json, "], ["), g.edges.empty() ? 0 : g.edges.size() - 1);
  });
}

TEST(graph, addresses_follow_depth_and_breadth) {
  on_graphs([](drawn_graph& g, dice&) {
    std::vector<std::uint32_t> depth(g.nodes.size());
    for (std::size_t pass = 0; pass < g.nodes.size(); ++pass) {
      for (auto const& [from, to] : g.edges) depth[to] = std::max(depth[to], depth[from] + 1);
    }
    g.made.address_by_breadth();
    std::vector<std::uint64_t> before(g.nodes.size());
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
      auto const all = static_cast<std::uint64_t>(std::ranges::count(depth, depth[i]));
      EXPECT_EQ(g.nodes[i].get().hints.address.value(), address::of(before[depth[i]]++, all)) << i;
    }
  });
}

TEST(graph, a_cycle_is_refused_wherever_it_is_and_named_in_its_order) {
  for (std::uint32_t const length : {1U, 2U, 3U, 20U, 21U, 40U}) {
    SCOPED_TRACE(length);
    dice roll(length);
    drawn_graph g(roll, 5, true);
    std::uint32_t const first = g.add(1);
    for (std::uint32_t i = 1; i < length; ++i) g.connect(g.add(1) - 1, first + i);
    g.connect(first + length - 1, first);
    g.connect(first, g.add(1));  // waits for the cycle and is no part of it
    g.add(1);                    // runs
    std::string const start = "flow: nodes wait for each other: node " + std::to_string(first) + " -> ";
    for (int use = 0; use < 3; ++use) {
      try {
        use == 0 ? g.made.run(g.here) : use == 1 ? static_cast<void>(g.made.to_dot()) : g.made.address_by_breadth();
        ADD_FAILURE() << "it is refused";
      } catch (usage_error const& e) {
        std::string said = e.what();
        EXPECT_EQ(said.find(start), 0U) << said;
        EXPECT_TRUE(said.ends_with(" -> node " + std::to_string(first)) || length == 1) << said;
        EXPECT_EQ(occurrences(said, " -> "), length <= 20 ? length : 21U) << said;
        EXPECT_EQ(occurrences(said, "... -> "), length <= 20 ? 0U : 1U) << said;
        EXPECT_EQ(occurrences(said, "node " + std::to_string(first + length)), 0U) << said;
      }
    }
  }
}

/// Of nodes that touch blocks, one waits for another one if and only if the blocks ask for it: directly, or by others.
TEST(graph, blocks_order_what_touches_them_and_nothing_else) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    dice roll(seed);
    flow<serial> graph;
    constexpr std::size_t n = 20;
    std::array<int, 3> const blocks{};
    std::vector<std::array<int, 3>> touches(n);  // 0: not, 1: reads, 2: writes
    std::vector<node<void>> nodes;
    for (auto& t : touches) {
      for (int& how : t) how = static_cast<int>(roll.below(3));
      auto const f = [](auto&) {};
      auto const read = [&](std::size_t b) { return reads{t[b] == 1 ? static_cast<void const*>(&blocks[b]) : &t, 1}; };
      auto const written = [&](std::size_t b) {
        return writes{t[b] == 2 ? static_cast<void const*>(&blocks[b]) : &t, 1};
      };
      nodes.emplace_back(graph.add(read(0), written(0), read(1), written(1), read(2), written(2), f));
    }
    std::vector<std::vector<bool>> waits(n, std::vector<bool>(n));
    for (std::size_t i = 0; i < n; ++i) {
      for (auto const* e = nodes[i].get().links.successors(); e != nullptr; e = e->next)
        waits[e->successor->number][i] = true;
    }
    std::vector<std::vector<bool>> asked(n, std::vector<bool>(n));
    for (std::size_t to = 0; to < n; ++to) {
      for (std::size_t from = 0; from < to; ++from) {
        for (std::size_t b = 0; b < 3; ++b) {
          if (touches[from][b] + touches[to][b] >= 3 && touches[from][b] > 0 && touches[to][b] > 0)
            asked[to][from] = true;
        }
      }
    }
    auto const close = [](std::vector<std::vector<bool>>& before) {
      for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t i = 0; i < n; ++i) {
          for (std::size_t j = 0; before[i][k] && j < n; ++j) before[i][j] = before[i][j] || before[k][j];
        }
      }
    };
    close(waits);
    close(asked);
    EXPECT_EQ(waits, asked);
    EXPECT_LE(graph.edges(), n * n);
  }
}

TEST(graph, what_touches_a_block_waits_for_each_of_the_others_once) {
  flow<serial> graph;
  int const block = 0;
  auto const f = [](auto&) {};
  graph.add(writes{&block, 1}, f);
  graph.add(reads{&block, 1}, writes{&block, 1}, f);
  EXPECT_EQ(graph.edges(), 1U);
  for (int i = 0; i < 3; ++i) graph.add(reads{&block, 1}, f);
  EXPECT_EQ(graph.edges(), 4U);
  graph.add(writes{&block, 1}, f);
  EXPECT_EQ(graph.edges(), 8U) << "the writer and three readers";
  graph.add(writes{&block, 1}, f);
  EXPECT_EQ(graph.edges(), 9U) << "readers before the last writer are not waited for";
}

TEST(graph, names_are_kept_once_and_changes_while_it_runs_are_refused) {
  serial here;
  flow<serial> graph;
  int refused = 0;
  node<void> a;
  a = graph.add([&](auto&) {
    auto const refuses = [&](auto const& change, std::string const& what) {
      try {
        change();
      } catch (usage_error const& e) {
        refused += std::string(e.what()).find(what + " while it runs") != std::string::npos ? 1 : 0;
      }
    };
    refuses([&] { graph.add([](auto&) {}); }, "add");
    refuses([&] { graph.add_team([](auto&) {}); }, "add_team");
    refuses([&] { graph.edge(a, a); }, "edge");
    refuses([&] { graph.name(a, "b"); }, "a name");
    refuses([&] { graph.address_by_breadth(); }, "addresses");
  });
  auto const b = graph.add([](auto&) {});
  graph.name(a, "x");
  graph.name(b, "x");
  EXPECT_EQ(graph.names(), (std::vector<std::string>{"", "x"}));
  EXPECT_EQ(graph.name_of(b.get()), "x");
  graph.name(b, "y");
  EXPECT_EQ(graph.names(), (std::vector<std::string>{"", "x", "y"}));
  graph.run(here);
  EXPECT_EQ(refused, 5);
  EXPECT_EQ(graph.nodes(), 2U);
  graph.edge(a, b);  // the run has ended
  graph.run(here);
}

/// Nodes that add nodes: the new ones run in the same run, and in the next ones as all others.
TEST(graph, nodes_that_are_added_in_a_run_run_in_it_and_in_the_next) {
  serial here;
  flow<serial> graph;
  std::vector<int> order;
  bool grows = true;
  graph.add([&](auto&, auto& in) {
    order.push_back(0);
    if (!grows) return;
    auto const first = in.add([&](auto&) { return order.push_back(1), 7; });
    auto const second = in.add(takes(first), [&](auto&, int x) { order.push_back(x); });
    auto const third = in.add(after(second), [&](auto&, auto& deeper) {
      order.push_back(3);
      if (grows) deeper.add([&](auto&) { order.push_back(4); });
    });
    auto const before_second = in.add([&](auto&) { order.push_back(2); });
    in.edge(before_second, second);
    static_cast<void>(third);
  });
  for (int round = 0; round < 3; ++round) {
    order.clear();
    graph.run(here);
    grows = false;
    ASSERT_EQ(order.size(), 6U);
    EXPECT_EQ((std::set<int>(order.begin(), order.end())), (std::set<int>{0, 1, 2, 3, 4, 7}));
    auto const at = [&](int n) { return std::ranges::find(order, n) - order.begin(); };
    EXPECT_LT(at(1), at(7));
    EXPECT_LT(at(2), at(7));
    EXPECT_LT(at(7), at(3));
  }
  EXPECT_EQ(graph.nodes(), 6U);
}

TEST(graph, failure_and_stop_end_a_run_and_the_next_is_whole) {
  for (int const how : {0, 1, 2}) {
    serial here;
    flow<serial> graph;
    int runs = 0;
    std::vector<int> ran;
    std::stop_source source;
    node<void> before;
    for (int i = 0; i < 10; ++i) {
      auto const f = [&, i](auto&) {
        ran.push_back(i);
        if (i != 4 || runs > 1) return;
        if (how == 0) throw std::out_of_range("4");
        if (how == 1) throw cancelled{};
        source.request_stop();
      };
      before = i == 0 ? node<void>(graph.add(f)) : node<void>(graph.add(after(before), f));
    }
    for (runs = 1; runs <= 3; ++runs) {
      ran.clear();
      auto const run = [&] { graph.run(here); };
      if (runs > 1) {
        EXPECT_NO_THROW(run());
        EXPECT_EQ(ran.size(), 10U);
      } else if (how == 0) {
        EXPECT_THROW(run(), std::out_of_range);
      } else {
        EXPECT_THROW(here.with_stop(source.get_token(), [&](auto&) { run(); }), cancelled);
      }
      if (runs == 1) {
        EXPECT_EQ(ran, (std::vector{0, 1, 2, 3, 4}));
      }
    }
  }
}

TEST(graph, a_failure_beside_a_cycle_and_a_stop_in_the_last_node_are_what_they_are) {
  serial here;
  flow<serial> failing;
  auto const a = failing.add([](auto&) {});
  auto const b = failing.add(after(a), [](auto&) {});
  failing.edge(b, a);
  failing.add([](auto&) { throw std::out_of_range("the node without a cycle"); });
  EXPECT_THROW(failing.run(here), std::out_of_range);

  flow<serial> stopped;
  std::stop_source source;
  stopped.add(after(stopped.add([](auto&) {})), [&](auto&) { source.request_stop(); });
  EXPECT_NO_THROW(here.with_stop(source.get_token(), [&](auto& h) { stopped.run(h); })) << "nothing was dropped";
}

/// Writes its number down when it ends.
struct marked {
  int number;
  std::vector<int>* ends;
  marked(int n, std::vector<int>* e) : number(n), ends(e) {}
  marked(marked&& o) noexcept : number(o.number), ends(std::exchange(o.ends, nullptr)) {}
  ~marked() {
    if (ends != nullptr) ends->push_back(number);
  }
};

TEST(graph, values_are_new_in_each_run_and_destroyed_once) {
  std::vector<int> ends;
  {
    serial here;
    flow<serial> graph;
    int runs = 0;
    std::vector<int> got;
    auto const a = graph.add([&](auto&) {
      if (++runs == 2) throw std::out_of_range("2");
      return marked(runs, &ends);
    });
    graph.add(takes(a), [&](auto&, marked const& m) { got.push_back(m.number); });
    graph.run(here);
    EXPECT_TRUE(ends.empty());
    EXPECT_THROW(graph.run(here), std::out_of_range);
    EXPECT_EQ(ends, (std::vector{1}));
    graph.run(here);
    graph.run(here);
    EXPECT_EQ(got, (std::vector{1, 3, 4}));
    EXPECT_EQ(ends, (std::vector{1, 3}));
  }
  EXPECT_EQ(ends, (std::vector{1, 3, 4}));
}

}}}}  // namespace skua::v0::runtime
