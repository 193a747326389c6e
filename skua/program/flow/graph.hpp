// SPDX-License-Identifier: MIT
// The part of a flow that does not depend on what its nodes call: nodes, edges, memory, and questions about them.
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
  char const* function;  ///< as the compiler spells it: what traces call a node without a name
};

/// A node without what it calls. Lies in the memory of its flow.
struct flow_node {
  explicit flow_node(flow_node_kind const& k) noexcept : kind(&k) {}
  flow_links<flow_node> links;
  flow_node_kind const* kind;
  flow_graph const* of = nullptr;
  flow_node* next = nullptr;  ///< the node that was added after it
  hint hints{};
  std::uint32_t number = 0;  ///< in the order of being added
  std::uint32_t label = 0;   ///< which of its flow's names it has; 0: none
};

/// The same data and the same function: a policy places both alike.
[[nodiscard]] inline bool has_hints_of(flow_node const& a, flow_node const& b) noexcept {
  return a.hints.address == b.hints.address && a.hints.place == b.hints.place && a.hints.type == b.hints.type;
}

/// A node as programs name it. T: what its function returns.
template <class T>
class node {
 public:
  node() = default;
  node(flow_node& which, T const* value) noexcept : which_(&which), value_(value) {}
  [[nodiscard]] flow_node& get() const noexcept { return *which_; }
  [[nodiscard]] T const* value() const noexcept { return value_; }

 private:
  flow_node* which_ = nullptr;
  T const* value_ = nullptr;
};
template <>
class node<void> {
 public:
  node() = default;
  explicit node(flow_node& which) noexcept : which_(&which) {}
  template <class T>
  node(node<T> const& other) noexcept : which_(&other.get()) {}  // NOLINT(google-explicit-constructor)
  [[nodiscard]] flow_node& get() const noexcept { return *which_; }

 private:
  flow_node* which_ = nullptr;
};

/// Nodes that were added and not yet put into their flow, in order.
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

  [[nodiscard]] std::size_t nodes() const noexcept { return count_; }
  [[nodiscard]] std::size_t edges() const noexcept;

  /// A name for messages, exports and traces; without one a node is called "node 17", and in traces as the function around
  /// its lambda. Several nodes may have one name, and take its memory once. Not while the flow runs.
  void name(node<void> n, std::string text);
  [[nodiscard]] std::string name_of(flow_node const& n) const;
  /// The names that nodes have been given, by label; the first is empty. Not while the flow runs.
  [[nodiscard]] std::vector<std::string> const& names() const noexcept;

  /// By number: the largest sum of work hints (1 where there is none) along a path that begins with the node. Not while the
  /// flow runs. Throws usage_error if there is a cycle, and names its nodes. O(nodes + edges).
  [[nodiscard]] std::vector<double> bottom_levels() const;
  /// The nodes of a path with the largest sum.
  [[nodiscard]] std::vector<std::uint32_t> critical_path() const;
  /// Graphviz; nodes of the critical path are red.
  [[nodiscard]] std::string to_dot() const;
  /// {"nodes": [{"id", "name", "work", "level"}], "edges": [[from, to]], "critical_path": [id]}
  [[nodiscard]] std::string to_json() const;

  /// Gives every node without an address one from where it lies in the graph: its position among the nodes of the same
  /// depth. Close nodes of neighbouring depths then have close addresses. Not while the flow runs. O(nodes + edges).
  /// [arms-2021 3.1]
  void address_by_breadth();

 protected:
  ~flow_graph();

  /// Memory of the flow, given back with it. Any thread. Throws std::bad_alloc.
  [[nodiscard]] void* take(std::size_t bytes, std::size_t alignment);
  /// Any thread: `n` is new and belongs to the caller until put_in.
  void number(flow_node& n) noexcept;
  /// The nodes belong to the flow from now on. Any thread.
  void put_in(flow_nodes const& added) noexcept;
  /// Throws usage_error, which names the node, if it is one of another flow.
  void expect_own(flow_node const& n) const;
  /// Throws usage_error, which names both, if they are not both of this flow, or if `to` may have begun. True: `to` may run,
  /// and the caller runs it.
  [[nodiscard]] bool connect(flow_node& from, flow_node& to);
  /// Throws usage_error while the flow runs: for changes that a run would see half of. Any thread. Cost: a load.
  void expect_at_rest(char const* change) const {
    // relaxed: a node, and whoever heard of a run from one, sees that it runs; others must not change a flow beside a run
    if (runs_.load(std::memory_order_relaxed)) [[unlikely]]
      refuse(change);
  }

  /// Adds the edges that what the new node touches asks for: it waits for the last node that writes a block which it reads,
  /// and for all that touch a block which it writes, of the nodes added before. A block is named by its first byte.
  void depend(flow_node& added, reads const& what) { touch(added, what.data, false); }
  void depend(flow_node& added, writes const& what) { touch(added, what.data, true); }

  /// Makes all nodes ready for a run; `roots` gets those without predecessors, in order. Throws usage_error if the flow
  /// runs: a second run would count anew what the first one waits for.
  void arm(std::vector<flow_node*>& roots);
  /// The run has ended. Throws usage_error if nodes could not run because they wait for each other, unless it `failed`.
  void disarm(bool failed);

 private:
  struct tables;  ///< of names and blocks
  [[noreturn, gnu::cold]] static void refuse(char const* change);
  void touch(flow_node& added, void const* block, bool is_written);
  void connect_once(flow_node& from, flow_node& to);
  [[nodiscard]] std::vector<flow_node const*> by_number() const;
  /// Predecessors first. Throws usage_error if there is a cycle.
  [[nodiscard]] std::vector<flow_node const*> in_order() const;
  [[nodiscard]] std::string cycle_among(std::vector<flow_node const*> const& all,
                                        std::vector<std::uint32_t> const& waits) const;

  brief_lock<> lock_;  ///< of what follows, up to the blank line
  std::pmr::monotonic_buffer_resource memory_{std::size_t{1} << 16};
  flow_nodes all_;
  std::size_t count_ = 0;

  std::unique_ptr<tables> const tables_;
  announced_atomic<bool> runs_{false};  ///< between arm and disarm
};

}}}  // namespace skua::v0::runtime
