// SPDX-License-Identifier: MIT
// The search as people write it with oneTBB: a task per branch down to a depth that was found by trial, serial below.
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>

#include "bench/case_studies/langford.hpp"
#include "bench/case_studies/study.hpp"

namespace {

using namespace skua::bench::langford;

void count(board const& b, int k, int cutoff, std::atomic<std::uint64_t>& found) {
  if (k <= cutoff) {
    found += count_serially(b, k);
    return;
  }
  tbb::task_group branches;
  for (std::uint64_t p = free_places(b, k); p != 0; p &= p - 1)
    branches.run([=, next = put(b, k, p), &found] { count(next, k - 1, cutoff, found); });
  branches.wait();
}

}  // namespace

int main(int argc, char** argv) {
  using namespace skua::bench;
  study::arguments const given(argc, argv);  // N CUTOFF WORKERS
  int const n = static_cast<int>(given.number(1, 12));
  int const cutoff = static_cast<int>(given.number(2, 8)) - 1;
  tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, given.number(3, 2));
  std::atomic<std::uint64_t> found = 0;
  study::stopwatch const watch;
  count({.taken = 0, .n = n}, n, cutoff, found);
  return study::tell(watch, static_cast<double>(found.load()));
}
