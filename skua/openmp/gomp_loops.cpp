// SPDX-License-Identifier: MIT
// Entry points: loops with long and with unsigned long long counters, ordered, doacross, sections. The names of a schedule differ in how they call
// begin_loop, and all `next` functions are the same. [libgomp's ABI, 1.0 to 5.1]
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "skua/openmp/code_place.hpp"
#include "skua/openmp/construct_trace.hpp"
#include "skua/openmp/entry_points.hpp"
#include "skua/openmp/explicit_task.hpp"
#include "skua/openmp/member_pool.hpp"
#include "skua/openmp/task_reductions.hpp"
#include "skua/openmp/team.hpp"

namespace omp = skua::openmp;
using omp::counted_loop;
using omp::current;
using omp::loop_kind;
using omp::loop_schedule;
using ull = unsigned long long;

namespace {

counted_loop counted(long start, long end, long step) {
  counted_loop l{static_cast<std::uint64_t>(start), static_cast<std::uint64_t>(end), static_cast<std::uint64_t>(step),
                 0};
  if (step > 0 && start < end) l.count = (l.end - l.start - 1) / l.step + 1;
  if (step < 0 && start > end) l.count = (l.start - l.end - 1) / (0 - l.step) + 1;
  return l;
}
counted_loop counted(bool up, ull start, ull end, ull step) {
  counted_loop l{start, end, step, 0};
  if (up && start < end) l.count = (end - start - 1) / step + 1;
  if (!up && start > end) l.count = (start - end - 1) / (0 - step) + 1;
  return l;
}

constexpr long monotonic_bit = 1L << 31;

/// The schedule as GCC numbers it: 0 is that of the control variable, and a bit asks for monotonic pieces.
loop_schedule schedule_of(long number, std::int64_t chunk) {
  bool const is_monotonic = (number & monotonic_bit) != 0;
  long const kind = number & (monotonic_bit - 1);
  if (kind == 0) {
    loop_schedule s = current().variables->run_time;
    s.is_monotonic = s.is_monotonic || is_monotonic;
    return s;
  }
  return {static_cast<loop_kind>(kind), chunk, is_monotonic};
}
constexpr std::int64_t chunk_in(ull chunk) {
  return static_cast<std::int64_t>(chunk > 0x7fffffffffffffff ? 0x7fffffffffffffff : chunk);
}

/// A team of a thread in no region.
struct team_of_one {
  omp::task nobody;
  omp::team team{1};
};

/// The calling thread's task as that of a member.
omp::task& member() {
  omp::task& me = current();
  if (me.team != nullptr) return me;
  // On the heap: dlopen has about a kilobyte of thread-local storage for libraries like this one.
  static thread_local auto const mine = std::make_unique<team_of_one>();
  mine->team.begin(mine->nobody, 1, {});
  me.team = &mine->team;
  me.constructs = 0;
  return me;
}
/// Leaves the team of `member` again.
void left(omp::task& me) {
  if (me.level == 0 && !me.is_explicit) me.team = nullptr;
}

template <class Counter>
bool next_piece(Counter* first, Counter* last) {
  omp::task& me = current();
  if (me.share == nullptr) return false;
  omp::piece p{};
  if (!me.share->take(me, p)) return false;
  if (me.traced != nullptr) [[unlikely]] {
    me.traced->iterations += p.last - p.first;
    ++me.traced->chunks;
  }
  counted_loop const& l = me.share->loop();
  *first = static_cast<Counter>(l.start + p.first * l.step);
  *last = static_cast<Counter>(p.last == l.count ? l.end : l.start + p.last * l.step);
  return true;
}

void begin_reductions(omp::task& me, bool is_first, std::uintptr_t* reductions);

unsigned next_section(omp::task& me) {
  unsigned const got = me.share->take_section();
  if (me.traced != nullptr && got != 0) [[unlikely]] {
    ++me.traced->iterations;
    ++me.traced->chunks;
  }
  return got;
}

/// Enters a construct; `begin(share, members)` runs for the first member.
template <class Begin>
omp::task& enter(Begin const& begin, std::uintptr_t* reductions = nullptr) {
  omp::task& me = member();
  bool is_first = false;
  omp::work_share& share = me.team->enter_share(me, is_first);
  if (is_first) begin(share, me.team->size());
  if (is_first && reductions != nullptr) begin_reductions(me, true, reductions);
  if (is_first) me.team->open_share(me);
  if (!is_first && reductions != nullptr) begin_reductions(me, false, reductions);
  return me;
}
void note(omp::task& me, omp::construct what, void const* code) {
  if (me.traced != nullptr) [[unlikely]]
    omp::note_share(me, what, code);
}

/// Memory that the members of a construct share: `*mem` holds its size, and gets its address. Zeroed.
void share_memory(omp::work_share& share, void** mem) {
  auto const bytes = reinterpret_cast<std::uintptr_t>(*mem);
  std::free(*share.shared_memory());
  *share.shared_memory() = std::calloc(1, bytes);
}

template <class Counter>
bool start_loop(void const* code, counted_loop const& l, loop_schedule const& s, bool is_ordered, Counter* first,
                Counter* last) {
  note(enter([&](omp::work_share& share, std::uint32_t members) { share.begin_loop(l, s, members, is_ordered); }),
       omp::construct::loop, code);
  return next_piece(first, last);
}

/// Each member has a taskgroup for the construct, which GOMP_workshare_task_reduction_unregister ends.
void begin_reductions(omp::task& me, bool is_first, std::uintptr_t* reductions) {
  omp::begin_taskgroup(*new omp::task_set);
  std::uintptr_t* const around = me.innermost->reductions;
  std::uintptr_t const* const shared = is_first ? nullptr : me.share->reductions();
  omp::register_reductions(reductions, around, shared, me.team->size());
  me.innermost->reductions = reductions;
  if (is_first) me.share->reductions() = reductions;
}

/// The forms of OpenMP 5.0, with reductions by tasks and shared memory.
template <class Counter>
bool start_general(void const* code, counted_loop const& l, long schedule, std::int64_t chunk, bool is_ordered,
                   Counter* first, Counter* last, std::uintptr_t* reductions, void** mem) {
  omp::task& me = enter(
      [&](omp::work_share& share, std::uint32_t members) {
        share.begin_loop(l, schedule_of(schedule, chunk), members, is_ordered);
        if (mem != nullptr) share_memory(share, mem);
      },
      reductions);
  note(me, omp::construct::loop, code);
  if (mem != nullptr) *mem = *me.share->shared_memory();
  return first == nullptr || next_piece(first, last);
}

template <class Counter>
bool start_doacross(void const* code, unsigned loops, Counter const* counts, loop_schedule const& s, Counter* first,
                    Counter* last, void** mem = nullptr, std::uintptr_t* reductions = nullptr) {
  static_assert(sizeof(Counter) == sizeof(std::uint64_t));
  auto const* const all = reinterpret_cast<std::uint64_t const*>(counts);
  omp::task& me = enter(
      [&](omp::work_share& share, std::uint32_t members) {
        share.begin_loop(counted_loop{0, all[0], 1, all[0]}, s, members, false);
        share.begin_doacross(loops, all);
        if (mem != nullptr) share_memory(share, mem);
      },
      reductions);
  note(me, omp::construct::loop, code);
  if (mem != nullptr) *mem = *me.share->shared_memory();
  return next_piece(first, last);
}

void end_loop_without_barrier() {
  omp::task& me = current();
  if (me.team == nullptr) return;
  if (me.traced != nullptr) [[unlikely]]
    omp::note_share_ended(me);
  me.team->leave_share(me);
}

struct prepared_loop : omp::preparation {
  prepared_loop(counted_loop const& of, loop_schedule const& how) noexcept
      : preparation{[](preparation& self, omp::team& t) {
          auto const& mine = static_cast<prepared_loop&>(self);
          t.prepare_first_share(omp::construct::loop, [&](omp::work_share& share) {
            share.begin_loop(mine.loop, mine.schedule, t.size(), false);
          });
        }},
        loop(of), schedule(how) {}
  counted_loop const loop;
  loop_schedule const schedule;
};

void run_loop_region(omp::outlined const& code, unsigned threads, counted_loop const& l, loop_schedule const& s) {
  prepared_loop first{l, s};
  omp::run_region(code, threads, &first);
}

struct prepared_sections : omp::preparation {
  explicit prepared_sections(unsigned n) noexcept
      : preparation{[](preparation& self, omp::team& t) {
          unsigned const sections = static_cast<prepared_sections&>(self).count;
          t.prepare_first_share(omp::construct::sections,
                                [sections](omp::work_share& share) { share.begin_sections(sections); });
        }},
        count(n) {}
  unsigned const count;
};

unsigned fewer(unsigned threads, unsigned count) {
  unsigned const asked = omp::threads_for(current(), threads);
  return count < asked ? (count == 0 ? 1 : count) : asked;
}

/// The indices of a doacross wait or post.
constexpr unsigned most_loops = 64;

template <class Counter>
void wait_doacross(Counter first, std::va_list& rest) {
  omp::task& me = current();
  if (me.share == nullptr) return;
  std::uint64_t at[most_loops];
  at[0] = static_cast<std::uint64_t>(first);
  for (unsigned l = 1; l < me.share->loops() && l < most_loops; ++l)
    at[l] = static_cast<std::uint64_t>(va_arg(rest, Counter));
  me.share->await_post(at);
}

}  // namespace

