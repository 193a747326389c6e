// SPDX-License-Identifier: MIT
// tce on one shared memory: all tasks are one group, and each writes its own tile of C.
#pragma once

#include <cstdint>
#include <memory>
#include <ranges>
#include <vector>

#include "apps/tce/contraction.hpp"
#include "apps/tce/tensors.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/program/fork_join.hpp"

namespace skua::apps::tce {

/// C += A * B, tiles by `by`. `hints`: each task gives its flops as its work.
template <fork_join Here>
void program(Here& here, contraction const& on, gemm const& by, tensors& with, bool hints) {
  std::vector<std::unique_ptr<contraction_worker>> workers(here.num_workers());
  auto const tasks = std::views::iota(std::size_t{0}, on.tasks().size());
  auto const work_of = [&](std::size_t t) { return static_cast<double>(on.flops(on.tasks()[t])); };
  auto const body = [&](Here& h, std::size_t t) {
    auto& mine = workers[index(h.worker())];
    if (mine == nullptr) mine = std::make_unique<contraction_worker>(on, by);
    h.leaf(flops{work_of(t)}, [&] { mine->run(on.tasks()[t], with); });
  };
  if (hints) {
    here.join_each(tasks, work_of, body);
  } else {
    here.join_each(tasks, body);
  }
}

}  // namespace skua::apps::tce
