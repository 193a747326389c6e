// SPDX-License-Identifier: MIT
// fib with OpenMP tasks: one task and one taskwait per fork; the other call is direct.
#include "apps/fib/problem.hpp"

namespace skua::apps::fib {
namespace {

std::uint64_t fib(int n) {
  if (n < 2) return static_cast<std::uint64_t>(n);
  std::uint64_t a = 0;
#pragma omp task shared(a)
  a = fib(n - 1);
  std::uint64_t const b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

}  // namespace

std::uint64_t with_openmp(unsigned workers, int n) {
  std::uint64_t result = 0;
#pragma omp parallel num_threads(workers)
#pragma omp single
  result = fib(n);
  return result;
}

}  // namespace skua::apps::fib
