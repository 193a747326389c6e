// SPDX-License-Identifier: MIT
// chains with oneTBB: a continue_node per step.
#include <tbb/flow_graph.h>

#include <deque>

#include "apps/chains/problem.hpp"

namespace skua::apps::chains {

void with_tbb(tbb_workers& workers, unsigned count, problem& p) {
  using node = tbb::flow::continue_node<tbb::flow::continue_msg>;
  workers.run(count, [&] {
    tbb::flow::graph graph;
    std::deque<node> nodes;
    std::vector<node*> first;
    for (chain& c : p.chains()) {
      for (std::uint64_t step = 0; step < c.steps(); ++step) {
        node& made = nodes.emplace_back(graph, [&c, step](tbb::flow::continue_msg) { c.run(step); });
        if (step == 0) {
          first.push_back(&made);
        } else {
          tbb::flow::make_edge(nodes[nodes.size() - 2], made);
        }
      }
    }
    for (node* const f : first) f->try_put({});
    graph.wait_for_all();
  });
}

}  // namespace skua::apps::chains
