// SPDX-License-Identifier: MIT
// The figures of a cluster for the simulator of ranks, and their files: machines/clusters/*.toml,
// docs/machine-models.md.
// [retentive-hpdc12 7]
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace skua { inline namespace v0 { namespace ranks {

/// The cost of a message between two ranks, by their distance. Nanoseconds, and bytes per second.
struct link_cost {
  std::uint64_t latency_ns = 0;
  double bytes_per_s = 1e9;
};

struct cluster {
  std::string name;
  std::string about;
  std::uint32_t ranks_per_node = 1;
  std::uint32_t nodes_per_switch = 1;
  link_cost in_node;
  link_cost in_switch;
  link_cost in_system;
  std::uint64_t handler_ns = 1000;       ///< of a node's server thread, per message
  std::uint64_t task_overhead_ns = 200;  ///< of a rank, per task
  std::uint64_t balance_step_ns = 200;   ///< of a rank that balances, per task and step
  bool polling = false;                  ///< no server thread: messages wait for the end of a task
  /// Keys of the figures that are neither published nor measured: "node.latency_ns, runtime.handler_ns".
  std::string assumed;

  enum class level : std::uint8_t { node, switch_, system };
  [[nodiscard]] level between(std::uint32_t a, std::uint32_t b) const noexcept {
    std::uint32_t const node_a = a / ranks_per_node;
    std::uint32_t const node_b = b / ranks_per_node;
    if (node_a == node_b) return level::node;
    return node_a / nodes_per_switch == node_b / nodes_per_switch ? level::switch_ : level::system;
  }
  [[nodiscard]] link_cost const& cost(level l) const noexcept {
    return l == level::node ? in_node : l == level::switch_ ? in_switch : in_system;
  }
};

/// Names of the shipped clusters, ascending: hopper, intrepid and titan, the machines of the paper.
[[nodiscard]] std::span<std::string_view const> clusters() noexcept;

/// A shipped cluster by its name, or a file by its path (anything that contains a '/' or ends in ".toml"). Throws usage_error:
/// "PATH:LINE: what is wrong; what is allowed", or the names of the shipped ones.
[[nodiscard]] cluster cluster_named(std::string_view name_or_path);

/// From the text of a file; errors name it `origin`. Throws usage_error.
[[nodiscard]] cluster parse_cluster(std::string_view text, std::string_view origin);

}}}  // namespace skua::v0::ranks
