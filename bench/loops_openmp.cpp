// SPDX-License-Identifier: MIT
// The runner of loops_bench on OpenMP.
#include "bench/loops.hpp"

namespace skua::bench::loops {

void on_openmp(figures& all, std::int64_t workers) {
  int const threads = static_cast<int>(workers);
  auto const add = [threads](auto& floats) {
    auto const n = static_cast<std::int64_t>(floats.size());
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::int64_t i = 0; i < n; ++i) floats[static_cast<std::size_t>(i)] += 1;
  };
  all.emplace_back("few", us_of_adding(few, add));
  all.emplace_back("many", us_of_adding(many, add));
  all.emplace_back("sum", us_of_summing([threads](auto const& integers) {
                     auto const n = static_cast<std::int64_t>(integers.size());
                     std::uint32_t sum = 0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : sum)
                     for (std::int64_t i = 0; i < n; ++i) sum += integers[static_cast<std::size_t>(i)];
                     return sum;
                   }));
}

}  // namespace skua::bench::loops
