// SPDX-License-Identifier: MIT
// The critical path is the longest one: of traces made by hand, whose path is known, and of random graphs, against a search
// through all paths.
#include "cli/report/critical_path.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "cli/report/invented_test.hpp"
#include "cli/report/results.hpp"

namespace skua::cli::traced {
namespace {

/// Writes the events of flows as the library does.
class written_flow {
 public:
  explicit written_flow(std::size_t workers, std::uint32_t number = 1) : number_(number), events_(workers) {}

  void begins(std::uint64_t ns, std::uint64_t nodes) { add(0, ns, {.what = kind::flow_began, .value = nodes}, 0); }
  void ends(std::uint64_t ns, std::uint64_t nodes) { add(0, ns, {.what = kind::flow_ended, .value = nodes}, 0); }
  void begin(std::size_t worker, std::uint64_t ns, std::uint32_t node, std::uint32_t name = 0) {
    add(worker, ns, {.what = kind::node_began, .count = 1, .other = name}, node);
  }
  void end(std::size_t worker, std::uint64_t ns, std::uint32_t node, std::vector<std::uint32_t> const& releases = {}) {
    release(kind::node_ended, worker, ns, node, releases);
  }
  void release(kind what, std::size_t worker, std::uint64_t ns, std::uint32_t node,
               std::vector<std::uint32_t> const& to) {
    event e{.what = what};
    for (std::uint32_t const successor : to) {
      if (e.count == trace::most_successors) {
        add(worker, ns, e, node);
        e = {.what = kind::released};
      }
      trace::add_successor(e, successor);
    }
    add(worker, ns, e, node);
  }
  void node(std::size_t worker, std::uint64_t from, std::uint64_t to, std::uint32_t node,
            std::vector<std::uint32_t> const& releases = {}, std::uint32_t name = 0) {
    begin(worker, from, node, name);
    end(worker, to, node, releases);
  }

  [[nodiscard]] run finish(std::vector<std::string> names = {"", "a", "b", "c"}) const {
    auto sorted = events_;
    for (auto& track : sorted) std::ranges::stable_sort(track, {}, &event::ticks);
    return invented(std::move(sorted), std::move(names));
  }

 private:
  void add(std::size_t worker, std::uint64_t ns, event e, std::uint32_t node) {
    e.id = trace::id_of_node(number_, node);
    events_[worker].push_back(at(ns, e));
  }
  std::uint32_t number_;
  std::vector<std::vector<event>> events_;
};

std::vector<std::uint32_t> numbers_on_path(flow_times const& f) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t const i : f.path) all.push_back(f.nodes[i].number);
  return all;
}

/// 0 -> 1 -> 3 and 0 -> 2 -> 3, of which 2 takes longer, and 4, which waits for nobody.
written_flow diamond() {
  written_flow all(2);
  all.begins(0, 5);
  all.node(0, 5, 15, 0, {1, 2}, 1);
  all.node(0, 15, 35, 1, {3}, 2);
  all.node(1, 18, 78, 2, {3}, 2);
  all.node(0, 40, 70, 4, {}, 3);
  all.node(1, 80, 90, 3, {}, 1);
  all.ends(100, 5);
  return all;
}

TEST(critical_path, of_a_diamond_leads_through_its_slower_side) {
  run const r = diamond().finish();
  auto const flows = flows_of(r);
  ASSERT_EQ(flows.size(), 1u);
  flow_times const& f = flows[0];
  EXPECT_TRUE(f.complete);
  EXPECT_EQ(f.nodes.size(), 5u);
  EXPECT_EQ(f.edges, 4u);
  EXPECT_EQ(f.ns(), 100u);
  EXPECT_EQ(f.work_ns, 10u + 20 + 60 + 30 + 10);
  EXPECT_EQ(f.span_ns, 10u + 60 + 10);
  EXPECT_EQ(numbers_on_path(f), (std::vector<std::uint32_t>{0, 2, 3}));
  EXPECT_EQ(f.waited_ns(), 3u + 2) << "15 to 18, and 78 to 80";
  EXPECT_DOUBLE_EQ(f.parallelism(), 130.0 / 80);
  EXPECT_EQ(f.workers, 2u);
}

