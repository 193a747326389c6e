// SPDX-License-Identifier: MIT
// Addresses that a run derives from depth and breadth: which graphs get them, under which policies, and that they are dropped
// when they no longer hold (flow.md, "Addresses").
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "skua/program/flow/flow.hpp"
#include "skua/skua.hpp"

namespace {

using skua::address, skua::hint;
using graph_type = skua::flow<skua::task_context>;
using node = skua::runtime::node<void>;

constexpr std::uint32_t workers = 2;
constexpr std::uint32_t keys = 4 * workers;

/// Nodes in layers of `width`; node i of a layer waits for node source(i) of the one before.
template <class Source>
std::vector<node> add_layers(graph_type& graph, std::uint32_t width, std::uint32_t depth, Source&& source) {
  std::vector<node> all;
  for (std::uint32_t d = 0; d < depth; ++d) {
    for (std::uint32_t i = 0; i < width; ++i) {
      auto const nothing = [](auto&) {};
      all.push_back(d == 0 ? graph.add(nothing) : graph.add(skua::after(all[(d - 1) * width + source(i)]), nothing));
    }
  }
  return all;
}
std::vector<node> add_chains(graph_type& graph, std::uint32_t width, std::uint32_t depth) {
  return add_layers(graph, width, depth, [](std::uint32_t i) { return i; });
}

void run_under(std::string policy, graph_type& graph) {
  skua::pool pool({.workers = workers, .policy = std::move(policy)});
  pool.run([&](auto& here) { graph.run(here); });
}

std::size_t with_address(std::vector<node> const& all) {
  std::size_t n = 0;
  for (node const& one : all) n += one.get().hints.address ? 1 : 0;
  return n;
}

}  // namespace

TEST(derived_addresses, are_the_positions_among_the_nodes_of_a_depth_as_finely_as_the_policy_tells_them_apart) {
  for (std::uint32_t const width : {1U, 4U, 8U, 100U}) {
    graph_type graph;
    std::vector<node> const all = add_chains(graph, width, 5);
    run_under("arms:derive", graph);
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::uint64_t const key = (2 * (i % width) + 1) * keys / (2 * width);
      EXPECT_EQ(all[i].get().hints.address.value(), address::of(key, keys)) << width << " chains, node " << i;
    }
  }
}

TEST(derived_addresses, are_for_policies_that_start_nodes_at_their_addresses) {
  graph_type graph;
  std::vector<node> const all = add_chains(graph, 6, 3);
  for (std::string const policy :
       {"random", "adws:widen", "arms", "checked:arms:derive", "only:hierarchical", "only:arms", "auto",
        "forks=adws,nodes=arms:derive", "forks=numa-ws,nodes=arms:derive", "only:strategies",
        "forks=random,nodes=arms:width=1,derive", "adws"}) {
    run_under(policy, graph);
    EXPECT_EQ(with_address(all), policy == "only:arms" || policy.ends_with("derive") ? all.size() : 0U) << policy;
  }
}

TEST(derived_addresses, are_for_graphs_of_which_no_node_says_where_its_data_are) {
  for (hint const& own : {as_hint(address::at(0.3)), as_hint(skua::at{skua::place_id{0}})}) {
    graph_type graph;
    std::vector<node> const all = add_chains(graph, 6, 3);
    run_under("arms:derive", graph);
    EXPECT_EQ(with_address(all), all.size());
    graph.add(own, [](auto&) {});
    run_under("arms:derive", graph);
    EXPECT_EQ(with_address(all), 0U) << "the derived ones are dropped";
  }
}

TEST(derived_addresses, are_for_graphs_whose_nodes_mostly_follow_one_at_their_address) {
  graph_type irregular;
  auto const shuffled = add_layers(irregular, 16, 10, [](std::uint32_t i) { return (7 * i + 5) % 16; });
  run_under("arms:derive", irregular);
  EXPECT_EQ(with_address(shuffled), 0U);
  graph_type independent;
  auto const alone = add_chains(independent, 100, 1);
  run_under("arms:derive", independent);
  EXPECT_EQ(with_address(alone), 0U);
  graph_type tree;
  std::vector<node> all;
  for (std::uint32_t i = 0; i < 127; ++i)
    all.push_back(i == 0 ? tree.add([](auto&) {}) : tree.add(skua::after(all[(i - 1) / 2]), [](auto&) {}));
  run_under("arms:derive", tree);
  EXPECT_EQ(with_address(all), all.size()) << "halves of halves";
}

