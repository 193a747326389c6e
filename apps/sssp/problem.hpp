// SPDX-License-Identifier: MIT
// sssp: the distances from one node to all others. Dijkstra's algorithm with tasks: the scheduler's order takes the role of
// the priority queue. Whatever the order, the distances are right; but the nearer the order is to Dijkstra's, the fewer
// nodes are visited more than once. [strategies-2013 4]
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "apps/sssp/graph.hpp"
#include "apps/worker_counts.hpp"
#include "skua/program/strategy/finish.hpp"

namespace skua::apps::sssp {

/// How tasks are spawned.
enum class choice : std::uint8_t {
  by_distance,  ///< with the strategy below
  lifo,         ///< without a strategy, for small graphs only: its work may be exponential in the nodes
};

/// The nearest node first. Thieves take any: a worker that lost all its near nodes would continue with far ones, in
/// vain.
struct by_distance {
  std::atomic<distance> const* known;  ///< of the node
  distance reached;                    ///< its distance when the task was spawned
  std::uint64_t random;

  by_distance(std::atomic<distance> const& of_node, node n, distance d) noexcept
      : known(&of_node), reached(d), random(runtime::dice{(std::uint64_t{n} << 32) ^ d}.next()) {}
  [[nodiscard]] double key(strategies::requester const& by) const noexcept {
    return static_cast<double>(by.steals ? random : reached);
  }
  /// As Dijkstra's algorithm would: a node far from the source is visited in vain while nearer ones wait elsewhere.
  [[nodiscard]] double global_key() const noexcept { return static_cast<double>(reached); }
  [[nodiscard]] bool is_dead() const noexcept { return known->load(std::memory_order_relaxed) < reached; }
};
static_assert(strategy<by_distance>);

struct tally {
  std::uint64_t spawned = 0;  ///< tasks; those that never ran were dead before
  std::uint64_t run = 0;
  std::uint64_t stale = 0;    ///< of these: a shorter path was known when they ran
  std::uint64_t relaxed = 0;  ///< arcs that were looked at
};

struct result {
  std::vector<distance> distances;
  tally counts;
};

/// One run: the best known distances, and counts.
template <graph Graph>
class search {
 public:
  search(Graph const& g, choice how, std::uint32_t workers)
      : graph_(g), how_(how), distances_(g.nodes()), counts_(workers) {
    for (auto& d : distances_) d.store(unreachable, std::memory_order_relaxed);
  }

  /// A path of length d to the node is known. Spawns a task if it is the shortest so far.
  template <class Region>
  void reach(Region& f, node n, distance d) {
    if (!sink(distances_[n], d)) return;
    counts_.add(f.here().worker(), count::spawned);
    auto const task = [this, n, d](auto& inner) { this->visit(inner, n, d); };
    if (how_ == choice::lifo) return f.spawn(task);
    f.spawn(by_distance{distances_[n], n, d}, task);
  }

  /// All tasks have ended.
  [[nodiscard]] result found() const {
    result all;
    all.distances.reserve(distances_.size());
    for (auto const& d : distances_) all.distances.push_back(d.load(std::memory_order_relaxed));
    all.counts = {counts_.sum(count::spawned), counts_.sum(count::run), counts_.sum(count::stale),
                  counts_.sum(count::relaxed)};
    return all;
  }

 private:
  enum class count : std::uint8_t { spawned, run, stale, relaxed, all };

  template <class Region>
  void visit(Region& f, node n, distance d) {
    auto const worker = f.here().worker();
    counts_.add(worker, count::run);
    if (distances_[n].load(std::memory_order_relaxed) < d) return counts_.add(worker, count::stale);
    std::uint64_t arcs = 0;
    graph_.for_each_arc(n, [&](node to, length cost) {
      ++arcs;
      reach(f, to, d + cost);
    });
    counts_.add(worker, count::relaxed, arcs);
  }
  /// d becomes the minimum of both; true if that changes it. Relaxed: a distance says nothing of other data, and of
  /// several tasks that lower a node to the same distance, only one spawns a task.
  static bool sink(std::atomic<distance>& known, distance d) noexcept {
    distance before = known.load(std::memory_order_relaxed);
    while (d < before) {
      if (known.compare_exchange_weak(before, d, std::memory_order_relaxed)) return true;
    }
    return false;
  }

  Graph const& graph_;
  choice const how_;
  std::vector<std::atomic<distance>> distances_;
  worker_counts<count> counts_;
};

/// Throws usage_error unless the graph has this node.
void require_source(node source, node nodes);

/// In Dijkstra's order: work O((nodes + arcs) log nodes).
template <has_finish Here, graph Graph>
result program(Here& here, Graph const& g, node source, choice how) {
  require_source(source, g.nodes());
  search<Graph> all(g, how, here.num_workers());
  here.finish([&](auto& f) { all.reach(f, source, 0); });
  return all.found();
}

/// The baseline, and the answer: Dijkstra's algorithm with a binary heap, in which stale entries stay. Throws usage_error.
template <graph Graph>
result dijkstra(Graph const& g, node source) {
  require_source(source, g.nodes());
  using entry = std::pair<distance, node>;
  std::priority_queue<entry, std::vector<entry>, std::greater<>> waiting;
  result all{std::vector<distance>(g.nodes(), unreachable), {}};
  auto const reach = [&](node n, distance d) {
    if (d >= all.distances[n]) return;
    all.distances[n] = d;
    waiting.emplace(d, n);
    ++all.counts.spawned;
  };
  for (reach(source, 0); !waiting.empty();) {
    auto const [d, n] = waiting.top();
    waiting.pop();
    ++all.counts.run;
    if (all.distances[n] < d) {
      ++all.counts.stale;
      continue;
    }
    g.for_each_arc(n, [&](node to, length cost) {
      ++all.counts.relaxed;
      reach(to, d + cost);
    });
  }
  return all;
}

/// Empty if the distances are equal, else one line.
std::string wrong(std::span<distance const> got, std::span<distance const> right);

}  // namespace skua::apps::sssp
