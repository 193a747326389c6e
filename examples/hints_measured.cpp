// SPDX-License-Identifier: MIT
// Measured work, for `adws`: the program cannot tell it beforehand, but it is nearly the same in every iteration.
// SKUA_POLICY=adws ./example_hints_measured
#include <cstdio>
#include <vector>

#include "skua/skua.hpp"

/// The number of Collatz steps from n to 1, which no formula gives.
long steps(long n) {
  long count = 0;
  for (; n != 1; ++count) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  return count;
}

int main() {
  skua::pool pool;
  std::vector<long> found(200);
  skua::work::measured memory;  // lives as long as the iterations
  pool.run([&](auto& here) {
    for (int iteration = 0; iteration < 10; ++iteration) {
      memory.join_each(here, found, [&](auto&, long& f) {
        f = 0;
        for (long n = &f - found.data() + 1; n < 5000; n += 200) f += steps(n);
      });
    }
  });
  long sum = 0;
  for (long f : found) sum += f;
  std::printf("%ld steps, the last child took %lld ns\n", sum, static_cast<long long>(memory.last(199).count()));
  return sum == 387940 ? 0 : 1;
}
