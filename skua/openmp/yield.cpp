// SPDX-License-Identifier: MIT
// sched_yield of programs: a member of a nested team that spins with it lets others of its thread run. They are fibers, of which the system knows
// nothing. For all other callers it is the system call: for threads without a fiber, before main, and in explicit tasks at level 1, whose thread must
// not begin another one there [OpenMP 5.0, 2.10.6]. The library itself
// calls __wrap_sched_yield (CMakeLists.txt), because its workers must not park while they search.
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "skua/machine/threads/face/worker_calls.hpp"
#include "skua/openmp/task.hpp"
#include "skua/openmp/team.hpp"

namespace omp = skua::openmp;

namespace {

int yield_processor() noexcept { return static_cast<int>(::syscall(SYS_sched_yield)); }

/// The system call comes second: it is what the program asks for if nothing else runs here.
int yield_here() noexcept {
  omp::task const* const me = omp::known_current();
  if (me != nullptr && me->team != nullptr && me->team->is_nested()) {
    omp::kept_current const others_run;
    skua::runtime::yield_to_others();
  }
  return yield_processor();
}

}  // namespace

extern "C" {

int __wrap_sched_yield(void) { return yield_processor(); }

void GOMP_taskyield(void) { yield_here(); }

// glibc's versions of it, the newer one on aarch64: a version that its program does not ask for is never found.
int skua_sched_yield(void) { return yield_here(); }
int skua_sched_yield_aarch64(void) { return yield_here(); }
__asm__(".symver skua_sched_yield, sched_yield@GLIBC_2.2.5");
__asm__(".symver skua_sched_yield_aarch64, sched_yield@GLIBC_2.17");

}  // extern "C"
