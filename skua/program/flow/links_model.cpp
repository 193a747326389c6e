// SPDX-License-Identifier: MIT
// A node that gets edges while its predecessors finish, under every schedule: it is ready once, when it is sealed and they
// have finished, and sees what they did (flow.md). Each mutant breaks one step.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "skua/program/flow/links.hpp"
#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"

namespace {

using namespace skua::explorer;
using skua::runtime::edge_state, skua::runtime::flow_edge, skua::runtime::flow_links;
using std::memory_order, std::memory_order_relaxed;

template <class Sync>
struct model_node {
  flow_links<model_node, Sync> links;
  typename Sync::template plain<int> ran;
};

/// Nodes 0 and 1 are finished by two threads; a third adds node 2, which runs after both. Who finishes sees each edge on which
/// node 2 waits before it arrives there: a trace has these edges.
template <class Sync, bool SealFirst = false>
struct late_node {
  static constexpr int threads = 3;
  using node = model_node<Sync>;
  std::array<node, 3> nodes;
  std::array<flow_edge<node>, 2> edges{};
  model_atomic<int> runs{0}, waited{0}, seen{0};

  late_node() {
    for (node& n : nodes) n.ran.set(0);
    for (std::size_t i = 0; i < 2; ++i) static_cast<void>(nodes[i].links.seal());
  }
  void run(int me) {
    if (me < 2) return finish(nodes[static_cast<std::size_t>(me)]);
    if (SealFirst && nodes[2].links.seal()) run_last();
    for (std::size_t i = 0; i < 2; ++i) {
      edge_state const came = nodes[i].links.add(edges[i], nodes[2]);
      require(came != edge_state::begun, "a node that is not sealed has not begun");
      if (came == edge_state::waits) waited.fetch_add(1, memory_order_relaxed);
      if (came == edge_state::ready) run_last();
    }
    if (!SealFirst && nodes[2].links.seal()) run_last();
  }
  void finish(node& n) {
    n.ran.set(1);
    n.links.finish([this](node&) { run_last(); },
                   [this](flow_edge<node> const* first) {
                     for (; first != nullptr; first = first->next) {
                       require(first->successor == &nodes[2], "an edge that is seen is complete");
                       seen.fetch_add(1, memory_order_relaxed);
                     }
                   });
  }
  void run_last() {
    for (std::size_t i = 0; i < 2; ++i) require(nodes[i].ran.get() == 1, "a node runs after its predecessors");
    require(runs.fetch_add(1, memory_order_relaxed) == 0, "a node runs once");
    nodes[2].ran.set(1);
  }
  void finish() {
    require(runs.load(memory_order_relaxed) == 1, "every node runs");
    require(seen.load(memory_order_relaxed) == waited.load(memory_order_relaxed),
            "every edge that was waited for is seen");
  }
};

/// Node 2 is sealed and waits for node 0, while node 1 adds an edge from itself and a task that is no predecessor one from 0.
template <class Sync>
struct edges_to_a_sealed_node {
  static constexpr int threads = 3;
  using node = model_node<Sync>;
  std::array<node, 3> nodes;
  std::array<flow_edge<node>, 3> edges{};
  model_atomic<int> runs{0};

  edges_to_a_sealed_node() {
    for (node& n : nodes) n.ran.set(0);
    static_cast<void>(nodes[0].links.add(edges[0], nodes[2]));
    for (node& n : nodes) static_cast<void>(n.links.seal());
  }
  void run(int me) {
    if (me == 0) return finish(nodes[0]);
    if (me == 1) {
      bool const waits = nodes[1].links.add(edges[1], nodes[2]) == edge_state::waits;
      nodes[1].ran.set(waits ? 2 : 1);
      nodes[1].links.finish([this](node&) { run_last(); });
      return;
    }
    if (nodes[0].links.add(edges[2], nodes[2]) == edge_state::ready) run_last();
  }
  void finish(node& n) {
    n.ran.set(1);
    n.links.finish([this](node&) { run_last(); });
  }
  void run_last() {
    require(nodes[0].ran.get() == 1, "a node runs after its predecessors");
    require(runs.fetch_add(1, memory_order_relaxed) == 0, "a node runs once");
  }
  void finish() { require(runs.load(memory_order_relaxed) == 1, "every node runs"); }
};

// Mutants of the atomics façade. Each breaks one thing.

/// A node has no share of its own: it is ready as soon as the edges that it has had so far are satisfied.
struct no_own_share : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    T fetch_sub(T by, memory_order order) noexcept { return model_atomic<T>::fetch_sub(by, order) == 2 ? T{1} : T{2}; }
  };
};
/// Arriving orders nothing.
struct relaxed_arrival : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    T fetch_sub(T by, memory_order) noexcept { return model_atomic<T>::fetch_sub(by, memory_order_relaxed); }
  };
};
/// Finishing publishes nothing to edges that come later.
struct relaxed_finish : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    T fetch_or(T bits, memory_order) noexcept { return model_atomic<T>::fetch_or(bits, memory_order_relaxed); }
  };
};
/// Whoever adds an edge does not see what the finished node did.
struct relaxed_add : model_sync {
  template <class T>
  struct atomic : model_atomic<T> {
    using model_atomic<T>::model_atomic;
    T load(memory_order) const noexcept { return model_atomic<T>::load(memory_order_relaxed); }
    bool compare_exchange_weak(T& seen, T to, memory_order, memory_order = memory_order_relaxed) noexcept {
      return model_atomic<T>::compare_exchange_weak(seen, to, memory_order_relaxed, memory_order_relaxed);
    }
  };
};

constexpr options exact{.races = true};
constexpr options bounded{.preemptions = 3, .races = true};

}  // namespace

TEST(flow_links_model, late_node_runs_once_after_its_predecessors) {
  holds<late_node<model_sync>>(bounded);
  holds<late_node<model_sync>>(weak_races);
}
TEST(flow_links_model, sealed_node_gets_edges_until_it_is_ready) {
  holds<edges_to_a_sealed_node<model_sync>>(bounded);
  holds<edges_to_a_sealed_node<model_sync>>(weak_races);
}

TEST(flow_links_mutant, missing_own_share_is_caught) { fails<late_node<no_own_share>>("race", bounded); }
TEST(flow_links_mutant, seal_before_add_is_caught) { fails<late_node<model_sync, true>>("race", bounded); }
TEST(flow_links_mutant, relaxed_arrival_is_caught) { fails<late_node<relaxed_arrival>>("race", bounded); }
TEST(flow_links_mutant, relaxed_finish_is_caught) { fails<late_node<relaxed_finish>>("race", weak_races); }
TEST(flow_links_mutant, relaxed_add_is_caught) { fails<late_node<relaxed_add>>("race", weak_races); }
