// SPDX-License-Identifier: MIT
// The critical path of each run of a flow: of the chains of nodes that wait for each other, the one that takes longest. No
// number of workers makes the run faster than that.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/report/run.hpp"

namespace skua::cli::traced {

/// A node as it ran, by one worker or a team.
struct node_times {
  std::uint32_t number = 0;  ///< in its flow
  std::uint32_t name = 0;
  std::uint32_t members = 1;
  std::uint64_t from_ns = 0, to_ns = 0;  ///< from its first member's begin to its last one's end, waits inside included
  std::uint64_t work_ns = 0;             ///< of all members
  [[nodiscard]] std::uint64_t ns() const noexcept { return to_ns - from_ns; }
};

/// One run of a flow.
struct flow_times {
  std::uint64_t from_ns = 0, to_ns = 0;
  std::uint64_t edges = 0;
  std::uint64_t work_ns = 0;  ///< of all nodes
  std::uint64_t span_ns = 0;  ///< of the nodes of the path
  std::uint32_t workers = 1;  ///< of its pool
  bool complete = true;       ///< all of it is in the trace
  std::vector<node_times> nodes;
  std::vector<std::uint32_t> path;  ///< indices of nodes, in the order in which they ran

  [[nodiscard]] std::uint64_t ns() const noexcept { return to_ns - from_ns; }
  /// How many workers it can keep busy on average.
  [[nodiscard]] double parallelism() const noexcept;
  /// How long the nodes of the path lay ready, because nobody ran them.
  [[nodiscard]] std::uint64_t waited_ns() const noexcept;
};

/// In the order of their beginnings. Only nodes whose begin and end are in the trace count, and edges between such.
/// O(events log events).
[[nodiscard]] std::vector<flow_times> flows_of(run const& of);

/// Runs of the same graph, as far as a trace tells: as many nodes and edges, and as many nodes of each name.
struct same_flows {
  std::vector<std::uint32_t> runs;  ///< indices of flows_of, in order
  std::uint32_t longest = 0;        ///< one of them; of those that are complete, if there are any
};
/// Those that took the most time together first.
[[nodiscard]] std::vector<same_flows> flows_alike(run const& of, std::vector<flow_times> const& all);

/// What nodes of one kind are called: the name up to its first number, so that "gemm 3 1 0" and "gemm 3 2 0" are one.
[[nodiscard]] std::string kind_of_node(std::string_view name);

/// The nodes of one kind.
struct kind_times {
  std::string name;
  std::uint64_t nodes = 0, work_ns = 0;
  std::uint64_t on_path = 0, path_ns = 0;  ///< nodes of the path, and how long they took
};
/// The kind that takes most of the path first.
[[nodiscard]] std::vector<kind_times> kinds_of(run const& of, flow_times const& flow);

/// What limits the run, and what would make it faster: one sentence or two. `kinds` are those of kinds_of.
[[nodiscard]] std::string advice_for(flow_times const& flow, std::vector<kind_times> const& kinds);

/// What a page shows of the flows of a run.
[[nodiscard]] json flows_json(run const& of);

}  // namespace skua::cli::traced
