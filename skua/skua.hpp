// SPDX-License-Identifier: MIT
// Skua's public API: one include.
//
// `pool` and `here` (program/fork_join.hpp) are the native interface; the algorithms of program/algorithm take a `here`.
// The names below are for programs written for oneTBB: they find their worker, or the default pool, themselves.
#pragma once

#include <utility>

#include "skua/machine/threads/join/here.hpp"
#include "skua/machine/threads/pages/distribute.hpp"
#include "skua/machine/threads/pool/executor.hpp"
#include "skua/machine/threads/pool/pool.hpp"
#include "skua/machine/threads/worker/leaf_record.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/memory/locate.hpp"
#include "skua/parts/memory/page_array.hpp"
#include "skua/program/algorithm/filter.hpp"
#include "skua/program/algorithm/for_each.hpp"
#include "skua/program/algorithm/invoke.hpp"
#include "skua/program/algorithm/reduce.hpp"
#include "skua/program/algorithm/scan.hpp"
#include "skua/program/algorithm/sort.hpp"
#include "skua/program/algorithm/transform.hpp"
#include "skua/program/blocked_range.hpp"
#include "skua/program/first_touch.hpp"
#include "skua/program/fork_join.hpp"
#include "skua/program/hint.hpp"
#include "skua/program/measured_work.hpp"
#include "skua/program/parallel.hpp"
#include "skua/program/parallel_reduce.hpp"
#include "skua/program/partitioner.hpp"
#include "skua/program/serial.hpp"
#include "skua/program/task_group.hpp"

namespace skua {

using task_group = basic_task_group<runtime::executor>;
using task_handle = basic_task_handle<runtime::executor>;

// The oneTBB-style interface, callable from any thread. Semantics and cost: program/parallel.hpp, parallel_reduce.hpp.

template <class... Args>
void parallel_for(Args&&... args) {
  on::parallel_for<runtime::executor>(std::forward<Args>(args)...);
}
template <class... Args>
void parallel_for_each(Args&&... args) {
  on::parallel_for_each<runtime::executor>(std::forward<Args>(args)...);
}
template <class... Args>
decltype(auto) parallel_reduce(Args&&... args) {
  return on::parallel_reduce<runtime::executor>(std::forward<Args>(args)...);
}
template <class... Args>
decltype(auto) parallel_deterministic_reduce(Args&&... args) {
  return on::parallel_deterministic_reduce<runtime::executor>(std::forward<Args>(args)...);
}
template <class... Args>
decltype(auto) parallel_scan(Args&&... args) {
  return on::parallel_scan<runtime::executor>(std::forward<Args>(args)...);
}
template <class... Args>
void parallel_sort(Args&&... args) {
  on::parallel_sort<runtime::executor>(std::forward<Args>(args)...);
}
template <class... Args>
void parallel_invoke(Args&&... args) {
  on::parallel_invoke<runtime::executor>(std::forward<Args>(args)...);
}

}  // namespace skua
