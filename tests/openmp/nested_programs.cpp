// SPDX-License-Identifier: MIT
// Nested teams in code without thread-local variables: there their members are fibers.
#include "tests/openmp/nested_programs.hpp"

#include <omp.h>
#include <sched.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <set>

#include "tests/programs/this_thread.hpp"

namespace openmp_test {

int members_that_spin() {
  std::atomic<int> ran{0};
#pragma omp parallel num_threads(2)
  {
    std::atomic<bool> is_set{false};
#pragma omp parallel num_threads(4) shared(is_set)
    {
      if (omp_get_thread_num() == 3) is_set = true;
      while (!is_set) {}
      ++ran;
    }
  }
  return ran;
}

yielded members_that_yield() {
  std::atomic<int> away{0};
  std::atomic<int> ran{0};
#pragma omp parallel num_threads(2)
  {
    std::array<std::atomic<int>, 2> arrived{};
    std::array<std::atomic<long>, 4> thread{};
#pragma omp parallel num_threads(4) shared(arrived, thread)
    {
      thread[static_cast<std::size_t>(omp_get_thread_num())] = skua::testing::this_thread_number();
      for (auto& all : arrived) {
        ++all;
        while (all < 4) ::sched_yield();
      }
      ++ran;
    }
    std::set<long> const threads(thread.begin(), thread.end());
    if (threads.size() > 2) ++away;
  }
  return {ran, away};
}

}  // namespace openmp_test
