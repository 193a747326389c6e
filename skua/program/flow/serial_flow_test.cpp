// SPDX-License-Identifier: MIT
// Flows on the serial elision: cycles, edges that are refused, what a node adds, levels and addresses. On random graphs: graph_test.cpp; on
// threads: flow_test.cpp.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "skua/parts/base/error.hpp"
#include "skua/program/flow/flow.hpp"
#include "skua/program/serial.hpp"

namespace {

using skua::after, skua::flow, skua::takes, skua::usage_error;

template <class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (usage_error const& wrong) {
    return wrong.what();
  }
  return "none";
}

}  // namespace

TEST(flow, cycle_is_named) {
  skua::serial here;
  flow graph(here);
  auto const a = graph.add([](auto&) {});
  auto const b = graph.add(after(a), [](auto&) {});
  auto const c = graph.add(after(b), [](auto&) {});
  graph.add(after(c), [](auto&) {});
  graph.edge(c, a);
  graph.name(b, "gemm");
  EXPECT_EQ(refusal([&] { graph.run(here); }), "flow: nodes wait for each other: node 0 -> gemm -> node 2 -> node 0");
  EXPECT_EQ(refusal([&] { static_cast<void>(graph.bottom_levels()); }),
            "flow: nodes wait for each other: node 0 -> gemm -> node 2 -> node 0");
}

TEST(flow, edge_between_two_flows_is_refused_by_name) {
  skua::serial here;
  flow load(here);
  flow solve(here);
  int ran = 0;
  auto const first = load.add([&](auto&) { return ++ran; });
  auto const second = solve.add([&](auto&) { ++ran; });
  load.name(first, "load");
  solve.name(second, "solve");
  for (auto const& said : {refusal([&] { load.edge(first, second); }), refusal([&] { solve.edge(first, second); })}) {
    EXPECT_NE(said.find("from load to solve, which belong to two flows"), std::string::npos) << said;
  }
  for (auto const& said : {refusal([&] { solve.add(after(first), [](auto&) {}); }),
                           refusal([&] { solve.add(takes(first), [](auto&, int) {}); }),
                           refusal([&] { solve.add_team(after(first), [](auto&) {}); })}) {
    EXPECT_NE(said.find("load belongs to another flow"), std::string::npos) << said;
  }
  EXPECT_EQ(solve.nodes(), 1U);
  load.run(here);
  solve.run(here);
  EXPECT_EQ(ran, 2);
}

TEST(flow, second_run_at_the_same_time_is_refused) {
  skua::serial here;
  flow graph(here);
  std::string said;
  int ran = 0;
  graph.add([&](auto& inner) {
    ++ran;
    said = refusal([&] { graph.run(inner); });
  });
  graph.run(here);
  EXPECT_NE(said.find("run while it runs"), std::string::npos) << said;
  EXPECT_EQ(ran, 1);
  graph.run(here);
  EXPECT_EQ(ran, 2);
}

TEST(flow, edge_to_a_node_that_has_begun_is_refused_by_name) {
  skua::serial here;
  flow graph(here);
  auto const early = graph.add([](auto&) {});
  graph.name(early, "early");
  std::string said;
  auto const late = graph.add(after(early), [&](auto&, auto& in) {
    auto const made = in.add([](auto&) {});
    said = refusal([&] { in.edge(made, early); });
  });
  static_cast<void>(late);
  graph.run(here);
  EXPECT_EQ(said.find("flow: the edge from node 2 to early comes too late: early may have begun"), 0U) << said;
}

TEST(flow, edge_from_a_finished_node_is_satisfied_in_this_run_and_waited_for_in_the_next) {
  skua::serial here;
  flow graph(here);
  std::string order;
  auto const first = graph.add([&](auto&) { order += '1'; });
  bool grown = false;
  graph.add(after(first), [&](auto&, auto& in) {
    order += '2';
    if (std::exchange(grown, true)) return;
    auto const made = in.add([&](auto&) { order += '3'; });
    in.edge(first, made);
  });
  graph.run(here);
  EXPECT_EQ(order, "123");
  order.clear();
  graph.run(here);
  EXPECT_EQ(order.front(), '1');
  EXPECT_EQ(order.size(), 3U);
}

TEST(flow, closures_and_values_are_destroyed_with_it) {
  auto const counted = std::make_shared<int>(0);
  {
    skua::serial here;
    flow graph(here);
    auto const a = graph.add([counted](auto&) { return counted; });
    graph.add(takes(a), [](auto&, std::shared_ptr<int> const& p) { ++*p; });
    graph.run(here, 3);
    EXPECT_EQ(counted.use_count(), 3);
  }
  EXPECT_EQ(counted.use_count(), 1);
  EXPECT_EQ(*counted, 3);
}

TEST(flow, levels_and_critical_path_weigh_by_work) {
  skua::serial here;
  flow graph(here);
  auto const a = graph.add(skua::work{1}, [](auto&) {});
  auto const b = graph.add(skua::work{5}, after(a), [](auto&) {});
  auto const c = graph.add(skua::work{2}, after(a), [](auto&) {});
  graph.add(skua::work{1}, after(b, c), [](auto&) {});
  EXPECT_EQ(graph.bottom_levels(), (std::vector<double>{7, 6, 3, 1}));
  EXPECT_EQ(graph.critical_path(), (std::vector<std::uint32_t>{0, 1, 3}));
  EXPECT_EQ(graph.edges(), 4U);
  graph.name(c, "a \"quoted\" name");
  EXPECT_NE(graph.to_dot().find("n2 [label=\"a \\\"quoted\\\" name\"];"), std::string::npos);
  EXPECT_NE(graph.to_json().find("\"critical_path\": [0, 1, 3]"), std::string::npos);
}

TEST(flow, addresses_follow_depth_and_breadth) {
  skua::serial here;
  flow graph(here);
  auto const root = graph.add(skua::address::at(0.25), [](auto&) {});
  std::vector<skua::runtime::node<void>> level;
  for (int i = 0; i < 4; ++i) level.push_back(graph.add(after(root), [](auto&) {}));
  auto const last = graph.add(after(level[0], level[3]), [](auto&) {});
  graph.address_by_breadth();
  EXPECT_EQ(root.get().hints.address.value(), skua::address::at(0.25)) << "given";
  for (std::uint64_t i = 0; i < 4; ++i)
    EXPECT_EQ(level[i].get().hints.address.value(), skua::address::of(i, 4)) << "one of four of its depth";
  EXPECT_EQ(last.get().hints.address.value(), skua::address::at(0.5)) << "alone at its depth";
}

TEST(flow, empty_one_runs) {
  skua::serial here;
  flow graph(here);
  graph.run(here);
  EXPECT_EQ(graph.nodes(), 0U);
  EXPECT_TRUE(graph.critical_path().empty());
}
