// SPDX-License-Identifier: MIT
// What the simulator of ranks knows of a cluster. [retentive-hpdc12 7]
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace skua::inline v0::ranks {

/// Between two ranks: how far apart they are. Nanoseconds, and bytes per second.
struct link_cost {
  std::uint64_t latency_ns = 0;
  double bytes_per_s = 1e9;
};

struct cluster {
  std::string_view name;
  std::string_view about;
  std::uint32_t ranks_per_node = 1;
  std::uint32_t nodes_per_switch = 1;
  link_cost in_node;
  link_cost in_switch;
  link_cost in_system;
  std::uint64_t handler_ns = 1000;       ///< of a node's server thread, per message
  std::uint64_t task_overhead_ns = 200;  ///< of a rank, per task
  bool polling = false;                  ///< no server thread: messages wait for the end of a task
  /// Which of the figures nobody has published: they are assumed.
  std::string_view assumed;

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

/// hopper, intrepid and titan: the machines of the paper.
[[nodiscard]] std::vector<cluster> const& clusters();
/// Throws usage_error that names those that exist.
[[nodiscard]] cluster const& cluster_named(std::string_view name);

}  // namespace skua::inline v0::ranks
