// SPDX-License-Identifier: MIT
// A program for oneTBB that knows nothing of Skua.
#include <tbb/parallel_invoke.h>

#include <cstdio>

static long fib(int n) {
  if (n < 2) return n;
  long a = 0;
  long b = 0;
  tbb::parallel_invoke([&] { a = fib(n - 1); }, [&] { b = fib(n - 2); });
  return a + b;
}

int main() {
  std::printf("fib(20) = %ld\n", fib(20));
  return 0;
}
