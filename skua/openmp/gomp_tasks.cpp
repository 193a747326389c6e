// SPDX-License-Identifier: MIT
// Entry points: tasks, taskloop, taskgroup; and what this library does not have.
#include <algorithm>
#include <cstring>
#include <exception>

#include "skua/openmp/entry_points.hpp"
#include "skua/openmp/explicit_task.hpp"
#include "skua/openmp/last_words.hpp"
#include "skua/openmp/member_pool.hpp"
#include "skua/openmp/task_reductions.hpp"
#include "skua/openmp/team.hpp"

namespace omp = skua::openmp;
using omp::current;
using ull = unsigned long long;

extern "C" void GOMP_taskgroup_reduction_register(std::uintptr_t* arrays);

namespace {

/// Flags of GOMP_task and GOMP_taskloop.
enum : unsigned {
  flag_final = 1u << 1,
  flag_depend = 1u << 3,
  flag_up = 1u << 8,
  flag_grainsize = 1u << 9,
  flag_if = 1u << 10,
  flag_nogroup = 1u << 11,
  flag_reduction = 1u << 12,
  flag_detach = 1u << 13,
  flag_strict = 1u << 14,
};

/// The tasks of a taskloop: `tasks` of them, the first `longer` with one iteration more than `each`.
struct division {
  ull tasks;
  ull each;
  ull longer;
};

division divide(ull count, ull wanted, unsigned flags, ull members) {
  if ((flags & flag_grainsize) != 0) {
    ull const grain = std::max(1ull, wanted);
    if ((flags & flag_strict) != 0) return {(count - 1) / grain + 1, grain, 0};
    ull const tasks = std::max(1ull, count / grain);
    return {tasks, count / tasks, count % tasks};
  }
  ull const tasks = std::min(count, wanted == 0 ? members : wanted);
  return {tasks, count / tasks, count % tasks};
}

template <class Counter>
void run_taskloop(omp::task_order order, unsigned flags, ull wanted, Counter start, Counter end, Counter step,
                  ull count) {
  omp::task& me = current();
  bool const is_grouped = (flags & flag_nogroup) == 0;
  if (is_grouped) omp::begin_taskgroup(*new omp::task_set);
  if ((flags & flag_reduction) != 0) {
    struct head {
      Counter first, last;
      std::uintptr_t* reductions;
    };
    GOMP_taskgroup_reduction_register(static_cast<head*>(order.data)->reductions);
  }
  division const d = divide(count, wanted, flags, me.team == nullptr ? 1 : me.team->size());
  struct bounds {
    Counter first, last;
  };
  ull done = 0;
  for (ull t = 0; t < d.tasks; ++t) {
    ull const size = std::min(d.each + (t < d.longer ? 1 : 0), count - done);
    bounds b{static_cast<Counter>(start + static_cast<Counter>(done) * step),
             done + size == count ? end : static_cast<Counter>(start + static_cast<Counter>(done + size) * step)};
    omp::start_task(order, [](void* arguments, void* with) { std::memcpy(arguments, with, sizeof(bounds)); }, &b);
    done += size;
  }
  if (is_grouped) omp::end_taskgroup();
}

omp::task_order order_of(void (*function)(void*), void* data, void (*copy)(void*, void*), long size, long alignment,
                         bool may_defer, unsigned flags) {
  return {.function = function,
          .data = data,
          .copy = copy,
          .size = static_cast<std::size_t>(size),
          .alignment = static_cast<std::size_t>(std::max(alignment, 1L)),
          .may_defer = may_defer,
          .is_final = (flags & flag_final) != 0};
}

}  // namespace

