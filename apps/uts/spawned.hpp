// SPDX-License-Identifier: MIT
// UTS with spawned tasks: a task per node that has children, all in one finish region. So many small tasks are a burden on
// the scheduler; the strategy tells it how many nodes to expect below each, so that it calls the small ones. [strategies-2013 4]
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "apps/uts/problem.hpp"
#include "skua/program/strategy/finish.hpp"

namespace skua::apps::uts {

/// How tasks are spawned.
enum class choice : std::uint8_t {
  by_depth,  ///< with the expected size of a subtree as its weight; a spawn may be a call
  none,      ///< without a strategy
};

/// The expected sizes of the subtrees of a tree, which depend on their roots' depths alone. In a geometric tree they fall
/// exponentially towards the leaves; a binomial tree has no known height, and all its subtrees are expected to be equal.
class expected_sizes {
 public:
  /// With this weight a worker that has 64 tasks calls any other (skua/policy/strategies.hpp), and that is enough to steal.
  static constexpr double most = 4096;

  explicit expected_sizes(tree const& which);
  /// 1 to `most`.
  [[nodiscard]] double at(std::uint32_t depth) const noexcept {
    return depth < by_depth_.size() ? by_depth_[depth] : beyond_;
  }

 private:
  static constexpr std::uint32_t most_levels = 1000;
  double beyond_;
  std::vector<double> by_depth_;
};

/// A search whose tasks are spawned.
class spawned_search {
 public:
  spawned_search(tree const& which, choice how, std::uint32_t workers)
      : search_(which, workers), sizes_(which), how_(how) {}

  /// Counts a node, and spawns a task for the nodes below it.
  template <class Region>
  void meet(Region& f, node const& met) {
    std::uint32_t const born = search_.meet(search_.counts_of(index(f.here().worker())), met);
    if (born == 0) return;
    auto const task = [this, met, born](auto& inner) { this->below(inner, met, born); };
    if (how_ == choice::none) return f.spawn(task);
    f.spawn(strategies::weighted{sizes_.at(met.depth)}, task);
  }

  [[nodiscard]] tally total() const noexcept { return search_.total(); }

 private:
  template <class Region>
  void below(Region& f, node const& parent, std::uint32_t born) {
    for (std::uint32_t i = 0; i < born; ++i) meet(f, f.here().leaf([&] { return child(parent, i); }));
  }

  search search_;
  expected_sizes const sizes_;
  choice const how_;
};

/// Work O(nodes), span O(the sum of the numbers of children along a path).
template <has_finish Here>
tally spawned(Here& here, tree const& which, choice how) {
  spawned_search whole(which, how, here.num_workers());
  here.finish([&](auto& f) { whole.meet(f, which.root()); });
  return whole.total();
}

}  // namespace skua::apps::uts
