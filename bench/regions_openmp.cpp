// SPDX-License-Identifier: MIT
// The runners of regions_bench on OpenMP. There is none for several application threads: each would get a team of its
// own.
#include "bench/regions.hpp"

namespace skua::bench::regions {
namespace {

template <class Body>
void parallel_for(int workers, std::int64_t n, Body const& body) {
#pragma omp parallel for schedule(static) num_threads(workers)
  for (std::int64_t i = 0; i < n; ++i) body(i);
}

template <class Body>
void tasks(int workers, std::int64_t n, Body const& body) {
#pragma omp parallel num_threads(workers)
#pragma omp single
  for (std::int64_t i = 0; i < n; ++i) {
#pragma omp task
    body();
  }
}

template <class Body>
void two_sections(int workers, Body const& body) {
#pragma omp parallel sections num_threads(workers)
  {
#pragma omp section
    body();
#pragma omp section
    body();
  }
}

}  // namespace

void on_openmp(figures& all, setting const& s) {
  int const workers = static_cast<int>(s.workers);
  for (std::int64_t us : lengths_us) {
    loop l(s, us);
    auto const n = static_cast<std::int64_t>(l.size());
    all.emplace_back(key_of("loop", us), l.us_per_region([&] {
      parallel_for(workers, n, [&l](std::int64_t i) { l.index(static_cast<std::size_t>(i)); });
    }));
  }
}

void from_main_on_openmp(figures& all, setting const& s) {
  int const workers = static_cast<int>(s.workers);
  auto const loop_of = [workers](std::int64_t n) {
    return us_of("OpenMP for", n, 100, [workers, n](auto body) {
      parallel_for(workers, n, [&body](std::int64_t i) { body(static_cast<int>(i)); });
    });
  };
  auto const tasks_of = [workers](std::int64_t n, std::int64_t batch) {
    return us_of("OpenMP tasks", n, batch, [workers, n](auto body) { tasks(workers, n, body); });
  };
  all.emplace_back("for_1", loop_of(1));
  all.emplace_back("for_64", loop_of(64));
  all.emplace_back("group", tasks_of(1, 100));
  all.emplace_back("invoke", us_of("OpenMP sections", 2, 100, [workers](auto body) { two_sections(workers, body); }));
  all.emplace_back("floats", us_of_floats([workers](auto add) {
                     parallel_for(workers, static_cast<std::int64_t>(floats),
                                  [&add](std::int64_t i) { add(static_cast<std::size_t>(i)); });
                   }));
  all.emplace_back("run_1000", tasks_of(group_tasks, 10));
  all.emplace_back("outside", tasks_of(outside_tasks, 1));
}

}  // namespace skua::bench::regions
