// SPDX-License-Identifier: MIT
// The routines as gfortran calls them: names with an underscore behind, arguments by address, and `_8_` for integers of 8 bytes.
#include <climits>
#include <cstdint>

#include "skua/openmp/omp_routines.hpp"

namespace {

int clamped(std::int64_t const* n) { return *n > INT_MAX ? INT_MAX : *n < INT_MIN ? INT_MIN : static_cast<int>(*n); }

}  // namespace

// Functions without arguments: X(result type, name).
#define SKUA_OMP_VALUES(X)                \
  X(int, omp_get_thread_num)              \
  X(int, omp_get_num_threads)             \
  X(int, omp_get_max_threads)             \
  X(int, omp_get_num_procs)               \
  X(int, omp_get_dynamic)                 \
  X(int, omp_get_nested)                  \
  X(int, omp_get_thread_limit)            \
  X(int, omp_get_max_active_levels)       \
  X(int, omp_get_supported_active_levels) \
  X(int, omp_get_level)                   \
  X(int, omp_get_active_level)            \
  X(int, omp_in_final)                    \
  X(int, omp_get_cancellation)            \
  X(int, omp_get_max_task_priority)       \
  X(int, omp_get_num_devices)             \
  X(int, omp_get_initial_device)          \
  X(int, omp_get_device_num)              \
  X(int, omp_is_initial_device)           \
  X(int, omp_get_default_device)          \
  X(int, omp_get_num_teams)               \
  X(int, omp_get_team_num)                \
  X(int, omp_get_max_teams)               \
  X(int, omp_get_teams_thread_limit)      \
  X(double, omp_get_wtime)                \
  X(double, omp_get_wtick)
// Functions that set a number.
#define SKUA_OMP_SETTERS(X)    \
  X(omp_set_num_threads)       \
  X(omp_set_dynamic)           \
  X(omp_set_nested)            \
  X(omp_set_max_active_levels) \
  X(omp_set_default_device)    \
  X(omp_set_num_teams)         \
  X(omp_set_teams_thread_limit)

extern "C" {

#define SKUA_VALUE(type, name) \
  type name(void);             \
  type name##_(void) { return name(); }
SKUA_OMP_VALUES(SKUA_VALUE)
#undef SKUA_VALUE

#define SKUA_SETTER(name)                           \
  void name(int);                                   \
  void name##_(std::int32_t const* n) { name(*n); } \
  void name##_8_(std::int64_t const* n) { name(clamped(n)); }
SKUA_OMP_SETTERS(SKUA_SETTER)
#undef SKUA_SETTER

void omp_set_schedule(unsigned, int);
void omp_get_schedule(unsigned*, int*);
void omp_set_schedule_(unsigned const* kind, std::int32_t const* chunk) { omp_set_schedule(*kind, *chunk); }
void omp_set_schedule_8_(unsigned const* kind, std::int64_t const* chunk) { omp_set_schedule(*kind, clamped(chunk)); }
void omp_get_schedule_(unsigned* kind, std::int32_t* chunk) { omp_get_schedule(kind, chunk); }
void omp_get_schedule_8_(unsigned* kind, std::int64_t* chunk) {
  int small = 0;
  omp_get_schedule(kind, &small);
  *chunk = small;
}
int omp_get_ancestor_thread_num(int);
int omp_get_ancestor_thread_num_(std::int32_t const* level) { return omp_get_ancestor_thread_num(*level); }
int omp_get_ancestor_thread_num_8_(std::int64_t const* level) { return omp_get_ancestor_thread_num(clamped(level)); }
int omp_get_team_size(int);
int omp_get_team_size_(std::int32_t const* level) { return omp_get_team_size(*level); }
int omp_get_team_size_8_(std::int64_t const* level) { return omp_get_team_size(clamped(level)); }
void omp_fulfill_event(std::uintptr_t);
void omp_fulfill_event_(std::uintptr_t const* event) { omp_fulfill_event(*event); }
int omp_pause_resource(int, int);
int omp_pause_resource_all(int);
int omp_pause_resource_(std::int32_t const* kind, std::int32_t const* device) {
  return omp_pause_resource(*kind, *device);
}
int omp_pause_resource_all_(std::int32_t const* kind) { return omp_pause_resource_all(*kind); }

// Locks: gfortran's variables have the size of GCC's types (omp_nest_lock_kind 8: the address of one).

using skua::openmp::nested_lock;
using skua::openmp::simple_lock;
void omp_init_lock(simple_lock*);
void omp_destroy_lock(simple_lock*);
void omp_set_lock(simple_lock*);
void omp_unset_lock(simple_lock*);
int omp_test_lock(simple_lock*);
void omp_init_lock_(simple_lock* l) { omp_init_lock(l); }
void omp_destroy_lock_(simple_lock* l) { omp_destroy_lock(l); }
void omp_set_lock_(simple_lock* l) { omp_set_lock(l); }
void omp_unset_lock_(simple_lock* l) { omp_unset_lock(l); }
int omp_test_lock_(simple_lock* l) { return omp_test_lock(l); }
void omp_set_nest_lock(nested_lock*);
void omp_unset_nest_lock(nested_lock*);
int omp_test_nest_lock(nested_lock*);
void omp_init_nest_lock_(nested_lock** l) { *l = new nested_lock{}; }
void omp_destroy_nest_lock_(nested_lock** l) {
  delete *l;
  *l = nullptr;
}
void omp_set_nest_lock_(nested_lock** l) { omp_set_nest_lock(*l); }
void omp_unset_nest_lock_(nested_lock** l) { omp_unset_nest_lock(*l); }
int omp_test_nest_lock_(nested_lock** l) { return omp_test_nest_lock(*l); }

}  // extern "C"
