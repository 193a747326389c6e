// SPDX-License-Identifier: MIT
// Entry points: parallel regions, barriers, single, critical, atomic, cancellation.
#include <cstdint>

#include "skua/openmp/entry_points.hpp"
#include "skua/openmp/lock.hpp"
#include "skua/openmp/member_pool.hpp"
#include "skua/openmp/team.hpp"

namespace omp = skua::openmp;
using omp::current;

namespace {

/// The kinds of GOMP_cancel.
enum : int { kind_parallel = 1, kind_loop = 2, kind_sections = 4, kind_taskgroup = 8 };

std::uint32_t atomic_lock;
std::uint32_t critical_lock;

}  // namespace

extern "C" {

void GOMP_parallel(void (*function)(void*), void* data, unsigned threads, unsigned flags) {
  omp::run_region({function, data, flags}, threads);
}
void GOMP_parallel_start(void (*function)(void*), void* data, unsigned threads) {
  omp::begin_region({function, data}, threads);
}
void GOMP_parallel_end(void) { omp::end_region(); }

void GOMP_barrier(void) {
  omp::task& me = current();
  if (me.team != nullptr) me.team->barrier(me);
}
bool GOMP_barrier_cancel(void) {
  omp::task& me = current();
  return me.team != nullptr && me.team->barrier_or_cancel(me);
}

bool GOMP_single_start(void) {
  omp::task& me = current();
  return me.team == nullptr || me.team->claim_single(me);
}
void* GOMP_single_copy_start(void) {
  omp::task& me = current();
  omp::team* const all = me.team;
  if (all == nullptr || all->claim_single(me)) return nullptr;
  all->barrier(me);
  return const_cast<void*>(const_cast<void const*>(all->copied()));
}
void GOMP_single_copy_end(void* data) {
  omp::task& me = current();
  if (me.team == nullptr) return;
  me.team->copied() = data;
  me.team->barrier(me);
}

void GOMP_critical_start(void) { omp::lock(critical_lock); }
void GOMP_critical_end(void) { omp::unlock(critical_lock); }
void GOMP_critical_name_start(void** name) { omp::lock(*reinterpret_cast<std::uintptr_t*>(name)); }
void GOMP_critical_name_end(void** name) { omp::unlock(*reinterpret_cast<std::uintptr_t*>(name)); }
void GOMP_atomic_start(void) { omp::lock(atomic_lock); }
void GOMP_atomic_end(void) { omp::unlock(atomic_lock); }

bool GOMP_cancellation_point(int kind) {
  if (!omp::the_settings().can_cancel) return false;
  omp::task& me = current();
  if ((kind & (kind_loop | kind_sections)) != 0) {
    if (me.team != nullptr && me.team->is_share_cancelled(me)) return true;
  } else if ((kind & kind_taskgroup) != 0) {
    omp::task_set const* const group = me.innermost->taskgroup();
    if (group != nullptr && group->is_cancelled()) return true;
  }
  return me.team != nullptr && me.team->is_cancelled();
}
bool GOMP_cancel(int kind, bool really) {
  if (!omp::the_settings().can_cancel) return false;
  if (!really) return GOMP_cancellation_point(kind);
  omp::task& me = current();
  if ((kind & (kind_loop | kind_sections)) != 0) {
    if (me.team != nullptr) me.team->cancel_share(me);
  } else if ((kind & kind_taskgroup) != 0) {
    if (omp::task_set* const group = me.innermost->taskgroup()) group->cancel();
  } else if (me.team != nullptr) {
    me.team->cancel();
    me.team->ring();
  }
  return true;
}

}  // extern "C"
