// SPDX-License-Identifier: MIT
// random-dag: a random graph in layers. Each node hashes its number and the values of its predecessors, so a node that runs
// too early, twice or not at all changes the answer. Growing nodes add more nodes while the graph runs, with edges to nodes
// that are there already.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/program/flow/flow.hpp"

namespace skua::apps::random_dag {

using hash = std::uint64_t;

struct shape {
  std::uint32_t layers = 1;
  std::uint32_t width = 1;   ///< nodes in a layer
  std::uint32_t edges = 1;   ///< most predecessors of a node, in the layer before
  std::uint32_t rounds = 1;  ///< of hashing per node: its work
  bool growing = false;
  std::uint64_t seed = 1;
};

class problem {
 public:
  problem() = default;
  explicit problem(shape const& s);

  [[nodiscard]] shape const& of() const noexcept { return shape_; }
  [[nodiscard]] std::uint32_t nodes() const noexcept { return static_cast<std::uint32_t>(before_.size()); }
  [[nodiscard]] std::vector<std::uint32_t> const& before(std::uint32_t i) const noexcept { return before_[i]; }
  [[nodiscard]] std::vector<std::uint32_t> const& after(std::uint32_t i) const noexcept { return after_[i]; }
  /// How many nodes this node adds: a chain, whose end precedes this node's first successor. 0 without successors.
  [[nodiscard]] std::uint32_t added_by(std::uint32_t i) const noexcept;

  /// The work of node i, and of the k-th node that it adds.
  void visit(std::uint32_t i) noexcept;
  void visit_added(std::uint32_t i, std::uint32_t k) noexcept;

  void reset();
  [[nodiscard]] std::string wrong() const;

 private:
  /// The values of all nodes, computed in the order of their numbers.
  [[nodiscard]] std::vector<hash> expected() const;
  [[nodiscard]] hash mixed(hash begin, hash more) const noexcept;

  shape shape_;
  std::vector<std::vector<std::uint32_t>> before_;
  std::vector<std::vector<std::uint32_t>> after_;
  std::vector<hash> values_;
  std::vector<hash> right_;
  std::vector<hash> chain_;              ///< of the nodes that node i adds: the value of the last one
  std::vector<std::atomic<hash>> late_;  ///< of node i: the sum of the chains' values
};

/// A node that may add a chain of nodes.
template <class Here>
class grower {
 public:
  grower(problem& p, std::vector<runtime::node<void>> const& nodes, std::uint32_t i) : all_(p), nodes_(nodes), i_(i) {}

  void operator()(Here&, typename flow<Here>::growth& in) const {
    all_.visit(i_);
    std::uint32_t const count = all_.added_by(i_);
    if (count == 0) return;
    auto const add = [&](std::uint32_t k, auto const&... words) {
      return in.add(words..., [&p = all_, i = i_, k](Here&) { p.visit_added(i, k); });
    };
    auto last = add(0);
    for (std::uint32_t k = 1; k < count; ++k) last = add(k, runtime::after(last));
    in.edge(last, nodes_[all_.after(i_).front()]);
  }

 private:
  problem& all_;
  std::vector<runtime::node<void>> const& nodes_;
  std::uint32_t i_;
};

template <class Here>
void program(Here& here, problem& p) {
  std::vector<runtime::node<void>> nodes(p.nodes());
  flow graph(here);
  for (std::uint32_t i = 0; i < p.nodes(); ++i) {
    auto const at = address::of(i % p.of().width, p.of().width);
    if (p.of().growing) {
      nodes[i] = graph.add(at, grower<Here>(p, nodes, i));
    } else {
      nodes[i] = graph.add(at, [&p, i](Here&) { p.visit(i); });
    }
    for (std::uint32_t const b : p.before(i)) graph.edge(nodes[b], nodes[i]);
  }
  graph.run(here);
}

/// In the order of the nodes' numbers.
void run_alone(problem& p);

}  // namespace skua::apps::random_dag
