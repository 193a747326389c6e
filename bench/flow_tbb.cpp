// SPDX-License-Identifier: MIT
// The runner of flow_bench that uses oneTBB.
#include <tbb/flow_graph.h>

#include <deque>

#include "apps/tbb_workers.hpp"
#include "bench/flow.hpp"

namespace skua::bench::flows {
namespace {

struct whole_graph {
  tbb::flow::graph graph;
  std::deque<tbb::flow::continue_node<tbb::flow::continue_msg>> nodes;
  std::vector<std::uint32_t> roots;

  whole_graph(dag const& d, tally& seen) {
    for (std::uint32_t i = 0; i < d.nodes(); ++i) {
      auto& made = nodes.emplace_back(graph, [&seen, i](tbb::flow::continue_msg) { seen.visit(i); });
      if (d.before[i][0] == nobody) roots.push_back(i);
      for (std::uint32_t const b : d.before[i]) {
        if (b != nobody) tbb::flow::make_edge(nodes[b], made);
      }
    }
  }
  void run() {
    for (std::uint32_t const r : roots) nodes[r].try_put({});
    graph.wait_for_all();
  }
};

}  // namespace

figures run_tbb(dag const& d, std::uint32_t workers, std::uint32_t more) {
  static apps::tbb_workers arenas;
  figures all;
  arenas.run(workers, [&] {
    all = timed<whole_graph>(
        d, more, [&](auto& graph, tally& seen) { graph.emplace(d, seen); }, [](whole_graph& graph) { graph.run(); });
  });
  return all;
}

}  // namespace skua::bench::flows