// The functions that differ by schedule: NAME, kind, monotonic.
#define SKUA_SCHEDULES(X)                            \
  X(dynamic, loop_kind::dynamic, true)               \
  X(guided, loop_kind::guided, true)                 \
  X(nonmonotonic_dynamic, loop_kind::dynamic, false) \
  X(nonmonotonic_guided, loop_kind::guided, false)
#define SKUA_RUNTIME_NAMES(X) X(runtime, true) X(nonmonotonic_runtime, false) X(maybe_nonmonotonic_runtime, false)
#define SKUA_ORDERED_KINDS(X) X(static, loop_kind::fixed) X(dynamic, loop_kind::dynamic) X(guided, loop_kind::guided)

extern "C" {

#define SKUA_LOOP(name, kind, mono)                                                                                   \
  bool GOMP_loop_##name##_start(long start, long end, long step, long chunk, long* first, long* last) {               \
    return start_loop(SKUA_CALLER, counted(start, end, step), {kind, chunk, mono}, false, first, last);               \
  }                                                                                                                   \
  bool GOMP_loop_##name##_next(long* first, long* last) { return next_piece(first, last); }                           \
  bool GOMP_loop_ull_##name##_start(bool up, ull start, ull end, ull step, ull chunk, ull* first, ull* last) {        \
    return start_loop(SKUA_CALLER, counted(up, start, end, step), {kind, chunk_in(chunk), mono}, false, first, last); \
  }                                                                                                                   \
  bool GOMP_loop_ull_##name##_next(ull* first, ull* last) { return next_piece(first, last); }                         \
  void GOMP_parallel_loop_##name(void (*function)(void*), void* data, unsigned threads, long start, long end,         \
                                 long step, long chunk, unsigned flags) {                                             \
    run_loop_region({function, data, flags}, threads, counted(start, end, step), {kind, chunk, mono});                \
  }