TEST(critical_path, times_on_it_are_added_up_by_kind) {
  run const r = diamond().finish({"", "fill 0", "gemm 1 2", "gemm 3 4"});
  auto const kinds = kinds_of(r, flows_of(r).at(0));
  ASSERT_EQ(kinds.size(), 2u);
  EXPECT_EQ(kinds[0].name, "gemm");
  EXPECT_EQ(kinds[0].nodes, 3u);
  EXPECT_EQ(kinds[0].work_ns, 110u);
  EXPECT_EQ(kinds[0].on_path, 1u);
  EXPECT_EQ(kinds[0].path_ns, 60u);
  EXPECT_EQ(kinds[1].name, "fill");
  EXPECT_EQ(kinds[1].path_ns, 20u);
}

TEST(critical_path, a_kind_is_a_name_up_to_its_first_number) {
  EXPECT_EQ(kind_of_node("gemm 5 3 2"), "gemm");
  EXPECT_EQ(kind_of_node("tile(3,4)"), "tile");
  EXPECT_EQ(kind_of_node("level_0"), "level");
  EXPECT_EQ(kind_of_node("conv2d 7"), "conv2d");
  EXPECT_EQ(kind_of_node("solve"), "solve");
  EXPECT_EQ(kind_of_node("operator()"), "operator()");
  EXPECT_EQ(kind_of_node("17"), "17");
  EXPECT_EQ(kind_of_node(""), "");
}

TEST(critical_path, more_edges_than_an_event_has_room_for_are_all_there) {
  written_flow all(1);
  all.begins(0, 9);
  all.node(0, 0, 10, 0, {1, 2, 3, 4, 5, 6, 7, 8});
  for (std::uint32_t n = 1; n <= 8; ++n) all.node(0, 10 * n, 10 * n + n, n);
  all.ends(99, 9);
  flow_times const f = flows_of(all.finish()).at(0);
  EXPECT_EQ(f.edges, 8u);
  EXPECT_EQ(f.span_ns, 18u);
  EXPECT_EQ(numbers_on_path(f), (std::vector<std::uint32_t>{0, 8}));
}

TEST(critical_path, a_team_lasts_from_its_first_member_to_its_last_and_its_work_is_that_of_all) {
  written_flow all(2);
  all.begins(0, 2);
  all.begin(0, 10, 0);
  all.begin(1, 14, 0);
  all.end(0, 30, 0);
  all.end(1, 34, 0);
  all.release(kind::released, 1, 35, 0, {1});
  all.node(1, 36, 46, 1);
  all.ends(50, 2);
  flow_times const f = flows_of(all.finish()).at(0);
  EXPECT_TRUE(f.complete);
  ASSERT_EQ(f.nodes.size(), 2u);
  EXPECT_EQ(f.nodes[0].members, 2u);
  EXPECT_EQ(f.nodes[0].ns(), 24u);
  EXPECT_EQ(f.nodes[0].work_ns, 40u);
  EXPECT_EQ(f.span_ns, 34u);
  EXPECT_EQ(f.edges, 1u);
}

TEST(critical_path, a_node_may_go_on_on_another_worker) {
  written_flow all(2);
  all.begins(0, 1);
  all.begin(0, 1, 0);
  all.end(1, 21, 0);
  all.ends(30, 1);
  EXPECT_EQ(flows_of(all.finish()).at(0).span_ns, 20u);
}

