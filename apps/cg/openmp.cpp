// SPDX-License-Identifier: MIT
// cg with OpenMP. As in NAS's own version, all threads run the solver and share the loops of its sweeps.
#include <algorithm>

#include "apps/cg/problem.hpp"

namespace skua::apps::cg {
namespace {

/// Gives every thread of the team the same sums; the only barrier is the one at the end of the loop.
template <class Sweep>
sums by_loop(problem& p, Sweep const& sweep, std::size_t which, openmp_schedule schedule) {
  std::vector<sums>& partial = p.partial(which);
  std::size_t const count = p.all().end;
  if (schedule == openmp_schedule::of_static) {
#pragma omp for schedule(static)
    for (std::size_t b = 0; b < count; ++b) partial[b] = sweep.run(p.rows_of({b, b + 1}));
  } else {
    std::size_t const grain = p.grain(sweep);
#pragma omp for schedule(dynamic)
    for (std::size_t first = 0; first < count; first += grain) {
      for (std::size_t b = first; b < std::min(first + grain, count); ++b)
        partial[b] = sweep.run(p.rows_of({b, b + 1}));
    }
  }
  return tree_sum(p.all(), [&](std::size_t b) { return partial[b]; });
}

template <class Sweep>
sums by_tasks(problem const& p, blocks const& some, Sweep const& sweep) {
  if (some.count() <= p.grain(sweep)) {
    return tree_sum(some, [&](std::size_t b) { return sweep.run(p.rows_of({b, b + 1})); });
  }
  auto const halves = some.halves();
  sums left;
#pragma omp task shared(p, halves, sweep, left)
  left = by_tasks(p, halves.first, sweep);
  sums const right = by_tasks(p, halves.second, sweep);
#pragma omp taskwait
  return left + right;
}

}  // namespace

void with_openmp(unsigned workers, problem& p, openmp_schedule schedule) {
#pragma omp parallel num_threads(workers)
  if (schedule == openmp_schedule::of_tasks) {
#pragma omp single
    p.answer(solve(p, [&](auto const& sweep) { return by_tasks(p, p.all(), sweep); }));
  } else {
    std::size_t sweeps = 0;
    estimate const found = solve(p, [&](auto const& sweep) { return by_loop(p, sweep, sweeps++, schedule); });
#pragma omp single
    p.answer(found);
  }
}

}  // namespace skua::apps::cg