SKUA_SCHEDULES(SKUA_LOOP)
SKUA_LOOP(static, loop_kind::fixed, true)
#undef SKUA_LOOP

#define SKUA_LOOP(name, mono)                                                                                         \
  bool GOMP_loop_##name##_start(long start, long end, long step, long* first, long* last) {                           \
    return start_loop(SKUA_CALLER, counted(start, end, step), schedule_of(mono ? monotonic_bit : 0, 0), false, first, \
                      last);                                                                                          \
  }                                                                                                                   \
  bool GOMP_loop_##name##_next(long* first, long* last) { return next_piece(first, last); }                           \
  bool GOMP_loop_ull_##name##_start(bool up, ull start, ull end, ull step, ull* first, ull* last) {                   \
    return start_loop(SKUA_CALLER, counted(up, start, end, step), schedule_of(mono ? monotonic_bit : 0, 0), false,    \
                      first, last);                                                                                   \
  }                                                                                                                   \
  bool GOMP_loop_ull_##name##_next(ull* first, ull* last) { return next_piece(first, last); }                         \
  void GOMP_parallel_loop_##name(void (*function)(void*), void* data, unsigned threads, long start, long end,         \
                                 long step, unsigned flags) {                                                         \
    run_loop_region({function, data, flags}, threads, counted(start, end, step),                                      \
                    schedule_of(mono ? monotonic_bit : 0, 0));                                                        \
  }
SKUA_RUNTIME_NAMES(SKUA_LOOP)
#undef SKUA_LOOP

