// SPDX-License-Identifier: MIT
// Unbalanced Tree Search: counts a tree that cannot be cut into equal parts beforehand.
// (Olivier et al., LCPC 2006; used by all papers on work stealing since.)
//
// A node draws its children one after the other. A leaf is recognised and counted as soon as it is drawn; a child
// that has children is a task, forked against "the siblings not yet drawn". So the whole rest of the tree can be
// stolen at any moment, and no fork is empty. As published, each worker counts what it meets, and the counts are
// added up at the end: a frame holds nothing but its node. Binomial trees are thousands of levels deep, and the
// whole path lies on one stack.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/tbb_workers.hpp"
#include "apps/uts/tree.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/program/fork_join.hpp"

namespace skua::apps::uts {

/// One set of counters per worker, each on its own cache line; only that worker writes it.
class ledger {
 public:
  explicit ledger(std::uint32_t workers) : pages_(workers) {}

  [[nodiscard]] tally& of(std::uint32_t worker) noexcept { return pages_[worker].counts; }
  [[nodiscard]] tally total() const noexcept {
    tally sum;
    for (page const& one : pages_) sum = sum + one.counts;
    return sum;
  }

 private:
  struct alignas(runtime::cache_line_bytes) page {
    tally counts;
  };
  std::vector<page> pages_;
};

/// A search: the tree, and the counts of the nodes seen.
class search {
 public:
  search(tree const& which, std::uint32_t workers) : which_(which), seen_(workers) {}

  /// The counters of the worker that runs this now: valid until its next join.
  [[nodiscard]] tally& counts_of(std::uint32_t worker) noexcept { return seen_.of(worker); }

  /// Counts `met` and returns its number of children.
  std::uint32_t meet(tally& counts, node const& met) const noexcept {
    std::uint32_t const born = which_.children_of(met);
    counts = counts + tally{1, born == 0 ? 1U : 0U, met.depth};
    return born;
  }

  /// Counts children [next, born) of a node, and everything below them.
  template <fork_join Here>
  void below(Here& here, node const& parent, std::uint32_t next, std::uint32_t born) {
    tally& counts = counts_of(index(here.worker()));
    while (next < born) {
      node const drawn = child(parent, next++);
      std::uint32_t const its = meet(counts, drawn);
      if (its == 0) continue;
      if (next == born) return below(here, drawn, 0, its);
      return here.join([this, &drawn, its](Here& h) { below(h, drawn, 0, its); },
                       [this, &parent, next, born](Here& h) { below(h, parent, next, born); });
    }
  }

  [[nodiscard]] tally total() const noexcept { return seen_.total(); }

 private:
  tree const& which_;
  ledger seen_;
};

/// Work O(nodes), span O(the sum of the numbers of children along a path).
template <fork_join Here>
tally program(Here& here, tree const& which) {
  search whole(which, here.num_workers());
  node const root = which.root();
  whole.below(here, root, 0, whole.meet(whole.counts_of(index(here.worker())), root));
  return whole.total();
}

tally with_openmp(unsigned workers, tree const& which);
tally with_tbb(tbb_workers& workers, unsigned count, tree const& which);

}  // namespace skua::apps::uts
