// SPDX-License-Identifier: MIT
// The runner of flow_bench that uses StarPU.
#include "bench/flow.hpp"
#include "bench/starpu.hpp"

namespace skua::bench::flows {
namespace {

struct visit {
  tally* seen;
  std::uint32_t node;
};

void call(void**, void* argument) {
  auto const& mine = *static_cast<visit const*>(argument);
  mine.seen->visit(mine.node);
}

figures run_starpu(dag const& d, std::uint32_t workers, std::uint32_t) {
  starpu_codelet kernel;
  starpu_codelet_init(&kernel);
  kernel.cpu_funcs[0] = call;
  kernel.nbuffers = 0;
  kernel.name = "visit";
  starpu_machine const machine(workers);
  tally seen(d);
  std::vector<visit> visits(d.before.size());
  seen.begin_run();
  auto const start = clock::now();
  for (std::uint32_t i = 0; i < d.nodes(); ++i) {
    visits[i] = {&seen, i};
    starpu_task* const t = starpu_task_create();
    t->cl = &kernel;
    t->cl_arg = &visits[i];
    t->use_tag = 1;
    t->tag_id = i;
    auto const& before = d.before[i];
    if (before[1] != nobody) {
      starpu_tag_declare_deps(i, 2, starpu_tag_t{before[0]}, starpu_tag_t{before[1]});
    } else if (before[0] != nobody) {
      starpu_tag_declare_deps(i, 1, starpu_tag_t{before[0]});
    }
    machine.submit(t);
  }
  machine.wait();
  for (std::uint32_t i = 0; i < d.nodes(); ++i) starpu_tag_remove(i);
  double const ns = ns_between(start, clock::now());
  seen.verify_run();
  return {.built = ns / static_cast<double>(d.nodes())};
}

}  // namespace

runner starpu() noexcept { return run_starpu; }

}  // namespace skua::bench::flows