#define SKUA_LOOP(name, kind)                                                                                          \
  bool GOMP_loop_ordered_##name##_start(long start, long end, long step, long chunk, long* first, long* last) {        \
    return start_loop(SKUA_CALLER, counted(start, end, step), {kind, chunk, true}, true, first, last);                 \
  }                                                                                                                    \
  bool GOMP_loop_ordered_##name##_next(long* first, long* last) { return next_piece(first, last); }                    \
  bool GOMP_loop_ull_ordered_##name##_start(bool up, ull start, ull end, ull step, ull chunk, ull* first, ull* last) { \
    return start_loop(SKUA_CALLER, counted(up, start, end, step), {kind, chunk_in(chunk), true}, true, first, last);   \
  }                                                                                                                    \
  bool GOMP_loop_ull_ordered_##name##_next(ull* first, ull* last) { return next_piece(first, last); }                  \
  bool GOMP_loop_doacross_##name##_start(unsigned loops, long* counts, long chunk, long* first, long* last) {          \
    return start_doacross(SKUA_CALLER, loops, counts, {kind, chunk, true}, first, last);                               \
  }                                                                                                                    \
  bool GOMP_loop_ull_doacross_##name##_start(unsigned loops, ull* counts, ull chunk, ull* first, ull* last) {          \
    return start_doacross(SKUA_CALLER, loops, counts, {kind, chunk_in(chunk), true}, first, last);                     \
  }
SKUA_ORDERED_KINDS(SKUA_LOOP)
#undef SKUA_LOOP

bool GOMP_loop_ordered_runtime_start(long start, long end, long step, long* first, long* last) {
  return start_loop(SKUA_CALLER, counted(start, end, step), schedule_of(monotonic_bit, 0), true, first, last);
}
bool GOMP_loop_ordered_runtime_next(long* first, long* last) { return next_piece(first, last); }
bool GOMP_loop_ull_ordered_runtime_start(bool up, ull start, ull end, ull step, ull* first, ull* last) {
  return start_loop(SKUA_CALLER, counted(up, start, end, step), schedule_of(monotonic_bit, 0), true, first, last);
}
bool GOMP_loop_ull_ordered_runtime_next(ull* first, ull* last) { return next_piece(first, last); }
bool GOMP_loop_doacross_runtime_start(unsigned loops, long* counts, long* first, long* last) {
  return start_doacross(SKUA_CALLER, loops, counts, schedule_of(monotonic_bit, 0), first, last);
}
bool GOMP_loop_ull_doacross_runtime_start(unsigned loops, ull* counts, ull* first, ull* last) {
  return start_doacross(SKUA_CALLER, loops, counts, schedule_of(monotonic_bit, 0), first, last);
}

bool GOMP_loop_start(long start, long end, long step, long schedule, long chunk, long* first, long* last,
                     std::uintptr_t* reductions, void** mem) {
  return start_general(SKUA_CALLER, counted(start, end, step), schedule, chunk, false, first, last, reductions, mem);
}
bool GOMP_loop_ordered_start(long start, long end, long step, long schedule, long chunk, long* first, long* last,
                             std::uintptr_t* reductions, void** mem) {
  return start_general(SKUA_CALLER, counted(start, end, step), schedule, chunk, true, first, last, reductions, mem);
}
bool GOMP_loop_ull_start(bool up, ull start, ull end, ull step, long schedule, ull chunk, ull* first, ull* last,
                         std::uintptr_t* reductions, void** mem) {
  return start_general(SKUA_CALLER, counted(up, start, end, step), schedule, chunk_in(chunk), false, first, last,
                       reductions, mem);
}
bool GOMP_loop_ull_ordered_start(bool up, ull start, ull end, ull step, long schedule, ull chunk, ull* first, ull* last,
                                 std::uintptr_t* reductions, void** mem) {
  return start_general(SKUA_CALLER, counted(up, start, end, step), schedule, chunk_in(chunk), true, first, last,
                       reductions, mem);
}
bool GOMP_loop_doacross_start(unsigned loops, long* counts, long schedule, long chunk, long* first, long* last,
                              std::uintptr_t* reductions, void** mem) {
  return start_doacross(SKUA_CALLER, loops, counts, schedule_of(schedule | monotonic_bit, chunk), first, last, mem,
                        reductions);
}
bool GOMP_loop_ull_doacross_start(unsigned loops, ull* counts, long schedule, ull chunk, ull* first, ull* last,
                                  std::uintptr_t* reductions, void** mem) {
  return start_doacross(SKUA_CALLER, loops, counts, schedule_of(schedule | monotonic_bit, chunk_in(chunk)), first, last,
                        mem, reductions);
}

