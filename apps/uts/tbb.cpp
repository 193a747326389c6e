// SPDX-License-Identifier: MIT
// UTS with oneTBB: one task per child that has children, one task_group per node; a last child is called directly.
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include "apps/uts/problem.hpp"

namespace skua::apps::uts {
namespace {

tally& my_counts(search& whole) {
  return whole.counts_of(static_cast<std::uint32_t>(tbb::this_task_arena::current_thread_index()));
}

void below(search& whole, node const& parent, std::uint32_t born) {
  tally& counts = my_counts(whole);  // a task stays on its thread
  tbb::task_group forked;
  for (std::uint32_t i = 0; i < born; ++i) {
    node const drawn = child(parent, i);
    std::uint32_t const its = whole.meet(counts, drawn);
    if (its == 0) continue;
    if (i + 1 == born) {
      below(whole, drawn, its);
    } else {
      forked.run([&whole, drawn, its] { below(whole, drawn, its); });
    }
  }
  forked.wait();
}

}  // namespace

tally with_tbb(tbb_workers& workers, unsigned count, tree const& which) {
  search whole(which, count);
  node const root = which.root();
  workers.run(count, [&] { below(whole, root, whole.meet(my_counts(whole), root)); });
  return whole.total();
}

}  // namespace skua::apps::uts
