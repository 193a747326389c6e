// SPDX-License-Identifier: MIT
// Code with regions that a program loads and unloads (meetings_test.cpp).

extern "C" long sum_in_region(int n) {
  long sum = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < n; ++i) sum += i;
#pragma omp single
    {
#pragma omp task
      sum += 0;
    }
  }
  return sum;
}
