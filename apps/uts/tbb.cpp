// SPDX-License-Identifier: MIT
// UTS with oneTBB: one task per child and one task_group per node, the last child called directly.
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include "apps/uts/problem.hpp"

namespace skua::apps::uts {
namespace {

void visit(tree const& which, node const at, ledger& seen) {
  std::uint32_t const born = which.children_of(at);
  seen.count(static_cast<std::uint32_t>(tbb::this_task_arena::current_thread_index()), at, born == 0);
  if (born == 0) return;
  tbb::task_group forked;
  for (std::uint32_t i = 0; i + 1 < born; ++i) {
    forked.run([&, i] { visit(which, child(at, i), seen); });
  }
  visit(which, child(at, born - 1), seen);
  forked.wait();
}

}  // namespace

tally with_tbb(tbb_workers& workers, unsigned count, tree const& which) {
  ledger seen(count);
  workers.run(count, [&] { visit(which, which.root(), seen); });
  return seen.total();
}

}  // namespace skua::apps::uts
