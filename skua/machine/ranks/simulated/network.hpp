// SPDX-License-Identifier: MIT
// How long messages between simulated ranks take: latency, bandwidth, one sender at a time per network interface and one message at a
// time per server thread. simulated.md has the model.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "skua/machine/ranks/simulated/cluster.hpp"

namespace skua { inline namespace v0 { namespace ranks {

class simulated_network {
 public:
  static constexpr std::uint64_t header_bytes = 64;

  simulated_network(cluster const& where, std::uint32_t ranks)
      : cluster_(where), nodes_((ranks + where.ranks_per_node - 1) / where.ranks_per_node) {}

  /// Precondition: no message is under way.
  void reset(std::uint64_t now_ns) { std::ranges::fill(nodes_, node_state{now_ns, now_ns}); }

  struct passage {
    std::uint64_t out_ns;      ///< the sender may continue
    std::uint64_t arrives_ns;  ///< the message has arrived and was handled
  };
  /// A message with this many bytes besides its header is sent now. Call it in the order of time.
  passage carry(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, std::uint64_t now_ns) {
    auto const level = cluster_.between(from, to);
    link_cost const& link = cluster_.cost(level);
    auto const copy_ns = static_cast<std::uint64_t>(static_cast<double>(header_bytes + bytes) / link.bytes_per_s * 1e9);
    std::uint64_t out_ns = now_ns + copy_ns;
    if (level != cluster::level::node) {
      node_state& node = nodes_[from / cluster_.ranks_per_node];
      out_ns = std::max(now_ns, node.sends_until_ns) + copy_ns;
      node.sends_until_ns = out_ns;
    }
    std::uint64_t arrives_ns = out_ns + link.latency_ns;
    if (!cluster_.polling) {
      node_state& node = nodes_[to / cluster_.ranks_per_node];
      arrives_ns = std::max(arrives_ns, node.handles_until_ns) + cluster_.handler_ns;
      node.handles_until_ns = arrives_ns;
    } else {
      arrives_ns += cluster_.handler_ns;
    }
    return {out_ns, arrives_ns};
  }

 private:
  struct node_state {
    std::uint64_t sends_until_ns = 0;    ///< its network interface
    std::uint64_t handles_until_ns = 0;  ///< its server thread
  };

  cluster const cluster_;
  std::vector<node_state> nodes_;
};

}}}  // namespace skua::v0::ranks
