// SPDX-License-Identifier: MIT
// nqueens with oneTBB: one task per queen and one task_group per row, the last queen of a row called directly.
#include <tbb/task_group.h>

#include "apps/nqueens/problem.hpp"

namespace skua::apps::nqueens {
namespace {

std::uint64_t fill(board const& b) {
  if (b.full()) return 1;
  choices const free(b);
  if (free.size() == 0) return 0;
  findings found;
  std::uint32_t const last = free.size() - 1;
  tbb::task_group forked;
  for (std::uint32_t i = 0; i < last; ++i) {
    forked.run([&, i] { found[i] = fill(b.with(free[i])); });
  }
  found[last] = fill(b.with(free[last]));
  forked.wait();
  return found.sum(free.size());
}

}  // namespace

std::uint64_t with_tbb(tbb_workers& workers, unsigned count, int n) {
  std::uint64_t result = 0;
  workers.run(count, [&] { result = fill(board{.n = n}); });
  return result;
}

}  // namespace skua::apps::nqueens