TEST(derived_addresses, are_not_for_a_flow_that_runs_where_data_are) {
  for (hint const& around : {hint{}, as_hint(address::at(0.3)), as_hint(skua::at{skua::place_id{0}})}) {
    graph_type inner;
    std::vector<node> const all = add_chains(inner, 6, 3);
    skua::pool pool({.workers = workers, .policy = "only:arms"});
    pool.run([&](auto& here) {
      graph_type outer;
      outer.add(around, [&](auto& on) { inner.run(on); });
      outer.derive_addresses(false);
      outer.run(here);
    });
    EXPECT_EQ(with_address(all), around == hint{} ? all.size() : 0U);
  }
}

TEST(derived_addresses, can_be_switched_off) {
  graph_type graph;
  std::vector<node> const all = add_chains(graph, 6, 3);
  run_under("arms:derive", graph);
  EXPECT_EQ(with_address(all), all.size());
  graph.derive_addresses(false);
  run_under("arms:derive", graph);
  EXPECT_EQ(with_address(all), 0U);
  graph.derive_addresses(true);
  run_under("arms:derive", graph);
  EXPECT_EQ(with_address(all), all.size());
}

TEST(derived_addresses, follow_changes_of_the_graph) {
  graph_type graph;
  std::vector<node> all = add_chains(graph, 2, 3);
  run_under("arms:derive", graph);
  EXPECT_EQ(all[0].get().hints.address.value(), address::of(2, keys));
  std::vector<node> const more = add_chains(graph, 2, 3);
  run_under("arms:derive", graph);
  EXPECT_EQ(all[0].get().hints.address.value(), address::of(1, keys)) << "the first of four";
  EXPECT_EQ(more[5].get().hints.address.value(), address::of(7, keys));
  for (std::size_t i = 0; i < 6; ++i) graph.edge(all[4], more[i]);
  run_under("arms:derive", graph);
  EXPECT_EQ(all[0].get().hints.address.value(), address::of(2, keys)) << "the first of two";
}

TEST(derived_addresses, of_nodes_that_a_run_adds_come_with_the_next_run) {
  graph_type graph;
  std::optional<node> added;
  node adds;
  auto const first = graph.add([](auto&) {});
  adds = graph.add(skua::after(first), [&](auto&, auto& in) {
    if (!added) added = in.add(skua::after(adds), [](auto&) {});
  });
  run_under("arms:derive", graph);
  EXPECT_FALSE(added->get().hints.address) << "it inherits its parent's";
  run_under("arms:derive", graph);
  EXPECT_TRUE(added->get().hints.address);
}

TEST(derived_addresses, yield_to_those_that_the_program_asks_for) {
  graph_type graph;
  std::vector<node> const all = add_chains(graph, 3, 2);
  run_under("arms:derive", graph);
  graph.address_by_breadth();
  run_under("random", graph);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].get().hints.address.value(), address::of(i % 3, 3));
}

TEST(derived_addresses, leave_it_to_the_run_to_refuse_a_cycle) {
  graph_type graph;
  std::vector<node> const all = add_chains(graph, 2, 3);
  graph.edge(all[4], all[2]);
  EXPECT_THROW(run_under("arms:derive", graph), skua::usage_error);
  EXPECT_EQ(with_address(all), 0U);
}

TEST(derived_addresses, or_not_nodes_on_the_critical_path_are_marked_if_the_policy_asks) {
  graph_type graph;
  std::vector<node> all;
  for (double const work : {1.0, 5.0, 2.0, 9.0})
    all.push_back(graph.add(skua::work{work}, skua::task_type{3}, address::at(0.5), [](auto&) {}));
  all.push_back(graph.add(skua::after(all[0], all[2]), address::at(0.5), [](auto&) {}));
  all.push_back(graph.add_team(skua::work{9}, skua::after(all[2]), skua::task_type{4}, [](auto&) {}));
  auto const marked = [&] {
    std::string which;
    for (node const& n : all) {
      hint const& h = n.get().hints;
      which += h.type && ((*h.type).moldable & skua::runtime::on_critical_path) != 0 ? '1' : '0';
    }
    return which;
  };
  run_under("arms:derive", graph);
  EXPECT_EQ(marked(), "000000");
  run_under("checked:arms:critical=on", graph);
  EXPECT_EQ(marked(), "001001") << "2 + 9";
  graph.edge(all[3], all[4]);
  graph.edge(all[4], all[5]);
  run_under("arms:critical=on", graph);
  EXPECT_EQ(marked(), "000101") << "9 + 1 + 9; a node without a type has no history";
  run_under("random", graph);
  EXPECT_EQ(marked(), "000000");
}
