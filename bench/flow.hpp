// SPDX-License-Identifier: MIT
// Shared by the runners of flow_bench: the graphs that they all run, and the proof that they ran them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "bench/harness.hpp"

namespace skua::bench::flows {

inline constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();

/// A graph whose nodes have two predecessors at most, all of smaller numbers.
struct dag {
  std::string name;
  std::vector<std::array<std::uint32_t, 2>> before;  ///< of each node; nobody: none
  [[nodiscard]] std::uint32_t nodes() const noexcept { return static_cast<std::uint32_t>(before.size()); }
};

/// What the nodes do: next to nothing, but each notes that it ran, and whether its predecessors had.
class tally {
 public:
  explicit tally(dag const& d) : of_(d), ran_(d.before.size()) {}

  /// Before every run of the graph.
  void begin_run() noexcept { ++run_; }
  void visit(std::uint32_t i) noexcept {
    for (std::uint32_t const b : of_.before[i]) {
      if (b != nobody && ran_[b] != run_) early_.store(true, std::memory_order_relaxed);  // read after the run
    }
    ++ran_[i];
  }
  void verify_run() const;

 private:
  dag const& of_;
  std::vector<std::uint32_t> ran_;  ///< how often; written by the node alone
  std::uint32_t run_ = 0;
  std::atomic<bool> early_{false};
};

/// ns per node.
struct figures {
  double built = 0;  ///< the graph is built, run once, and destroyed
  double again = 0;  ///< one more run of the same graph; 0: the runner has none
};

/// Times what a runner does whose graph can run again: make(graph, seen) puts it there, run(graph) runs it.
template <class Graph, class Make, class Run>
figures timed(dag const& d, std::uint32_t more, Make&& make, Run&& run) {
  auto const nodes = static_cast<double>(d.nodes());
  figures all;
  tally seen(d);
  auto const start = clock::now();
  std::optional<Graph> graph;
  make(graph, seen);
  seen.begin_run();
  run(*graph);
  clock::duration built = clock::now() - start;
  seen.verify_run();
  auto const again = clock::now();
  for (std::uint32_t i = 0; i < more; ++i) {
    seen.begin_run();
    run(*graph);
  }
  if (more > 0) all.again = ns_between(again, clock::now()) / more / nodes;
  seen.verify_run();
  auto const end = clock::now();
  graph.reset();
  built += clock::now() - end;
  all.built = std::chrono::duration<double, std::nano>(built).count() / nodes;
  return all;
}

/// Runs the graph once, and then `more` times again.
using runner = figures (*)(dag const& d, std::uint32_t workers, std::uint32_t more);

/// Nodes wait by name: after(a, b).
figures run_skua(dag const& d, std::uint32_t workers, std::uint32_t more);
/// Nodes wait by what they touch: reads{..}, writes{..}.
figures run_skua_blocks(dag const& d, std::uint32_t workers, std::uint32_t more);
/// Tasks with `depend`. The library calls a task at once where 64 per thread wait and its dependences allow it.
figures run_openmp(dag const& d, std::uint32_t workers, std::uint32_t more);
/// continue_node and make_edge.
figures run_tbb(dag const& d, std::uint32_t workers, std::uint32_t more);

/// StarPU's tasks with tags; null where it is not installed.
[[nodiscard]] runner starpu() noexcept;

}  // namespace skua::bench::flows