TEST(critical_path, nodes_and_edges_that_are_cut_off_do_not_count) {
  written_flow all(1);  // neither begin of the flow, nor of node 0, nor end of node 3
  all.end(0, 10, 0, {1});
  all.node(0, 10, 20, 1, {2, 3});
  all.node(0, 20, 50, 2);
  all.begin(0, 50, 3);
  flow_times const f = flows_of(all.finish()).at(0);
  EXPECT_FALSE(f.complete);
  EXPECT_EQ(f.nodes.size(), 2u);
  EXPECT_EQ(f.edges, 1u);
  EXPECT_EQ(f.span_ns, 40u);
}

TEST(critical_path, a_damaged_trace_with_a_cycle_has_a_report) {
  written_flow all(1);
  all.begins(0, 3);
  all.node(0, 0, 10, 0, {1});
  all.node(0, 10, 20, 1, {2});
  all.node(0, 20, 30, 2, {1});
  all.ends(30, 3);
  run const r = all.finish();
  flow_times const f = flows_of(r).at(0);
  EXPECT_FALSE(f.complete);
  EXPECT_EQ(f.span_ns, 10u);
  EXPECT_EQ(flows_json(r).size(), 1u);
}

TEST(critical_path, runs_of_the_same_graph_stand_together_and_the_longest_is_shown) {
  std::vector<event> events;
  for (std::uint32_t i = 1; i <= 4; ++i) {
    written_flow one(1, i);
    std::uint64_t const from = 100 * i;
    std::uint64_t const took = i == 3 ? 40 : 20;
    one.begins(from, 2);
    one.node(0, from, from + took, 0, {1}, i == 4 ? 2 : 1);  // the last one is another program
    one.node(0, from + took, from + 2 * took, 1, {}, 1);
    one.ends(from + 2 * took, 2);
    run const r = one.finish();
    events.insert(events.end(), r.workers[0].events.begin(), r.workers[0].events.end());
  }
  json const all = flows_json(invented({events}));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0]["runs"], 3);
  EXPECT_EQ(all[0]["shown"], 3);
  EXPECT_DOUBLE_EQ(all[0]["span_s"].get<double>(), 80e-9);
  EXPECT_EQ(all[0]["rows"].size(), 3u);
  EXPECT_EQ(all[1]["runs"], 1);
}

TEST(critical_path, advice_names_what_limits) {
  auto const advice = [](written_flow const& w) {
    run const r = w.finish({"", "a", "b 1", "c"});
    flow_times const f = flows_of(r).at(0);
    return advice_for(f, kinds_of(r, f));
  };
  EXPECT_NE(advice(diamond()).find("1.2 times its span: more workers do not make it faster. Split or speed up b, which "
                                   "takes 75%"),
            std::string::npos)
      << advice(diamond());

  written_flow busy(1);
  busy.begins(0, 4);
  for (std::uint32_t i = 0; i < 4; ++i) busy.node(0, 10 * i, 10 * i + 10, i, {}, 1);
  busy.ends(42, 4);
  EXPECT_NE(advice(busy).find("busy with nodes for 95% of the run: more workers make it faster, up to about 4"),
            std::string::npos)
      << advice(busy);

  written_flow slow(2);
  slow.begins(0, 2);
  slow.node(0, 0, 10, 0, {1});
  slow.node(0, 90, 100, 1);
  slow.ends(100, 2);
  EXPECT_NE(advice(slow).find("5.0 times as long as its path and its work allow. Nodes of the path lay ready for 80%"),
            std::string::npos)
      << advice(slow);

  written_flow none(1);
  none.begins(0, 1);
  EXPECT_NE(advice(none).find("no node"), std::string::npos);
}

