// SPDX-License-Identifier: MIT
// cilksort with oneTBB: a task for every child but the last, which is called directly, in a task_group per join.
#include <tbb/task_group.h>

#include "apps/cilksort/problem.hpp"

namespace skua::apps::cilksort {
namespace {

template <sort_key Key>
void merge_tasks(merging<Key> const& m) {
  if (m.is_leaf()) return m.run_leaf();
  auto const halves = m.halves();
  tbb::task_group forked;
  forked.run([&] { merge_tasks(halves.first); });
  merge_tasks(halves.second);
  forked.wait();
}

template <sort_key Key>
void sort_tasks(sorting<Key> const& s) {
  if (s.is_leaf()) return s.run_leaf();
  auto const quarters = s.quarters();
  tbb::task_group forked;
  for (std::size_t i = 0; i < 3; ++i) {
    forked.run([&quarters, i] { sort_tasks(quarters[i]); });
  }
  sort_tasks(quarters[3]);
  forked.wait();
  forked.run([&s] { merge_tasks(s.first_half()); });
  merge_tasks(s.second_half());
  forked.wait();
  merge_tasks(s.back());
}

}  // namespace

template <sort_key Key>
void with_tbb(tbb_workers& workers, unsigned count, sorting<Key> const& s) {
  workers.run(count, [&] { sort_tasks(s); });
}

template void with_tbb(tbb_workers&, unsigned, sorting<std::int32_t> const&);
template void with_tbb(tbb_workers&, unsigned, sorting<std::int64_t> const&);

}  // namespace skua::apps::cilksort
