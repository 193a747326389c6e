// SPDX-License-Identifier: MIT
// The C library's functions that enter the kernel or are read-modify-writes, as far as the runtime calls them: counted, then called.
// A mutex enters the kernel if it is contended, a condition if somebody waits.
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdarg>
#include <ctime>

#include "tests/counts/operations.hpp"

using line_counts::access;
using line_counts::note;
using line_counts::note_access;
using line_counts::system_call;

namespace {

template <class F>
F* next_of(F*, char const* name) noexcept {
  return reinterpret_cast<F*>(::dlsym(RTLD_NEXT, name));
}

/// The C library's own function of this name.
#define LINE_COUNTS_REAL(name) static auto* const real = next_of(&::name, #name)

void note_wait(pthread_cond_t* c, pthread_mutex_t* m) noexcept {
  note_access(c, access::exchange);
  note_access(m, access::exchange);
  note(system_call::futex);
}

}  // namespace

extern "C" {

int pthread_mutex_lock(pthread_mutex_t* m) noexcept {
  LINE_COUNTS_REAL(pthread_mutex_lock);
  note_access(m, access::exchange);
  if (::pthread_mutex_trylock(m) == 0) return 0;
  note(system_call::futex);
  return real(m);
}
int pthread_mutex_unlock(pthread_mutex_t* m) noexcept {
  LINE_COUNTS_REAL(pthread_mutex_unlock);
  note_access(m, access::exchange);
  if (m->__data.__lock > 1) note(system_call::futex);
  return real(m);
}
int pthread_cond_wait(pthread_cond_t* c, pthread_mutex_t* m) {
  LINE_COUNTS_REAL(pthread_cond_wait);
  note_wait(c, m);
  int const result = real(c, m);
  note_access(m, access::exchange);
  return result;
}
int pthread_cond_clockwait(pthread_cond_t* c, pthread_mutex_t* m, clockid_t clock, timespec const* until) {
  LINE_COUNTS_REAL(pthread_cond_clockwait);
  note_wait(c, m);
  int const result = real(c, m, clock, until);
  note_access(m, access::exchange);
  return result;
}
int pthread_cond_signal(pthread_cond_t* c) noexcept {
  LINE_COUNTS_REAL(pthread_cond_signal);
  bool const someone_waits = c->__data.__wrefs >> 3 != 0;
  note_access(c, someone_waits ? access::exchange : access::read);
  if (someone_waits) note(system_call::futex);
  return real(c);
}
int sched_yield() noexcept {
  LINE_COUNTS_REAL(sched_yield);
  note(system_call::yield);
  return real();
}
int sched_setaffinity(pid_t thread, std::size_t size, cpu_set_t const* to) noexcept {
  LINE_COUNTS_REAL(sched_setaffinity);
  note(system_call::affinity);
  return real(thread, size, to);
}
int sched_getaffinity(pid_t thread, std::size_t size, cpu_set_t* is) noexcept {
  LINE_COUNTS_REAL(sched_getaffinity);
  note(system_call::affinity);
  return real(thread, size, is);
}
int nanosleep(timespec const* time, timespec* left) {
  LINE_COUNTS_REAL(nanosleep);
  note(system_call::sleep);
  return real(time, left);
}
long syscall(long number, ...) noexcept {
  static auto* const real = reinterpret_cast<long (*)(long, ...)>(::dlsym(RTLD_NEXT, "syscall"));
  va_list rest;
  va_start(rest, number);
  long a[6];
  for (long& one : a) one = va_arg(rest, long);
  va_end(rest);
  note(number == SYS_futex        ? system_call::futex
       : number == SYS_membarrier ? system_call::membarrier
                                  : system_call::other);
  return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

}  // extern "C"
