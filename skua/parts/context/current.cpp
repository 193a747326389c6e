// SPDX-License-Identifier: MIT
#include "skua/parts/context/current.hpp"

#include <atomic>

#include "skua/parts/base/platform.hpp"
#include "skua/parts/context/block_cache.hpp"
#include "skua/parts/context/sanitizer.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

constexpr void* no_flow = nullptr;

struct this_thread {
  void* const* flow =
      &no_flow;  ///< of the record's owner, so that a fork without a `here` follows two pointers and tests none
  thread_record* record = nullptr;
  std::uint64_t number = 0;  ///< 0: not asked for yet
  outside_watch const* watch = nullptr;
  block_lists* blocks = &no_blocks;  ///< the record's
};

// initial-exec: forty bytes of static TLS, so that reading it never allocates, even in a signal handler of a library
// that was loaded with dlopen.
[[gnu::tls_model("initial-exec")]] constinit thread_local this_thread current;

/// Threads that have a number. It says nothing of any scheduler.
constinit std::atomic<std::uint64_t> numbered{0};

}  // namespace

// `noinline` keeps the thread pointer out of callers that switch. The empty asm makes each call a side effect: without
// it, whole-program optimisation proves the function pure and reuses one answer for two calls around a switch.
// No TSan here: flows of one thread have different TSan identities but share this pointer.
[[gnu::noinline, gnu::no_sanitize_thread]] thread_record* current_thread() noexcept {
  asm volatile("" ::: "memory");
  return current.record;
}

[[gnu::noinline, gnu::no_sanitize_thread]] void* current_flow() noexcept {
  asm volatile("" ::: "memory");
  return *current.flow;
}

[[gnu::noinline, gnu::no_sanitize_thread]] block_lists& current_blocks() noexcept {
  asm volatile("" ::: "memory");
  return *current.blocks;
}

[[gnu::noinline, gnu::no_sanitize_thread]] void set_current_thread(thread_record* record) noexcept {
  asm volatile("" ::: "memory");
  current.record = record;
  current.flow = record == nullptr || record->owner == nullptr ? &no_flow : &record->owner->flow;
  current.blocks = record == nullptr || record->blocks == nullptr ? &no_blocks : record->blocks;
}

[[gnu::noinline, gnu::no_sanitize_thread]] outside_watch const* current_outside_watch() noexcept {
  asm volatile("" ::: "memory");
  return current.watch;
}

[[gnu::noinline, gnu::no_sanitize_thread]] void set_current_outside_watch(outside_watch const* w) noexcept {
  asm volatile("" ::: "memory");
  current.watch = w;
}

[[gnu::noinline, gnu::no_sanitize_thread]] std::uint64_t thread_number() noexcept {
  asm volatile("" ::: "memory");
  tsan::acquire(&current);
  if (current.number == 0) [[unlikely]]
    current.number = numbered.fetch_add(1, std::memory_order_relaxed) + 1;  // relaxed: only the number matters
  return current.number;
}

[[gnu::noinline, gnu::no_sanitize_thread]] void flow_stops() noexcept {
  if (tsan::watches()) {
    asm volatile("" ::: "memory");
    tsan::release(&current);
  }
}

}}}  // namespace skua::v0::runtime
