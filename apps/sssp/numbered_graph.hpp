// SPDX-License-Identifier: MIT
// A graph from a file, with the file's own names of its nodes. Inside, nodes are numbered from 0 without gaps, so memory is
// proportional to the arcs, however large the names are or however many nodes the file declares.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "apps/sssp/graph.hpp"
#include "apps/sssp/graph_formats.hpp"

namespace skua::apps::sssp {

class numbered_graph {
 public:
  /// `also` has a number even if it has no arc, if the graph declares it. Throws usage_error for more than most_nodes nodes.
  /// Work O(arcs log arcs), O(arcs) unless names are sparse.
  explicit numbered_graph(named_graph read, std::optional<std::uint64_t> also = {});

  [[nodiscard]] sparse_graph const& arcs() const noexcept { return graph_; }
  /// As many as the file declares, or names.
  [[nodiscard]] std::uint64_t nodes() const noexcept { return nodes_; }
  [[nodiscard]] std::uint64_t name_of(node n) const noexcept {
    return names_.empty() ? std::uint64_t{n} + 1 : names_[n];
  }
  /// None: there is no such node, or it has neither an arc nor was it asked for.
  [[nodiscard]] std::optional<node> number_of(std::uint64_t name) const noexcept;

 private:
  std::vector<std::uint64_t> names_;  ///< ascending; empty: from 1, all declared ones
  std::uint64_t nodes_;
  sparse_graph graph_;
};

/// "NODE DISTANCE\n" for each node that was reached, in ascending order of names, in pieces.
void write_distances(std::span<distance const> distances, std::function<std::uint64_t(node)> const& name_of,
                     std::function<void(std::string_view)> const& out);

}  // namespace skua::apps::sssp
