// SPDX-License-Identifier: MIT
// The solver as people write it with OpenMP: a parallel loop per operation.
#include <omp.h>

#include "bench/case_studies/solver.hpp"
#include "bench/case_studies/study.hpp"

int main(int argc, char** argv) {
  using namespace skua::bench;
  study::arguments const given(argc, argv);  // N STEPS WORKERS SCHEDULE
  solver::matrix const a = solver::make_network(given.number(1, 60'000), 8);
  auto const steps = given.number(2, 200);
  omp_set_num_threads(static_cast<int>(given.number(3, 2)));
  bool const dynamic = given.text(4, "static") == "dynamic";
  omp_set_schedule(dynamic ? omp_sched_dynamic : omp_sched_static, dynamic ? 512 : 0);
  auto const n = static_cast<std::ptrdiff_t>(a.n);
  solver::state s(a.n);
  auto& [x, r, p, q] = s;
  study::stopwatch const watch;
  double rho = 0;
#pragma omp parallel for reduction(+ : rho)
  for (std::ptrdiff_t i = 0; i < n; ++i) rho += r[i] * r[i];
  for (std::size_t t = 0; t < steps; ++t) {
    double pq = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : pq)
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      q[i] = solver::row_times(a, static_cast<std::size_t>(i), p);
      pq += p[i] * q[i];
    }
    double const alpha = rho / pq;
    double next = 0;
#pragma omp parallel for reduction(+ : next)
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
      next += r[i] * r[i];
    }
    double const beta = next / rho;
    rho = next;
#pragma omp parallel for
    for (std::ptrdiff_t i = 0; i < n; ++i) p[i] = r[i] + beta * p[i];
  }
  double sum = 0;
  for (double const v : x) sum += v;
  return study::tell(watch, sum);
}
