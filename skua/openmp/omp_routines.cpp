// SPDX-License-Identifier: MIT
// The runtime library routines. Those for Fortran are in omp_fortran.cpp. [OpenMP 5.0, 3]
#include <algorithm>
#include <chrono>
#include <climits>
#include <cstdint>

#include "skua/openmp/explicit_task.hpp"
#include "skua/openmp/lock.hpp"
#include "skua/openmp/member_pool.hpp"
#include "skua/openmp/omp_routines.hpp"
#include "skua/openmp/team.hpp"

namespace omp = skua::openmp;
using omp::current;

namespace {

/// The task of the thread's ancestor at this level of regions; null: there is none.
omp::task const* ancestor(int level) noexcept {
  omp::task const* t = &current();
  if (level < 0 || static_cast<std::uint32_t>(level) > t->level) return nullptr;
  while (t->level > static_cast<std::uint32_t>(level)) t = &t->team->creator();
  return t;
}

}  // namespace

extern "C" {

int omp_get_thread_num(void) { return static_cast<int>(current().number); }
int omp_get_num_threads(void) {
  omp::task const& t = current();
  return t.team == nullptr ? 1 : static_cast<int>(t.team->size());
}
int omp_get_max_threads(void) { return static_cast<int>(current().variables->threads); }
void omp_set_num_threads(int n) { current().writable().threads = n < 1 ? 1 : static_cast<std::uint32_t>(n); }
int omp_get_num_procs(void) { return static_cast<int>(omp::the_settings().processors); }
// omp_in_parallel, for code that asks for its version, as all does that was linked with libgomp. NumPy's OpenBLAS, which has threads of POSIX, asks for it weakly and without a
// version, and if it finds it complains about each call from within a region.
asm(".symver skua_omp_in_parallel, omp_in_parallel@OMP_1.0");
int skua_omp_in_parallel(void) { return current().active_level > 0; }
int omp_in_parallel_(void) { return skua_omp_in_parallel(); }
void omp_set_dynamic(int on) { current().writable().is_dynamic = on != 0; }
int omp_get_dynamic(void) { return current().variables->is_dynamic; }
void omp_set_nested(int on) {
  int const most = current().variables->max_active_levels;
  if (on != 0 && most <= 1) current().writable().max_active_levels = 255;
  if (on == 0 && most > 1) current().writable().max_active_levels = 1;
}
int omp_get_nested(void) {
  return current().variables->max_active_levels > static_cast<int>(current().active_level) &&
         current().variables->max_active_levels > 1;
}
void omp_set_schedule(unsigned kind, int chunk) {
  unsigned const plain = kind & 0x7fffffff;
  if (plain < 1 || plain > 4) return;
  omp::loop_schedule& s = current().writable().run_time;
  s.kind = static_cast<omp::loop_kind>(plain);
  s.is_monotonic = (kind & 0x80000000) != 0;
  s.chunk = s.kind == omp::loop_kind::fixed ? std::max(chunk, 0) : std::max(chunk, 1);
}
void omp_get_schedule(unsigned* kind, int* chunk) {
  omp::loop_schedule const& s = current().variables->run_time;
  *kind = static_cast<unsigned>(s.kind) | (s.is_monotonic ? 0x80000000 : 0);
  *chunk = static_cast<int>(s.chunk);
}
int omp_get_thread_limit(void) { return static_cast<int>(current().variables->thread_limit); }
void omp_set_max_active_levels(int n) {
  if (n >= 0) current().writable().max_active_levels = std::min(n, 255);
}
int omp_get_max_active_levels(void) { return current().variables->max_active_levels; }
int omp_get_supported_active_levels(void) { return 255; }
int omp_get_level(void) { return static_cast<int>(current().level); }
int omp_get_active_level(void) { return static_cast<int>(current().active_level); }
int omp_get_ancestor_thread_num(int level) {
  omp::task const* const t = ancestor(level);
  return t == nullptr ? -1 : static_cast<int>(t->number);
}
int omp_get_team_size(int level) {
  omp::task const* const t = ancestor(level);
  if (t == nullptr) return -1;
  return t->team == nullptr ? 1 : static_cast<int>(t->team->size());
}
int omp_in_final(void) { return current().is_final; }
int omp_get_cancellation(void) { return omp::the_settings().can_cancel; }
int omp_get_max_task_priority(void) { return omp::the_settings().max_task_priority; }
double omp_get_wtime(void) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double omp_get_wtick(void) { return 1e-9; }
void omp_fulfill_event(std::uintptr_t event) { omp::fulfill(event); }

// Locks: the words of omp_lock_t and omp_nest_lock_t of GCC's omp.h.

void omp_init_lock(omp::simple_lock* l) { l->word = 0; }
void omp_init_lock_with_hint(omp::simple_lock* l, unsigned) { l->word = 0; }
void omp_destroy_lock(omp::simple_lock*) {}
void omp_set_lock(omp::simple_lock* l) { omp::lock(l->word); }
void omp_unset_lock(omp::simple_lock* l) { omp::unlock(l->word); }
int omp_test_lock(omp::simple_lock* l) { return omp::try_lock(l->word); }

void omp_init_nest_lock(omp::nested_lock* l) { *l = {}; }
void omp_init_nest_lock_with_hint(omp::nested_lock* l, unsigned) { *l = {}; }
void omp_destroy_nest_lock(omp::nested_lock*) {}
void omp_set_nest_lock(omp::nested_lock* l) {
  void* const me = &current();
  if (__atomic_load_n(&l->owner, __ATOMIC_RELAXED) != me) {  // relaxed: only we write our own address there
    omp::lock(l->word);
    __atomic_store_n(&l->owner, me, __ATOMIC_RELAXED);
  }
  ++l->count;
}
void omp_unset_nest_lock(omp::nested_lock* l) {
  if (--l->count > 0) return;
  __atomic_store_n(&l->owner, nullptr, __ATOMIC_RELAXED);
  omp::unlock(l->word);
}
int omp_test_nest_lock(omp::nested_lock* l) {
  void* const me = &current();
  if (__atomic_load_n(&l->owner, __ATOMIC_RELAXED) != me) {
    if (!omp::try_lock(l->word)) return 0;
    __atomic_store_n(&l->owner, me, __ATOMIC_RELAXED);
  }
  return ++l->count;
}

// There are no devices but the host, which is device 0.

int omp_get_num_devices(void) { return 0; }
int omp_get_initial_device(void) { return 0; }
int omp_get_device_num(void) { return 0; }
int omp_is_initial_device(void) { return 1; }
int omp_get_default_device(void) { return current().variables->default_device; }
void omp_set_default_device(int n) { current().writable().default_device = n; }
int omp_get_num_teams(void) { return static_cast<int>(omp::host_teams().count); }
int omp_get_team_num(void) { return static_cast<int>(omp::host_teams().number); }
void omp_set_num_teams(int n) { current().writable().teams = std::max(n, 0); }
int omp_get_max_teams(void) { return current().variables->teams; }
void omp_set_teams_thread_limit(int n) { current().writable().teams_thread_limit = std::max(n, 0); }
int omp_get_teams_thread_limit(void) { return current().variables->teams_thread_limit; }
int omp_pause_resource(int, int) { return 0; }
int omp_pause_resource_all(int) { return 0; }

// Host teams: one after the other.
void GOMP_teams_reg(void (*function)(void*), void* data, unsigned count, unsigned limit, unsigned) {
  omp::task& me = current();
  omp::league& all = omp::host_teams();
  omp::league const before = all;
  std::uint32_t const limit_before = me.variables->thread_limit;
  if (limit != 0) me.writable().thread_limit = limit;
  all.count = count != 0 ? count : std::max(1u, static_cast<unsigned>(me.variables->teams));
  for (all.number = 0; all.number < all.count; ++all.number) function(data);
  all = before;
  if (limit != 0) me.writable().thread_limit = limit_before;
}

}  // extern "C"
