// SPDX-License-Identifier: MIT
// What a flow writes into a trace, event by event, and what a team's members see, on a `here` without threads that keeps the events. On
// threads and in the simulator: flow_trace_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/parts/trace/event.hpp"
#include "skua/program/flow/flow.hpp"
#include "skua/program/flow/team.hpp"
#include "skua/program/flow/traced_serial_test.hpp"
#include "skua/program/serial.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

using edges = std::multiset<std::pair<std::uint32_t, std::uint32_t>>;

struct seen {
  edges of_graph;
  std::vector<int> begun, ended;
  std::uint64_t flows_began = 0, flows_ended = 0;
};

/// Reads what the run `run` of a flow of n nodes wrote.
seen read(traced_serial const& here, std::uint32_t run, std::size_t n) {
  seen all;
  all.begun.resize(n);
  all.ended.resize(n);
  std::vector<std::uint64_t> end_of(n);
  for (auto const& [e, function] : here.events) {
    if (e.id >> 32 != run) continue;
    auto const number = static_cast<std::uint32_t>(e.id);
    EXPECT_GT(e.ticks, 100U);
    switch (e.what) {
      case trace::kind::flow_began: ++all.flows_began; break;
      case trace::kind::flow_ended:
        ++all.flows_ended;
        EXPECT_EQ(e.value, n);
        break;
      case trace::kind::node_began: ++all.begun.at(number); break;
      case trace::kind::node_ended:
        ++all.ended.at(number);
        end_of.at(number) = e.ticks;
        break;
      case trace::kind::released:
        EXPECT_EQ(e.ticks, end_of.at(number)) << "the rest of the edges belongs to the same moment";
        EXPECT_GT(e.count, 0);
        break;
      default: ADD_FAILURE() << name_of(e.what);
    }
    trace::for_each_successor(e, [&](std::uint64_t to) {
      EXPECT_EQ(to >> 32, run);
      all.of_graph.emplace(number, static_cast<std::uint32_t>(to));
    });
  }
  return all;
}

TEST(flow_events, have_every_node_and_every_edge_of_random_graphs_in_every_run) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    dice roll(seed);
    traced_serial here;
    flow<traced_serial> graph;
    edges made;
    std::vector<node<void>> nodes;
    std::uint32_t const n = 1 + roll.below(20);
    for (std::uint32_t i = 0; i < n; ++i) {
      nodes.emplace_back(graph.add(task_type{static_cast<std::uint16_t>(i % 5)}, [](auto&) {}));
      if (roll.below(2) == 0) graph.name(nodes.back(), "name " + std::to_string(i % 3));
    }
    for (std::uint32_t from = 0; from < n; ++from) {
      std::uint32_t const most = roll.below(2) == 0 ? 3 : 12;
      for (std::uint32_t to = from + 1; to < n; ++to) {
        if (roll.below(20) >= most) continue;
        graph.edge(nodes[from], nodes[to]);
        made.emplace(from, to);
      }
    }
    graph.run(here, 1);
    graph.run(here, 1);
    for (std::uint32_t const run : {7U, 8U}) {
      seen const all = read(here, run, n);
      EXPECT_EQ(all.of_graph, made);
      EXPECT_EQ(all.begun, std::vector<int>(n, 1));
      EXPECT_EQ(all.ended, std::vector<int>(n, 1));
      EXPECT_EQ(all.flows_began, 1U);
      EXPECT_EQ(all.flows_ended, 1U);
    }
    for (auto const& [e, function] : here.events) {
      if (e.what != trace::kind::node_began) continue;
      auto const& which = nodes.at(static_cast<std::uint32_t>(e.id)).get();
      EXPECT_EQ(e.detail, which.number % 5);
      EXPECT_EQ(e.count, 1);
      EXPECT_EQ(which.label == 0 ? "" : graph.name_of(which), here.names.at(e.other));
      EXPECT_EQ(function.empty(), which.label != 0) << "a node without a name is called as its function";
    }
    EXPECT_EQ(here.events.front().first.value, n) << "nodes, when the flow began";
  }
}

TEST(flow_events, have_what_nodes_add_and_what_throws) {
  traced_serial here;
  flow<traced_serial> graph;
  graph.add([](auto&, auto& in) {
    auto const one = in.add([](auto&) {});
    in.add(after(one), [](auto&) {});
    for (int i = 0; i < 4; ++i) in.add([](auto&) {});
  });
  graph.run(here);
  seen const grown = read(here, 7, 7);
  edges expected{{1, 2}};
  for (std::uint32_t i = 1; i < 7; ++i) expected.emplace(0, i);
  EXPECT_EQ(grown.of_graph, expected);
  EXPECT_EQ(grown.ended, std::vector<int>(7, 1));

  flow<traced_serial> failing;
  auto const bad = failing.add([](auto&) { throw std::out_of_range("bad"); });
  failing.add(after(bad), [](auto&) {});
  EXPECT_THROW(failing.run(here), std::out_of_range);
  seen const failed = read(here, 8, 2);
  EXPECT_EQ(failed.begun, (std::vector{1, 0}));
  EXPECT_EQ(failed.ended, (std::vector{1, 0}));
  EXPECT_TRUE(failed.of_graph.empty());
  EXPECT_EQ(failed.flows_ended, 1U);
}

