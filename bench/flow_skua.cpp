// SPDX-License-Identifier: MIT
// The runners of flow_bench that use Skua.

#include "bench/flow.hpp"
#include "skua/skua.hpp"

namespace skua::bench::flows {
namespace {

using node = runtime::node<void>;

/// Adds all nodes; add(words.., f) adds one.
template <class Graph>
void add_by_names(Graph& graph, dag const& d, tally& seen) {
  std::vector<node> nodes(d.nodes());
  for (std::uint32_t i = 0; i < d.nodes(); ++i) {
    auto const& b = d.before[i];
    auto const visit = [&seen, i](auto&) { seen.visit(i); };
    if (b[0] == nobody) {
      nodes[i] = graph.add(visit);
    } else if (b[1] == nobody) {
      nodes[i] = graph.add(after(nodes[b[0]]), visit);
    } else {
      nodes[i] = graph.add(after(nodes[b[0]], nodes[b[1]]), visit);
    }
  }
}

template <class Graph>
void add_by_blocks(Graph& graph, dag const& d, tally& seen) {
  auto const block_of = [&d](std::uint32_t i) { return &d.before[i]; };  // any address that is the node's own
  for (std::uint32_t i = 0; i < d.nodes(); ++i) {
    auto const& b = d.before[i];
    writes const own{block_of(i), 1};
    auto const visit = [&seen, i](auto&) { seen.visit(i); };
    if (b[0] == nobody) {
      graph.add(own, visit);
    } else if (b[1] == nobody) {
      graph.add(reads{block_of(b[0]), 1}, own, visit);
    } else {
      graph.add(reads{block_of(b[0]), 1}, reads{block_of(b[1]), 1}, own, visit);
    }
  }
}

/// One warm pool per number of workers.
pool& workers_of(std::uint32_t count) {
  static std::vector<std::unique_ptr<pool>> all;
  if (all.size() <= count) all.resize(count + 1);
  if (all[count] == nullptr) all[count] = std::make_unique<pool>(pool_options{.workers = count});
  return *all[count];
}

template <class Add>
figures measure(dag const& d, std::uint32_t workers, std::uint32_t more, Add&& add) {
  return workers_of(workers).run([&](auto& here) {
    using graph_of_here = flow<std::remove_reference_t<decltype(here)>>;
    return timed<graph_of_here>(
        d, more, [&](auto& graph, tally& seen) { add(graph.emplace(), seen); }, [&](auto& graph) { graph.run(here); });
  });
}

}  // namespace

figures run_skua(dag const& d, std::uint32_t workers, std::uint32_t more) {
  return measure(d, workers, more, [&](auto& graph, tally& seen) { add_by_names(graph, d, seen); });
}

figures run_skua_blocks(dag const& d, std::uint32_t workers, std::uint32_t more) {
  return measure(d, workers, more, [&](auto& graph, tally& seen) { add_by_blocks(graph, d, seen); });
}

}  // namespace skua::bench::flows
