// SPDX-License-Identifier: MIT
// bipartition: divides the vertices of a graph into two sets of given sizes such that the edges between them weigh least,
// by branch and bound. The order in which subproblems are explored decides how soon good solutions are known, and so how
// many subproblems need not be explored. [strategies-2013 4]
//
// As published, only a subproblem that is solved changes the best known cut; the estimates, which are cuts too, only order
// the search. So a run shows what the order is worth.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <string>

#include "apps/bipartition/graph.hpp"
#include "apps/bipartition/subproblem.hpp"
#include "apps/run_clock.hpp"
#include "apps/worker_counts.hpp"
#include "skua/program/strategy/finish.hpp"

namespace skua::apps::bipartition {

/// How subproblems are spawned.
enum class choice : std::uint8_t {
  by_bound,  ///< with the strategy below
  lifo,      ///< without a strategy: the newest first, thieves take the oldest
};

/// The most promising subproblem first; thieves take the one of which least is known, for it may hold much work.
struct by_bound {
  std::atomic<cost> const* best;
  cost lower;
  cost estimate;
  std::uint32_t vertices;
  std::uint32_t open;

  [[nodiscard]] bool prioritize(by_bound const& other, strategies::requester const& by) const noexcept {
    return by.steals ? estimate - lower > other.estimate - other.lower : estimate < other.estimate;
  }
  [[nodiscard]] double global_key() const noexcept { return static_cast<double>(estimate); }
  /// A whole tree of the depth that is left until the bound meets the best cut, if each vertex adds its average share.
  [[nodiscard]] double transitive_weight() const noexcept {
    double const known = best->load(std::memory_order_relaxed);
    if (known <= lower) return 1;
    double const depth = (known - lower) * vertices / known;
    return std::exp2(std::min(depth, static_cast<double>(open))) - 1;
  }
  [[nodiscard]] static constexpr bool allow_call_conversion() noexcept { return true; }
  [[nodiscard]] bool is_dead() const noexcept { return lower >= best->load(std::memory_order_relaxed); }
};
static_assert(strategy<by_bound>);

struct result {
  cost cut = 0;
  vertex_set side_a = 0;
  std::uint64_t expanded = 0;          ///< subproblems that were divided in two
  std::uint64_t optimum_expanded = 0;  ///< of these, before the best cut was found
  std::uint64_t optimum_ns = 0;        ///< from the start until it was found; virtual in the simulator
};

/// One run: the best known partition, and counts.
class search {
 public:
  search(graph const& g, choice how, std::uint32_t workers, std::uint64_t start_ns);

  template <class Region>
  void begin(Region& f) {
    offer(f, task{this, whole(graph_)});
  }

  /// All tasks have ended.
  [[nodiscard]] result found() const;

 private:
  enum class count : std::uint8_t { expanded, all };

  /// What is spawned. It holds its subproblem from the beginning, so that a spawn copies it once, and a call does not.
  struct task {
    search* all;
    subproblem s;
    template <class Region>
    void operator()(Region& f) const {
      all->expand(f, s);
    }
  };

  /// Solved: takes it if it is better than the best. Else spawns it, if it may hold a better one.
  template <class Region>
  void offer(Region& f, task const& t) {
    if (!promises_more(t.s)) return;
    if (t.s.solved()) return improve(t.s, now_ns(f.here()));
    if (how_ == choice::lifo) return f.spawn(t);
    f.spawn(by_bound{&best_, t.s.lower, estimate(graph_, t.s), graph_.vertices(), t.s.opens}, t);
  }
  template <class Region>
  void expand(Region& f, subproblem const& s) {
    if (!promises_more(s)) return;
    counts_.add(f.here().worker(), count::expanded);
    offer(f, task{this, with_next(graph_, s, side::a)});
    offer(f, task{this, with_next(graph_, s, side::b)});
  }
  /// An old value of best_ only costs time.
  [[nodiscard]] bool promises_more(subproblem const& s) const noexcept {
    return s.lower < best_.load(std::memory_order_relaxed);
  }
  void improve(subproblem const& solved, std::uint64_t now_ns);

  graph const& graph_;
  choice const how_;
  std::uint64_t const start_ns_;
  std::atomic<cost> best_;  ///< only sinks; written under improving_
  std::mutex improving_;
  result found_;  ///< guarded by improving_
  worker_counts<count> counts_;
};

/// The best partition. Work and span depend on the order: exponential.
template <has_finish Here>
result program(Here& here, graph const& g, choice how) {
  search all(g, how, here.num_workers(), now_ns(here));
  here.finish([&](auto& f) { all.begin(f); });
  return all.found();
}

/// By trying all partitions, at most 24 vertices. Throws usage_error. Work O(2^vertices * edges).
cost least_cut(graph const& g);

/// Empty if the partition has the right sizes and cuts what it says, else one line.
std::string wrong(graph const& g, result const& r);

}  // namespace skua::apps::bipartition