TEST(flow_events, are_none_where_there_is_no_trace) {
  traced_serial here;
  flow<traced_serial> graph;
  int ran = 0;
  graph.add(after(graph.add([&](auto&) { ++ran; })), [&](auto&) { ++ran; });
  graph.run(here);
  std::size_t const before = here.events.size();
  here.next_run = 0;
  graph.run(here);
  EXPECT_EQ(ran, 4);
  EXPECT_EQ(here.events.size(), before);
}

/// Of the simulator: a node's time is over when it releases the next one, with a trace and without.
TEST(flow_events, come_when_the_time_of_their_node_is_over) {
  for (std::uint32_t const first_run : {7U, 0U}) {
    traced_serial here;
    here.next_run = first_run;
    flow<traced_serial> graph;
    std::vector<std::uint64_t> began;
    node<void> before = graph.add([&](auto& h) { began.push_back(h.now); });
    for (int i = 0; i < 3; ++i) before = graph.add(after(before), [&](auto& h) { began.push_back(h.now); });
    graph.run(here);
    ASSERT_EQ(began.size(), 4U);
    for (std::size_t i = 1; i < 4; ++i) EXPECT_GE(began[i], began[i - 1] + 1000);
    std::size_t i = 0;
    for (auto const& [e, function] : here.events) {
      EXPECT_TRUE(e.what != trace::kind::node_ended || e.ticks > began.at(i++) + 1000);
    }
  }
}

/// Members that exist only as what they expose. A barrier is counted.
struct told_team final : team_state {
  told_team(std::uint32_t width, std::vector<void const*> const& theirs) : team_state(width), all(theirs) {}
  void barrier(std::uint32_t member) noexcept override {
    barriers.push_back(member);
    exposed_at_barriers.push_back(all[member] != nullptr);
  }
  void const*& exposed(std::uint32_t member) noexcept override { return all[member]; }
  std::vector<void const*> all;
  std::vector<std::uint32_t> barriers;
  std::vector<bool> exposed_at_barriers;  ///< something of whoever came
};

TEST(team_member, shares_are_contiguous_and_differ_by_one_at_most) {
  serial here;
  for (std::uint32_t width = 1; width <= 7; ++width) {
    for (std::uint64_t n = 0; n <= 30; ++n) {
      told_team all(width, std::vector<void const*>(width));
      std::uint64_t next = 0;
      for (std::uint32_t m = 0; m < width; ++m) {
        team<serial> const member(here, all, m);
        auto const [begin, end] = member.share(n);
        EXPECT_EQ(begin, next);
        EXPECT_TRUE(end - begin == n / width || end - begin == n / width + 1);
        EXPECT_EQ(end - begin == n / width + 1, m < n % width) << "the first ones have more";
        next = end;
        EXPECT_EQ(member.member(), m);
        EXPECT_EQ(member.width(), width);
      }
      EXPECT_EQ(next, n);
    }
  }
}

TEST(team_member, reductions_keep_the_order_of_members_and_leave_out_who_has_left) {
  serial here;
  std::array<std::string, 4> const texts{"a", "b", "c", "d"};
  for (std::uint32_t left = 0; left < 4; ++left) {
    for (std::uint32_t me = 0; me < 4; ++me) {
      if (me == left) continue;
      told_team all(4, {&texts[0], &texts[1], &texts[2], &texts[3]});
      all.all[left] = nullptr;
      all.all[me] = nullptr;  // not yet exposed
      team<serial> member(here, all, me);
      std::string expected;
      for (std::uint32_t m = 0; m < 4; ++m) expected += m == left ? "" : texts[m];
      EXPECT_EQ(member.reduce(texts[me], [](std::string a, std::string const& b) { return a + b; }), expected);
      EXPECT_EQ(all.barriers, (std::vector{me, me})) << "all have exposed theirs; all have read";
      EXPECT_TRUE(all.exposed_at_barriers.front());
    }
  }
}