extern "C" {

void GOMP_task(void (*function)(void*), void* data, void (*copy)(void*, void*), long size, long alignment,
               bool may_defer, unsigned flags, void** depends, int, void* detach) {
  omp::task_order order = order_of(function, data, copy, size, alignment, may_defer, flags);
  if ((flags & flag_depend) != 0) order.depends = depends;
  if ((flags & flag_detach) != 0) order.detach = static_cast<void**>(detach);
  try {
    omp::start_task(order);
  } catch (std::exception const& why) {
    omp::cannot_go_on("a task cannot begin", why.what());
  }
}

void GOMP_taskloop(void (*function)(void*), void* data, void (*copy)(void*, void*), long size, long alignment,
                   unsigned flags, unsigned long wanted, int, long start, long end, long step) {
  ull count = 0;
  if (step > 0 && start < end)
    count = (static_cast<ull>(end) - static_cast<ull>(start) - 1) / static_cast<ull>(step) + 1;
  if (step < 0 && start > end)
    count = (static_cast<ull>(start) - static_cast<ull>(end) - 1) / (0 - static_cast<ull>(step)) + 1;
  if (count == 0) return;
  try {
    run_taskloop(order_of(function, data, copy, size, alignment, (flags & flag_if) != 0, flags), flags, wanted, start,
                 end, step, count);
  } catch (std::exception const& why) {
    omp::cannot_go_on("a task cannot begin", why.what());
  }
}
void GOMP_taskloop_ull(void (*function)(void*), void* data, void (*copy)(void*, void*), long size, long alignment,
                       unsigned flags, unsigned long wanted, int, ull start, ull end, ull step) {
  ull count = 0;
  if ((flags & flag_up) != 0 && start < end) count = (end - start - 1) / step + 1;
  if ((flags & flag_up) == 0 && start > end) count = (start - end - 1) / (0 - step) + 1;
  if (count == 0) return;
  try {
    run_taskloop(order_of(function, data, copy, size, alignment, (flags & flag_if) != 0, flags), flags, wanted, start,
                 end, step, count);
  } catch (std::exception const& why) {
    omp::cannot_go_on("a task cannot begin", why.what());
  }
}

void GOMP_taskwait(void) { omp::wait_for_children(); }
void GOMP_taskwait_depend(void** depends) { omp::wait_for_depends(depends); }
void GOMP_taskgroup_start(void) { omp::begin_taskgroup(*new omp::task_set); }
void GOMP_taskgroup_end(void) { omp::end_taskgroup(); }

void GOMP_taskgroup_reduction_register(std::uintptr_t* arrays) {
  omp::task& me = current();
  std::uint32_t const threads = me.team == nullptr ? 1 : me.team->size();
  try {
    omp::register_reductions(arrays, me.innermost->reductions, nullptr, threads);
  } catch (std::exception const& why) {
    omp::cannot_go_on("a reduction cannot begin", why.what());
  }
  me.innermost->reductions = arrays;
}
void GOMP_taskgroup_reduction_unregister(std::uintptr_t* arrays) { omp::free_reductions(arrays); }
void GOMP_task_reduction_remap(std::size_t count, std::size_t originals, void** variables) {
  omp::task const& me = current();
  if (!omp::find_copies(me.innermost->reductions, me.number, count, originals, variables))
    omp::cannot_go_on("in_reduction", "no task_reduction or task modifier around it names the variable");
}
void GOMP_workshare_task_reduction_unregister(bool is_cancelled) {
  omp::task& me = current();
  std::uintptr_t* const arrays = me.innermost->reductions;
  omp::end_taskgroup();
  if (me.number == 0) omp::free_reductions(arrays);
  if (!is_cancelled) GOMP_barrier();
}
unsigned GOMP_parallel_reductions(void (*function)(void*), void* data, unsigned threads, unsigned flags) {
  std::uint32_t const size = omp::threads_for(current(), threads);
  auto* const arrays = *static_cast<std::uintptr_t**>(data);
  try {
    omp::register_reductions(arrays, nullptr, nullptr, size);
  } catch (std::exception const& why) {
    omp::cannot_go_on("a reduction cannot begin", why.what());
  }
  struct with_reductions : omp::preparation {
    explicit with_reductions(std::uintptr_t* a) noexcept
        : preparation{[](preparation& self, omp::team& t) { t.reduce(static_cast<with_reductions&>(self).arrays); }},
          arrays(a) {}
    std::uintptr_t* const arrays;
  } first{arrays};
  omp::run_region({function, data, flags}, size, &first);
  return size;
}

}  // extern "C"
