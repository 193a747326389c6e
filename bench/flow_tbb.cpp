// SPDX-License-Identifier: MIT
// The runner of flow_bench that uses oneTBB.
#include <tbb/flow_graph.h>

#include <deque>
#include <optional>

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
    auto const nodes = static_cast<double>(d.nodes());
    tally seen(d);
    auto const start = clock::now();
    std::optional<whole_graph> graph(std::in_place, d, seen);
    seen.begin_run();
    graph->run();
    clock::duration built = clock::now() - start;
    seen.verify_run();
    auto const again = clock::now();
    for (std::uint32_t i = 0; i < more; ++i) {
      seen.begin_run();
      graph->run();
    }
    if (more > 0) all.again = ns_between(again, clock::now()) / more / nodes;
    seen.verify_run();
    auto const end = clock::now();
    graph.reset();
    built += clock::now() - end;
    all.built = std::chrono::duration<double, std::nano>(built).count() / nodes;
  });
  return all;
}

}  // namespace skua::bench::flows
