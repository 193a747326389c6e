// SPDX-License-Identifier: MIT
// Unbalanced Tree Search: count a tree that nobody can cut into equal parts beforehand. Every node is a task.
// (Olivier et al., LCPC 2006; used by all papers on work stealing since.)
//
// As published, each worker counts what it visits and the counts are added up at the end. So a node's frame holds
// nothing but the node: binomial trees are thousands of levels deep, and the whole path lies on one stack.
#pragma once

#include <cstdint>
#include <ranges>
#include <vector>

#include "apps/tbb_workers.hpp"
#include "apps/uts/tree.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/program/fork_join.hpp"

namespace skua::apps::uts {

/// One tally per worker, each on its own cache line; only that worker writes it.
class ledger {
 public:
  explicit ledger(std::uint32_t workers) : pages_(workers) {}

  void count(std::uint32_t worker, node const& seen, bool is_leaf) noexcept {
    tally& mine = pages_[worker].counts;
    mine = mine + tally{1, is_leaf ? 1U : 0U, seen.depth};
  }
  [[nodiscard]] tally total() const noexcept {
    tally sum;
    for (page const& one : pages_) sum = sum + one.counts;
    return sum;
  }

 private:
  struct alignas(cache_line_bytes) page {
    tally counts;
  };
  std::vector<page> pages_;
};

/// Count `at` and all below it.
template <fork_join Here>
void visit(Here& here, tree const& which, node const at, ledger& seen) {
  std::uint32_t const born = which.children_of(at);
  seen.count(index(here.worker()), at, born == 0);
  if (born == 0) return;
  here.each(std::views::iota(0U, born), [&](Here& h, std::uint32_t i) { visit(h, which, child(at, i), seen); });
}

/// Work O(nodes), span O(depth + the sum of the numbers of children along the longest path).
template <fork_join Here>
tally program(Here& here, tree const& which) {
  ledger seen(here.workers());
  visit(here, which, which.root(), seen);
  return seen.total();
}

tally with_openmp(unsigned workers, tree const& which);
tally with_tbb(tbb_workers& workers, unsigned count, tree const& which);

}  // namespace skua::apps::uts
