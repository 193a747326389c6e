// SPDX-License-Identifier: MIT
// fmm with OpenMP: tasks up the tree, a loop over what is far and near, and tasks down again. A list of dependences is as long as
// a group's interactions, so the phases wait for each other instead.
#include "apps/fmm/problem.hpp"

namespace skua::apps::fmm {
namespace {

void up(problem& p, std::uint32_t g) {
  for (std::uint32_t const child : p.groups()[g].above) {
#pragma omp task firstprivate(child) shared(p)
    up(p, child);
  }
#pragma omp taskwait
  p.up(p.groups()[g]);
}

void down(problem& p, std::uint32_t g) {
  p.down(p.groups()[g]);
  for (std::uint32_t const child : p.groups()[g].above) {
#pragma omp task firstprivate(child) shared(p)
    down(p, child);
  }
#pragma omp taskwait
}

}  // namespace

void with_openmp(unsigned workers, problem& p) {
  [[maybe_unused]] std::size_t const n = p.groups().size();
#pragma omp parallel num_threads(workers)
#pragma omp single
  {
    up(p, 0);
#pragma omp taskloop grainsize(1) shared(p)
    for (std::size_t i = 0; i < n; ++i) {
      group const& g = p.groups()[i];
      p.far(g, 0, g.cells.size());
      p.near(g, 0, g.leaves.size());
    }
    down(p, 0);
  }
}

}  // namespace skua::apps::fmm
