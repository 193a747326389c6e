// SPDX-License-Identifier: MIT
// The runner of cholesky_bench that uses StarPU: a handle per tile, and tasks that name the tiles they read and write.
#include <vector>

#include "bench/cholesky.hpp"
#include "bench/harness.hpp"
#include "bench/starpu.hpp"

namespace skua::bench::choleskies {
namespace {

using apps::cholesky::operation;
using apps::cholesky::problem;
using apps::cholesky::task;

struct call {
  problem* of;
  task what;
};

void run(void**, void* argument) {
  auto const& mine = *static_cast<call const*>(argument);
  mine.of->run(mine.what);
}

/// Of tasks with one to three tiles, the last of which is written.
struct kernels {
  starpu_codelet with[4];
  kernels() {
    for (int n = 1; n <= 3; ++n) {
      starpu_codelet_init(&with[n]);
      with[n].cpu_funcs[0] = run;
      with[n].nbuffers = n;
      with[n].name = "tile";
      for (int i = 0; i < n; ++i) with[n].modes[i] = i == n - 1 ? STARPU_RW : STARPU_R;
    }
  }
};

double run_starpu(problem& p, std::uint32_t workers) {
  static kernels all;
  starpu_machine const machine(workers);
  std::size_t const tiles = p.of().tiles();
  std::vector<starpu_data_handle_t> handles(tiles * tiles);
  std::size_t const elements = p.of().tile * p.of().tile;
  for (std::size_t i = 0; i < tiles; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      starpu_vector_data_register(&handles[i * tiles + j], STARPU_MAIN_RAM,
                                  reinterpret_cast<std::uintptr_t>(p.matrix().at(i, j)),
                                  static_cast<std::uint32_t>(elements), sizeof(double));
    }
  }
  std::vector<call> calls;
  apps::cholesky::for_each_task(tiles, [&](task const& t) { calls.push_back({&p, t}); });
  auto const start = clock::now();
  for (call& c : calls) {
    task const& t = c.what;
    starpu_task* const made = starpu_task_create();
    made->cl_arg = &c;
    int n = 0;
    auto const touch = [&](std::size_t i, std::size_t j) { made->handles[n++] = handles[i * tiles + j]; };
    if (t.what == operation::solve) touch(t.k, t.k);
    if (t.what == operation::square || t.what == operation::multiply) touch(t.i, t.k);
    if (t.what == operation::multiply) touch(t.j, t.k);
    touch(t.i, t.j);
    made->cl = &all.with[n];
    machine.submit(made);
  }
  machine.wait();
  double const seconds = seconds_since(start);
  for (starpu_data_handle_t const h : handles) {
    if (h != nullptr) starpu_data_unregister(h);
  }
  return seconds;
}

}  // namespace

runner starpu() noexcept { return run_starpu; }

}  // namespace skua::bench::choleskies
