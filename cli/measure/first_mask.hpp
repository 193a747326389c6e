// SPDX-License-Identifier: MIT
// Gives the first thread back the processors that OpenMP's library takes from it. The command is linked with the OpenMP
// twins of the apps; if OMP_PROC_BIND, OMP_PLACES or GOMP_CPU_AFFINITY is set, libgomp binds the first thread to one
// place before main() begins, and whatever that thread then starts or asks sees only that place.
#pragma once

#include <optional>

#include "skua/parts/topology/affinity.hpp"

namespace skua::cli {

/// Lets the first thread run wherever the process was allowed to run when it began. For the first lines of main().
/// Changes nothing where the system does not tell how the process began (no .preinit_array).
void undo_early_binding();

/// While it lives, its thread, which is the first one, is bound as OpenMP's library had bound it: an OpenMP twin runs
/// as the user's OMP_ variables want it. No system call if they bind nothing.
class openmp_binding {
 public:
  openmp_binding();

 private:
  std::optional<runtime::saved_affinity> free_;
};

}  // namespace skua::cli