TEST(critical_path, flows_of_two_files_are_two) {
  std::vector<trace::trace_data> files(2);
  for (std::uint32_t f = 0; f < 2; ++f) {
    run const r = diamond().finish();
    files[f].names = std::string("\0x", 3);
    files[f].is_complete = true;
    files[f].began_ns = 1000 * f;
    for (traced_worker const& w : r.workers) files[f].tracks.push_back({.events = w.events, .lost = 0});
    for (auto& track : files[f].tracks)
      for (event& e : track.events)
        if (e.what == kind::node_began) e.other = 1;
  }
  auto const flows = flows_of(merge("t", std::move(files)));
  ASSERT_EQ(flows.size(), 2u);
  for (flow_times const& f : flows) {
    EXPECT_EQ(f.span_ns, 80u);
    EXPECT_EQ(f.workers, 2u);
    EXPECT_TRUE(f.complete);
  }
}

/// The longest path that begins with node `n`, by a look at all paths.
std::uint64_t longest_from(std::vector<std::vector<std::uint32_t>> const& after,
                           std::vector<std::uint64_t> const& takes, std::uint32_t n) {
  std::uint64_t below = 0;
  for (std::uint32_t const to : after[n]) below = std::max(below, longest_from(after, takes, to));
  return takes[n] + below;
}

TEST(critical_path, of_random_graphs_is_the_longest_of_all_paths) {
  unsigned const seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 dice(seed);
  auto const below = [&](std::uint64_t n) { return std::uniform_int_distribution<std::uint64_t>(0, n - 1)(dice); };
  for (int round = 0; round < 200; ++round) {
    auto const n = static_cast<std::uint32_t>(1 + below(14));
    std::size_t const workers = 1 + below(4);
    std::vector<std::vector<std::uint32_t>> after(n);
    std::vector<std::uint64_t> takes(n), ready(n);
    std::uint64_t edges = 0, work = 0, end = 0;
    std::vector<std::uint32_t> number(n);  // in the flow: not in the order in which they run
    for (std::uint32_t i = 0; i < n; ++i) number[i] = i;
    std::ranges::shuffle(number, dice);
    for (std::uint32_t to = 1; to < n; ++to) {
      for (std::uint32_t from = 0; from < to; ++from) {
        if (below(3) != 0) continue;
        after[from].push_back(to);
        ++edges;
      }
    }
    written_flow all(workers);
    all.begins(0, n);
    for (std::uint32_t i = 0; i < n; ++i) {
      takes[i] = below(50);
      work += takes[i];
      std::uint64_t const from = ready[i] + below(3);
      std::vector<std::uint32_t> releases;
      for (std::uint32_t const to : after[i]) {
        ready[to] = std::max(ready[to], from + takes[i]);
        releases.push_back(number[to]);
      }
      all.begin(below(workers), from, number[i]);
      all.end(below(workers), from + takes[i], number[i], releases);
      end = std::max(end, from + takes[i]);
    }
    all.ends(end, n);
    std::uint64_t longest = 0;
    for (std::uint32_t i = 0; i < n; ++i) longest = std::max(longest, longest_from(after, takes, i));
    flow_times const f = flows_of(all.finish()).at(0);
    ASSERT_TRUE(f.complete);
    ASSERT_EQ(f.edges, edges);
    ASSERT_EQ(f.work_ns, work);
    ASSERT_EQ(f.span_ns, longest);
    ASSERT_LE(f.span_ns, f.ns());
    std::uint64_t along = 0;  // the path is one, and as long as it says
    for (std::size_t k = 0; k < f.path.size(); ++k) {
      along += f.nodes[f.path[k]].ns();
      if (k == 0) continue;
      auto const index = [&](std::uint32_t at) {
        return static_cast<std::uint32_t>(std::ranges::find(number, f.nodes[at].number) - number.begin());
      };
      auto const& to = after[index(f.path[k - 1])];
      ASSERT_NE(std::ranges::find(to, index(f.path[k])), to.end());
    }
    ASSERT_EQ(along, longest);
  }
}

TEST(critical_path, a_run_without_flows_has_none) {
  EXPECT_TRUE(report_of({invented({{at(1, {.what = kind::working})}})})["runs"][0]["flows"].empty());
}

}  // namespace
}  // namespace skua::cli::traced