TEST(team_member, shared_loops_hand_out_every_element_once_in_pieces_of_the_grain) {
  serial here;
  for (std::uint64_t const grain : {0U, 1U, 3U, 100U}) {
    told_team all(2, {nullptr, nullptr});
    team<serial> first(here, all, 0);
    team<serial> second(here, all, 1);
    for (std::uint64_t const n : {0U, 1U, 10U, 12U}) {  // loop after loop
      std::vector<std::uint64_t> seen;
      auto const note = [&](std::uint64_t begin, std::uint64_t end) {
        EXPECT_LE(end - begin, std::max<std::uint64_t>(grain, 1));
        EXPECT_LT(begin, end);
        for (; begin < end; ++begin) seen.push_back(begin);
      };
      first.for_shared(n, grain, note);
      EXPECT_EQ(seen.size(), n);
      second.for_shared(n, grain, note);
      ASSERT_EQ(seen.size(), n) << "the first one had them all";
      for (std::uint64_t i = 0; i < n; ++i) EXPECT_EQ(seen[i], i);
    }
    EXPECT_EQ(all.barriers, (std::vector<std::uint32_t>{0, 1, 0, 1, 0, 1, 0, 1}));
  }
}

TEST(team_member, alone_is_a_team_in_a_flow_and_in_fork_join) {
  traced_serial here;
  std::vector<int> order;
  auto const whole = [&](auto& team, int what) {
    EXPECT_EQ(team.width(), 1U);
    EXPECT_EQ(team.member(), 0U);
    team.barrier();
    EXPECT_EQ(team.reduce(what, [](int a, int b) { return a + b; }), what);
    team.for_shared(5, 2, [&](std::uint64_t begin, std::uint64_t end) { EXPECT_LT(begin, end); });
    auto const [begin, end] = team.share(9);
    EXPECT_EQ(end - begin, 9U);
    order.push_back(what);
  };
  here.team(address::at(0.5), [&](auto& team) { whole(team, 1); });
  flow<traced_serial> graph;
  auto const first = graph.add([&](auto&) { order.push_back(2); });
  auto const middle = graph.add_team(after(first), [&](auto& team) { whole(team, 3); });
  graph.add(after(middle), [&](auto&) { order.push_back(4); });
  graph.run(here);
  EXPECT_EQ(order, (std::vector{1, 2, 3, 4}));
  here.next_run = 0;
  order.clear();
  graph.run(here);
  EXPECT_EQ(order, (std::vector{2, 3, 4})) << "without a trace";
  flow<traced_serial> wide;
  auto const root = wide.add([&](auto&) { order.push_back(5); });
  auto const left = wide.add_team(after(root), [&](auto& team) { whole(team, 6); });
  auto const right = wide.add_team(after(root), [&](auto& team) { whole(team, 6); });
  wide.add(after(left), [&](auto&) { order.push_back(7); });
  wide.add(after(right), [&](auto&) { order.push_back(7); });
  order.clear();
  wide.run(here);
  std::ranges::sort(order);
  EXPECT_EQ(order, (std::vector{5, 6, 6, 7, 7})) << "one of the teams is spawned";
  seen const all = read(here, 7, 3);
  EXPECT_EQ(all.of_graph, (edges{{0, 1}, {1, 2}}));
  EXPECT_EQ(all.begun, (std::vector{1, 1, 1}));
  flow<traced_serial> other;
  EXPECT_THROW(other.add_team(after(first), [](auto&) {}), usage_error);
  EXPECT_THROW(here.team([](auto&) { throw std::out_of_range("a member"); }), std::out_of_range);
}

TEST(flow_events, mark_each_of_several_runs_and_none_of_one) {
  traced_serial here;
  flow<traced_serial> graph;
  int ran = 0;
  graph.add([&](auto&) { ++ran; });
  graph.run(here);
  EXPECT_TRUE(here.marks.empty());
  graph.run(here, 3);
  EXPECT_EQ(here.marks, (decltype(here.marks){{"iteration", 0}, {"iteration", 1}, {"iteration", 2}}));
  graph.run(here, 0);
  EXPECT_EQ(ran, 4);
}

TEST(flow_events, end_where_nodes_wait_for_each_other) {
  traced_serial here;
  flow<traced_serial> graph;
  auto const a = graph.add([](auto&) {});
  auto const b = graph.add(after(a), [](auto&) {});
  graph.run(here);
  graph.edge(b, a);  // between two runs: nothing of the first run may count in the second
  EXPECT_THROW(graph.run(here), usage_error);
  EXPECT_EQ(read(here, 8, 2).flows_ended, 1U);
}

TEST(flow_events, closures_of_teams_are_destroyed_with_their_flow) {
  auto const counted = std::make_shared<int>(0);
  {
    flow<traced_serial> graph;
    graph.add_team([counted](auto&) {});
    EXPECT_EQ(counted.use_count(), 2);
  }
  EXPECT_EQ(counted.use_count(), 1);
}

}}}}  // namespace skua::v0::runtime
