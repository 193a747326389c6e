// SPDX-License-Identifier: MIT
// The part of a flow that does not depend on the functions of its nodes: nodes, edges, memory, analyses and exports.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <string>
#include <vector>

#include "skua/parts/base/announced_atomic.hpp"
#include "skua/parts/base/brief_lock.hpp"
#include "skua/program/flow/links.hpp"
#include "skua/program/footprint.hpp"
#include "skua/program/hint.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class flow_graph;
struct flow_node;
/// The operations of nodes with the same function; flow.hpp adds the call.
struct flow_node_kind {
  void (*destroy)(flow_node&) noexcept;
  char const* function;  ///< as the compiler spells it: the name in traces of a node without a name
};

/// A node without its function. Lies in the memory of its flow.
struct flow_node {
  explicit flow_node(flow_node_kind const& k) noexcept : kind(&k) {}
  flow_links<flow_node> links;
  flow_node_kind const* kind;
  flow_graph const* graph = nullptr;
  flow_node* next = nullptr;  ///< added after this one
  hint hints{};
  std::uint32_t number = 0;  ///< in the order in which nodes were added
  std::uint32_t label = 0;   ///< index of its name in the flow's names; 0: no name
};

/// True if both have the same data and function, so that a policy places them alike.
[[nodiscard]] inline bool has_hints_of(flow_node const& a, flow_node const& b) noexcept {
  return a.hints.address == b.hints.address && a.hints.place == b.hints.place && a.hints.type == b.hints.type;
}

/// A program's handle of a node. T: the type that its function returns.
template <class T>
class node {
 public:
  node() = default;
  node(flow_node& n, T const* value) noexcept : node_(&n), value_(value) {}
  [[nodiscard]] flow_node& get() const noexcept { return *node_; }
  [[nodiscard]] T const* value() const noexcept { return value_; }

 private:
  flow_node* node_ = nullptr;
  T const* value_ = nullptr;
};
template <>
class node<void> {
 public:
  node() = default;
  explicit node(flow_node& n) noexcept : node_(&n) {}
  template <class T>
  node(node<T> const& other) noexcept : node_(&other.get()) {}  // NOLINT(google-explicit-constructor)
  [[nodiscard]] flow_node& get() const noexcept { return *node_; }

 private:
  flow_node* node_ = nullptr;
};

/// Nodes, in order, that were added but not yet put into their flow.
struct flow_nodes {
  flow_node* first = nullptr;
  flow_node* last = nullptr;
  void push_back(flow_node& n) noexcept {
    (first == nullptr ? first : last->next) = &n;
    last = &n;
  }
};

class flow_graph {
 public:
  flow_graph();
  flow_graph(flow_graph const&) = delete;
  flow_graph& operator=(flow_graph const&) = delete;

  /// The number of nodes.
  [[nodiscard]] std::size_t nodes() const noexcept { return count_; }
  /// The number of edges. O(nodes).
  [[nodiscard]] std::size_t edges() const noexcept;

  /// Sets a node's name in messages, exports and traces. Without one it is "node 17", in traces the function that
  /// contains its lambda. Several nodes may share a name, which is stored once. Must not be called while the flow runs.
  void name(node<void> n, std::string text);
  [[nodiscard]] std::string name_of(flow_node const& n) const;
  /// The names of nodes, by label; the first is empty. Must not be called while the flow runs.
  [[nodiscard]] std::vector<std::string> const& names() const noexcept;

  /// By node number: the largest sum of work hints (1 for a node without one) along a path that begins with the node.
  /// Must not be called while the flow runs. Throws usage_error, which names the nodes of a cycle, if there is one.
  /// O(nodes + edges).
  [[nodiscard]] std::vector<double> bottom_levels() const;
  /// The nodes of a path with the largest sum of work hints. Errors and cost as above.
  [[nodiscard]] std::vector<std::uint32_t> critical_path() const;
  /// The graph in Graphviz's language; the nodes of the critical path are red. Errors as above.
  [[nodiscard]] std::string to_dot() const;
  /// The graph as JSON: {"nodes": [{"id", "name", "work", "level"}], "edges": [[from, to]], "critical_path": [id]}.
  /// Errors as above.
  [[nodiscard]] std::string to_json() const;

  /// Gives every node without an address one from its position among the nodes of the same depth. Close nodes of
  /// neighbouring depths then have close addresses. Must not be called while the flow runs. O(nodes + edges).
  /// [arms-2021 3.1]
  void address_by_breadth();
  /// Whether a run may do the same (the default) under a policy that starts nodes at their addresses (arms): if no node has an
  /// address or a place, nor has the task that runs the flow, if at least half of the nodes wait for others, and if three
  /// quarters of those then have the address of one that they wait for. Addresses are dropped again when the graph changes or another policy runs it. Must not be called while
  /// the flow runs. Cost in a run: O(nodes + edges) after a change of the graph, else O(1). (flow.md, "Addresses")
  void derive_addresses(bool may) {
    expect_at_rest("addresses");
    may_derive_ = may;
    is_changed_ = true;
  }