void GOMP_loop_end_nowait(void) {
  end_loop_without_barrier();
  left(current());
}
void GOMP_loop_end(void) {
  end_loop_without_barrier();
  GOMP_barrier();
  left(current());
}
bool GOMP_loop_end_cancel(void) {
  end_loop_without_barrier();
  bool const was_cancelled = GOMP_barrier_cancel();
  left(current());
  return was_cancelled;
}

void GOMP_ordered_start(void) {
  omp::task& me = current();
  if (me.share != nullptr) me.share->await_turn(me);
}
void GOMP_ordered_end(void) {}

void GOMP_doacross_post(long* at) {
  omp::task& me = current();
  if (me.share != nullptr) me.share->post(reinterpret_cast<std::uint64_t*>(at));
}
void GOMP_doacross_ull_post(ull* at) {
  omp::task& me = current();
  if (me.share != nullptr) me.share->post(reinterpret_cast<std::uint64_t*>(at));
}
void GOMP_doacross_wait(long first, ...) {
  std::va_list rest;
  va_start(rest, first);
  wait_doacross(first, rest);
  va_end(rest);
}
void GOMP_doacross_ull_wait(ull first, ...) {
  std::va_list rest;
  va_start(rest, first);
  wait_doacross(first, rest);
  va_end(rest);
}

unsigned GOMP_sections_start(unsigned count) {
  omp::task& me = enter([count](omp::work_share& share, std::uint32_t) { share.begin_sections(count); });
  note(me, omp::construct::sections, SKUA_CALLER);
  return next_section(me);
}
unsigned GOMP_sections2_start(unsigned count, std::uintptr_t* reductions, void** mem) {
  omp::task& me = enter(
      [&](omp::work_share& share, std::uint32_t) {
        share.begin_sections(count);
        if (mem != nullptr) share_memory(share, mem);
      },
      reductions);
  note(me, omp::construct::sections, SKUA_CALLER);
  if (mem != nullptr) *mem = *me.share->shared_memory();
  return next_section(me);
}
void GOMP_scope_start(std::uintptr_t* reductions) {
  omp::task& me = enter([](omp::work_share& share, std::uint32_t) { share.begin_sections(0); }, reductions);
  me.team->leave_share(me);  // nothing is shared out
}
unsigned GOMP_sections_next(void) {
  omp::task& me = current();
  return me.share == nullptr ? 0 : next_section(me);
}
void GOMP_sections_end(void) { GOMP_loop_end(); }
void GOMP_sections_end_nowait(void) { GOMP_loop_end_nowait(); }
bool GOMP_sections_end_cancel(void) { return GOMP_loop_end_cancel(); }
void GOMP_parallel_sections(void (*function)(void*), void* data, unsigned threads, unsigned count, unsigned flags) {
  prepared_sections first{count};
  omp::run_region({function, data, flags}, fewer(threads, count), &first);
}
void GOMP_parallel_sections_start(void (*function)(void*), void* data, unsigned threads, unsigned count) {
  prepared_sections first{count};
  omp::begin_region({function, data}, fewer(threads, count), &first);
}
#define SKUA_LOOP(name, kind)                                                                                         \
  void GOMP_parallel_loop_##name##_start(void (*function)(void*), void* data, unsigned threads, long start, long end, \
                                         long step, long chunk) {                                                     \
    prepared_loop first{counted(start, end, step), {kind, chunk, true}};                                              \
    omp::begin_region({function, data}, threads, &first);                                                             \
  }
SKUA_ORDERED_KINDS(SKUA_LOOP)
#undef SKUA_LOOP
void GOMP_parallel_loop_runtime_start(void (*function)(void*), void* data, unsigned threads, long start, long end,
                                      long step) {
  prepared_loop first{counted(start, end, step), schedule_of(monotonic_bit, 0)};
  omp::begin_region({function, data}, threads, &first);
}

}  // extern "C"
