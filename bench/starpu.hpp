// SPDX-License-Identifier: MIT
// StarPU for the benchmarks that compare with it: Debian's libstarpu-dev, if it is installed.
#pragma once

#include <starpu.h>

#include <cstdint>
#include <cstdlib>
#include <stdexcept>

namespace skua::bench {

/// StarPU with this many processors and nothing else, until the end of the scope.
class starpu_machine {
 public:
  explicit starpu_machine(std::uint32_t workers) {
    ::setenv("STARPU_SILENT", "1", 0);
    starpu_conf conf;
    starpu_conf_init(&conf);
    conf.ncpus = static_cast<int>(workers);
    conf.ncuda = conf.nopencl = 0;
    if (starpu_init(&conf) != 0) throw std::runtime_error("StarPU does not start");
  }
  ~starpu_machine() { starpu_shutdown(); }
  starpu_machine(starpu_machine const&) = delete;
  starpu_machine& operator=(starpu_machine const&) = delete;

  void submit(starpu_task* t) const {
    if (starpu_task_submit(t) != 0) throw std::runtime_error("StarPU refuses a task");
  }
  void wait() const { starpu_task_wait_for_all(); }
};

}  // namespace skua::bench
