// SPDX-License-Identifier: MIT
// The runner of flow_bench that uses OpenMP.
#include <omp.h>

#include <thread>

#include "bench/flow.hpp"

namespace skua::bench::flows {

figures run_openmp(dag const& d, std::uint32_t workers, std::uint32_t) {
  tally seen(d);
  [[maybe_unused]] char const* const block = reinterpret_cast<char const*>(d.before.data());  // for `depend` alone
  double ns = 0;
  seen.begin_run();
#pragma omp parallel num_threads(workers)
  {
#pragma omp barrier
#pragma omp single
    {
      auto const start = clock::now();
#pragma omp taskgroup
      for (std::uint32_t i = 0; i < d.nodes(); ++i) {
        std::uint32_t const a = d.before[i][0];
        std::uint32_t const b = d.before[i][1];
        if (a == nobody) {
#pragma omp task depend(out : block[i]) firstprivate(i) shared(seen)
          seen.visit(i);
        } else if (b == nobody) {
#pragma omp task depend(in : block[a]) depend(out : block[i]) firstprivate(i) shared(seen)
          seen.visit(i);
        } else {
#pragma omp task depend(in : block[a], block[b]) depend(out : block[i]) firstprivate(i) shared(seen)
          seen.visit(i);
        }
      }
      ns = ns_between(start, clock::now());
    }
  }
  seen.verify_run();
  std::this_thread::sleep_for(std::chrono::milliseconds(10));  // its threads spin for a while
  return {.built = ns / static_cast<double>(d.nodes())};
}

}  // namespace skua::bench::flows
