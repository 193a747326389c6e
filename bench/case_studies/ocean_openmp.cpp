// SPDX-License-Identifier: MIT
// The basin as people write it with OpenMP. SCHEDULE is static or dynamic.
#include <omp.h>

#include <string>
#include <utility>

#include "bench/case_studies/ocean.hpp"
#include "bench/case_studies/study.hpp"

int main(int argc, char** argv) {
  using namespace skua::bench;
  study::arguments const given(argc, argv);  // N STEPS WORKERS SCHEDULE
  ocean::basin b = ocean::make_basin(given.number(1, 1200));
  auto const steps = given.number(2, 1000);
  omp_set_num_threads(static_cast<int>(given.number(3, 2)));
  bool const dynamic = given.text(4, "static") == "dynamic";
  omp_set_schedule(dynamic ? omp_sched_dynamic : omp_sched_static, dynamic ? 16 : 0);
  auto const rows = static_cast<std::ptrdiff_t>(b.rows);
  study::stopwatch const watch;
  for (std::size_t t = 0; t < steps; ++t) {
#pragma omp parallel for schedule(runtime)
    for (std::ptrdiff_t i = 1; i < rows - 1; ++i) ocean::relax_row(b, static_cast<std::size_t>(i));
    std::swap(b.level, b.next);
  }
  return study::tell(watch, ocean::checksum(b));
}
