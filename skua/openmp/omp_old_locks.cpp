// SPDX-License-Identifier: MIT
// Locks of OpenMP 2.5, which programs of GCC before 4.4 ask for by the version OMP_1.0: threads own them, not tasks. A simple lock is what it is today;
// a nested one is the number of its thread, and a count.
#include <sched.h>

#include <cstdint>

#include "skua/openmp/omp_routines.hpp"
#include "skua/parts/topology/affinity.hpp"

namespace {

struct old_nested_lock {
  std::int32_t owner;  ///< 0: nobody
  std::int32_t count;
};

bool try_take(old_nested_lock& l) noexcept {
  thread_local std::int32_t const me = skua::runtime::number_of_this_thread();
  std::int32_t seen = 0;
  // acquire: what the last holder did. Pairs with: skua_old_unset_nest_lock
  if (__atomic_compare_exchange_n(&l.owner, &seen, me, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
    l.count = 1;
    return true;
  }
  if (seen != me) return false;
  ++l.count;
  return true;
}

}  // namespace

extern "C" {

using skua::openmp::simple_lock;
void omp_init_lock(simple_lock*);
void omp_destroy_lock(simple_lock*);
void omp_set_lock(simple_lock*);
void omp_unset_lock(simple_lock*);
int omp_test_lock(simple_lock*);

void skua_old_init_lock(simple_lock* l) { omp_init_lock(l); }
void skua_old_destroy_lock(simple_lock* l) { omp_destroy_lock(l); }
void skua_old_set_lock(simple_lock* l) { omp_set_lock(l); }
void skua_old_unset_lock(simple_lock* l) { omp_unset_lock(l); }
int skua_old_test_lock(simple_lock* l) { return omp_test_lock(l); }
void skua_old_init_nest_lock(old_nested_lock* l) { *l = {}; }
void skua_old_destroy_nest_lock(old_nested_lock*) {}
void skua_old_set_nest_lock(old_nested_lock* l) {
  while (!try_take(*l)) ::sched_yield();  // two words that the program owns leave no room for waiters
}
void skua_old_unset_nest_lock(old_nested_lock* l) {
  if (--l->count == 0) __atomic_store_n(&l->owner, 0, __ATOMIC_RELEASE);  // release: what the holder did
}
int skua_old_test_nest_lock(old_nested_lock* l) { return try_take(*l) ? l->count : 0; }

// Fortran's variables have these types themselves.

void skua_old_init_lock_(simple_lock* l) { omp_init_lock(l); }
void skua_old_destroy_lock_(simple_lock* l) { omp_destroy_lock(l); }
void skua_old_set_lock_(simple_lock* l) { omp_set_lock(l); }
void skua_old_unset_lock_(simple_lock* l) { omp_unset_lock(l); }
int skua_old_test_lock_(simple_lock* l) { return omp_test_lock(l); }
void skua_old_init_nest_lock_(old_nested_lock* l) { *l = {}; }
void skua_old_destroy_nest_lock_(old_nested_lock*) {}
void skua_old_set_nest_lock_(old_nested_lock* l) { skua_old_set_nest_lock(l); }
void skua_old_unset_nest_lock_(old_nested_lock* l) { skua_old_unset_nest_lock(l); }
int skua_old_test_nest_lock_(old_nested_lock* l) { return skua_old_test_nest_lock(l); }

}  // extern "C"

__asm__(".symver skua_old_init_lock, omp_init_lock@OMP_1.0");
__asm__(".symver skua_old_init_lock_, omp_init_lock_@OMP_1.0");
__asm__(".symver skua_old_destroy_lock, omp_destroy_lock@OMP_1.0");
__asm__(".symver skua_old_destroy_lock_, omp_destroy_lock_@OMP_1.0");
__asm__(".symver skua_old_set_lock, omp_set_lock@OMP_1.0");
__asm__(".symver skua_old_set_lock_, omp_set_lock_@OMP_1.0");
__asm__(".symver skua_old_unset_lock, omp_unset_lock@OMP_1.0");
__asm__(".symver skua_old_unset_lock_, omp_unset_lock_@OMP_1.0");
__asm__(".symver skua_old_test_lock, omp_test_lock@OMP_1.0");
__asm__(".symver skua_old_test_lock_, omp_test_lock_@OMP_1.0");
__asm__(".symver skua_old_init_nest_lock, omp_init_nest_lock@OMP_1.0");
__asm__(".symver skua_old_init_nest_lock_, omp_init_nest_lock_@OMP_1.0");
__asm__(".symver skua_old_destroy_nest_lock, omp_destroy_nest_lock@OMP_1.0");
__asm__(".symver skua_old_destroy_nest_lock_, omp_destroy_nest_lock_@OMP_1.0");
__asm__(".symver skua_old_set_nest_lock, omp_set_nest_lock@OMP_1.0");
__asm__(".symver skua_old_set_nest_lock_, omp_set_nest_lock_@OMP_1.0");
__asm__(".symver skua_old_unset_nest_lock, omp_unset_nest_lock@OMP_1.0");
__asm__(".symver skua_old_unset_nest_lock_, omp_unset_nest_lock_@OMP_1.0");
__asm__(".symver skua_old_test_nest_lock, omp_test_nest_lock@OMP_1.0");
__asm__(".symver skua_old_test_nest_lock_, omp_test_nest_lock_@OMP_1.0");