 protected:
  ~flow_graph();

  /// Memory of the flow, which frees it in its destructor. Any thread. Throws std::bad_alloc.
  [[nodiscard]] void* take(std::size_t bytes, std::size_t alignment);
  /// Numbers a new node, which belongs to the caller until put_in. Any thread.
  void number(flow_node& n) noexcept;
  /// The nodes belong to the flow from now on. Any thread.
  void put_in(flow_nodes const& added) noexcept {
    if (added.first != nullptr) append(added);
  }
  /// Throws usage_error, which names the node, if it belongs to another flow.
  void expect_own(flow_node const& n) const;
  /// Adds an edge. Throws usage_error, which names both nodes, if one belongs to another flow, or if `to` may have
  /// begun. True: `to` is ready, and the caller runs it.
  [[nodiscard]] bool connect(flow_node& from, flow_node& to);
  /// Throws usage_error while the flow runs, because a run might see half of the change. Any thread. Cost: a load.
  void expect_at_rest(char const* change) const {
    // relaxed: a node sees that its flow runs, and so does code ordered after it; no other code may change a running
    // flow
    if (runs_.load(std::memory_order_relaxed)) [[unlikely]]
      refuse(change);
  }

  /// Adds the edges for the blocks that the new node touches. It waits for the last earlier node that writes a block
  /// that it reads, and for all earlier nodes that touch a block that it writes. The address of its first byte
  /// identifies a block.
  void depend(flow_node& added, reads const& what) { touch(added, what.data, false); }
  void depend(flow_node& added, writes const& what) { touch(added, what.data, true); }

  /// Prepares all nodes for a run; appends the nodes without predecessors to `roots`, in order. Throws usage_error if
  /// the flow runs: a second run would reset the counters that the first one uses.
  void arm(std::vector<flow_node*>& roots);
  /// Ends a run. Throws usage_error if nodes did not run because they wait for each other, unless the run `failed`.
  void disarm(bool failed);
  /// In a run, before the first node begins. `keys`: how many positions on the line of addresses the policy tells apart;
  /// 0: it asks for no addresses. `critical`: it asks which nodes are on the critical path.
  void derive_for(std::uint32_t keys, bool critical) {
    if (keys != derived_for_ || critical != marks_critical_ || ((keys != 0 || critical) && is_changed_)) [[unlikely]]
      derive(keys, critical);
  }

 private:
  void append(flow_nodes const& added) noexcept;
  struct spread;  ///< of the nodes over depth and breadth
  struct tables;  ///< of names and blocks
  [[noreturn, gnu::cold]] static void refuse(char const* change);
  void touch(flow_node& added, void const* block, bool is_written);
  void connect_once(flow_node& from, flow_node& to);
  [[nodiscard]] std::vector<flow_node const*> by_number() const;
  /// Predecessors first. Throws usage_error if there is a cycle.
  [[nodiscard]] std::vector<flow_node const*> in_order() const;
  /// The same without those that wait for each other, nor what waits for them.
  [[nodiscard]] std::vector<flow_node const*> in_order(std::vector<flow_node const*> const& all,
                                                       std::vector<std::uint32_t>& waits) const;
  [[nodiscard]] spread spread_of(std::vector<flow_node const*> const& order) const;
  void derive(std::uint32_t keys, bool critical);
  void mark_critical_path();
  void derive_by_breadth(std::uint32_t keys);
  void drop_derived() noexcept;
  [[nodiscard]] bool has_data_of_its_own() const noexcept;
  [[nodiscard]] std::string cycle_among(std::vector<flow_node const*> const& all,
                                        std::vector<std::uint32_t> const& waits) const;

  brief_lock<> lock_;  ///< of the fields below, up to the blank line
  std::pmr::monotonic_buffer_resource memory_{std::size_t{1} << 16};
  flow_nodes all_;
  std::size_t count_ = 0;
  bool is_changed_ = false;  ///< nodes or edges came since `derive`

  std::unique_ptr<tables> const tables_;
  announced_atomic<bool> runs_{false};  ///< between arm and disarm

  // Invariant (derived): no node has an address that it was added with, while nodes have derived ones: those with numbers
  // below derived_nodes_.
  bool may_derive_ = true;
  std::uint32_t derived_for_ = 0;  ///< keys of the last `derive`
  std::size_t derived_nodes_ = 0;
  bool marks_critical_ = false;  ///< of the last `derive`
};

}}}  // namespace skua::v0::runtime
