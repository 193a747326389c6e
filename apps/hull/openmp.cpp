// SPDX-License-Identifier: MIT
// hull with OpenMP tasks: a task for every block of a division, and a task for one of its two caps.
#include "apps/hull/problem.hpp"

namespace skua::apps::hull {
namespace {

/// Calls f(b) for all blocks; returns when all are done.
template <class F>
void each_block(std::size_t blocks, F const& f) {
#pragma omp taskgroup
  for (std::size_t b = 0; b < blocks; ++b) {
#pragma omp task shared(f) firstprivate(b)
    f(b);
  }
}

chain of_cap(cap const& c, std::size_t leaf);

chain of_division(division d, std::size_t leaf) {
  each_block(d.blocks(), [&d](std::size_t b) { d.sift_block(b); });
  d.settle();
  each_block(d.blocks(), [&d](std::size_t b) { d.move_block(b); });
  cap const first = d.first();
  chain left;
#pragma omp task shared(left, first) firstprivate(leaf)
  left = of_cap(first, leaf);
  chain const right = of_cap(d.second(), leaf);
#pragma omp taskwait
  return joined(std::move(left), d.middle(), right);
}

chain of_cap(cap const& c, std::size_t leaf) {
  if (c.points.empty()) return {};
  if (c.points.size() > leaf) return of_division(division(c, leaf), leaf);
  return {finish(c)};
}

}  // namespace

void with_openmp(unsigned workers, problem& p) {
#pragma omp parallel num_threads(workers)
#pragma omp single
  {
    each_block(p.blocks(), [&p](std::size_t b) { p.look_at_block(b); });
    if (auto whole = p.start()) {
      p.collect(of_division(std::move(*whole), p.leaf()));
      each_block(p.runs(), [&p](std::size_t i) { p.write_run(i); });
    }
  }
}

}  // namespace skua::apps::hull
