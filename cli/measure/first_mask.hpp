// SPDX-License-Identifier: MIT
// Where the process may run, in spite of OpenMP's library. The command is linked with the OpenMP twins of the apps; where
// OMP_PROC_BIND or OMP_PLACES (or GOMP_CPU_AFFINITY) are set, libgomp binds the first thread to one place before main()
// begins, and whatever that thread then starts or asks sees only that place.
#pragma once

#include <optional>

#include "skua/parts/topology/affinity.hpp"

namespace skua::cli {

/// The first thread may run again wherever the process was allowed to when it began. For the first lines of main(). Where
/// the system does not tell how it began (no .preinit_array), nothing changes.
void undo_early_binding();

/// While it lives, its thread, which is the first one, is bound as OpenMP's library had bound it: an OpenMP twin runs as
/// the user's OMP_ variables want it. No system call if they bind nothing.
class openmp_binding {
 public:
  openmp_binding();

 private:
  std::optional<saved_affinity> free_;
};

}  // namespace skua::cli
