// SPDX-License-Identifier: MIT
#include "skua/parts/context/current.hpp"

namespace skua::runtime {
namespace {

// initial-exec: eight bytes of static TLS, so that reading it never allocates, even in a signal handler of a library
// that was loaded with dlopen.
[[gnu::tls_model("initial-exec")]] constinit thread_local thread_record* current = nullptr;

}  // namespace

// `noinline` keeps the thread pointer out of callers that switch. The empty asm makes each call a side effect: without
// it, whole-program optimisation proves the function pure and reuses one answer for two calls around a switch.
// No TSan here: flows of one thread have different TSan identities but share this pointer.
[[gnu::noinline, gnu::no_sanitize_thread]] thread_record* current_thread() noexcept {
  asm volatile("" ::: "memory");
  return current;
}

[[gnu::noinline, gnu::no_sanitize_thread]] void set_current_thread(thread_record* record) noexcept {
  asm volatile("" ::: "memory");
  current = record;
}

}  // namespace skua::runtime
