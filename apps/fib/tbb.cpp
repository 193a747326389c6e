// SPDX-License-Identifier: MIT
// fib with oneTBB: one task_group per fork; the other call is direct.
#include <tbb/task_group.h>

#include "apps/fib/problem.hpp"

namespace skua::apps::fib {
namespace {

std::uint64_t fib(int n) {
  if (n < 2) return static_cast<std::uint64_t>(n);
  std::uint64_t a = 0;
  tbb::task_group forked;
  forked.run([&a, n] { a = fib(n - 1); });
  std::uint64_t const b = fib(n - 2);
  forked.wait();
  return a + b;
}

}  // namespace

std::uint64_t with_tbb(tbb_workers& workers, unsigned count, int n) {
  std::uint64_t result = 0;
  workers.run(count, [&] { result = fib(n); });
  return result;
}

}  // namespace skua::apps::fib
