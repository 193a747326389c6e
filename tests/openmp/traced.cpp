// SPDX-License-Identifier: MIT
// What traced_test.py traces: regions, loops, tasks, waits and nested teams, each in a line that the report must name.
#include <omp.h>

#include <atomic>

namespace {

std::atomic<double> sink;

void work(int units) {
  double x = 0;
  for (int i = 0; i < units * 1000; ++i) x += i * 0.5;
  sink.store(x, std::memory_order_relaxed);
}

}  // namespace

namespace deep {

[[gnu::noinline]] void loops(int n) {
#pragma omp parallel num_threads(2)  // LINE region
  {
#pragma omp for schedule(dynamic, 4)  // LINE loop
    for (int i = 0; i < n; ++i) work(1);
#pragma omp single
    for (int i = 0; i < 16; ++i) {
#pragma omp task  // LINE task
      work(2);
    }
  }
}

}  // namespace deep

int main() {
  for (int r = 0; r < 10; ++r) {
    deep::loops(100);
#pragma omp parallel for schedule(dynamic, 2) num_threads(2)  // LINE combined
    for (int i = 0; i < 64; ++i) work(1);
#pragma omp parallel num_threads(2)  // LINE critical
    {
#pragma omp critical
      work(50);
    }
    work(20);
  }
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)  // LINE outer
  {
#pragma omp parallel num_threads(3)  // LINE inner
    work(5);
  }
  return 0;
}
