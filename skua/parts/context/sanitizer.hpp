// SPDX-License-Identifier: MIT
// Tells AddressSanitizer and ThreadSanitizer about flows that switch stacks: one plain function per message. Without a
// sanitizer every function here does nothing; in programs it is empty. context.md, section 4, says when each must be called.
//
// always_inline: an out-of-line function would be instrumented, so it would enter on one flow's
// shadow stack and return on the other's.
#pragma once

#include <cstddef>

#include "skua/parts/base/platform.hpp"
#include "skua/parts/base/sanitizers.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// The sanitizers' state of a suspended flow. Its layout is the same in every build.
struct sanitizer_state {
  void* fake_stack = nullptr;       ///< ASan: where locals live while use-after-return is looked for
  void const* stack_low = nullptr;  ///< ASan: lowest address of the flow's stack
  std::size_t stack_bytes = 0;
  void* tsan_fiber = nullptr;  ///< TSan: the flow's identity
};

namespace asan {

/// The running flow is about to stop in favour of `to`. Only uninstrumented code may run until `arrive`.
[[gnu::always_inline]] inline void depart(sanitizer_state& from, sanitizer_state const& to) noexcept {
  if (watches()) __sanitizer_start_switch_fiber(&from.fake_stack, to.stack_low, to.stack_bytes);
}

/// As `depart`, but the running flow ends: its fake stack is freed. Never for a thread's native flow, which would
/// lose the fake stack that its outer frames still use.
[[gnu::always_inline]] inline void leave(sanitizer_state const& to) noexcept {
  if (watches()) __sanitizer_start_switch_fiber(nullptr, to.stack_low, to.stack_bytes);
}

/// The flow `to` runs now; stores the bounds of the stack that was left in `from`, unless null.
[[gnu::always_inline]] inline void arrive(sanitizer_state const& to, sanitizer_state* from) noexcept {
  if (watches()) {
    __sanitizer_finish_switch_fiber(to.fake_stack, from == nullptr ? nullptr : &from->stack_low,
                                    from == nullptr ? nullptr : &from->stack_bytes);
  }
}

/// Clears the red zones in [low, low + bytes): frames that never return leave theirs behind.
[[gnu::always_inline]] inline void unpoison(void const* low, std::size_t bytes) noexcept {
  if (watches()) __asan_unpoison_memory_region(low, bytes);
}

}  // namespace asan

namespace lsan {

/// A stack in which LeakSanitizer looks for pointers: at the end of the process it knows of each thread's running stack only.
class roots {
 public:
  roots() = default;
  /// Once: [low, low + bytes), as long as this lives.
  void add(void const* low, std::size_t bytes) noexcept {
    if (__lsan_register_root_region == nullptr) return;
    low_ = low;
    bytes_ = bytes;
    __lsan_register_root_region(low_, bytes_);
  }
  ~roots() {
    if (low_ != nullptr) __lsan_unregister_root_region(low_, bytes_);
  }
  roots(roots const&) = delete;
  roots& operator=(roots const&) = delete;

 private:
  void const* low_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace lsan

namespace tsan {

/// No happens-before edge at a switch: two tasks are not ordered because one worker ran them one after the other.
inline constexpr unsigned no_sync = 1;

[[nodiscard, gnu::always_inline]] inline void* current() noexcept {
  if (watches()) return __tsan_get_current_fiber();
  return nullptr;
}
/// What the caller did so far happens before what the new flow does, as with std::thread.
[[nodiscard, gnu::always_inline]] inline void* create() noexcept {
  if (watches()) return __tsan_create_fiber(0);
  return nullptr;
}
/// `flow` must not be the running flow.
[[gnu::always_inline]] inline void destroy(void* flow) noexcept {
  if (watches()) {
    if (flow != nullptr) __tsan_destroy_fiber(flow);
  }
}
[[gnu::always_inline]] inline void switch_to(void* flow) noexcept {
  if (watches()) __tsan_switch_to_fiber(flow, no_sync);
}

/// What was released at `address` before happens before what follows. For an edge that no code of ours makes.
[[gnu::always_inline]] inline void acquire(void* address) noexcept {
  if (watches()) __tsan_acquire(address);
}
[[gnu::always_inline]] inline void release(void* address) noexcept {
  if (watches()) __tsan_release(address);
}

[[gnu::always_inline]] inline void begin_unseen() noexcept {
  AnnotateIgnoreReadsBegin(nullptr, 0);
  AnnotateIgnoreWritesBegin(nullptr, 0);
}
[[gnu::always_inline]] inline void end_unseen() noexcept {
  AnnotateIgnoreWritesEnd(nullptr, 0);
  AnnotateIgnoreReadsEnd(nullptr, 0);
}

/// While it lives, TSan ignores the plain reads and writes of the flow that made it (atomics still publish). For the
/// per-worker state of a pool, which flows of one thread use in turn without any edge between them. It may live across
/// a switch. User code must never run inside.
class unseen {
 public:
  [[gnu::always_inline]] unseen() noexcept {
    if (watches()) begin_unseen();
  }
  [[gnu::always_inline]] ~unseen() {
    if (watches()) end_unseen();
  }
  unseen(unseen const&) = delete;
  unseen& operator=(unseen const&) = delete;
};

/// The same around accesses that call nothing, on a fork's path: TSan sees them only where the compiler instruments them, so it is not
/// asked for at run time.
class unseen_accesses {
 public:
  [[gnu::always_inline]] unseen_accesses() noexcept {
    if constexpr (under_tsan) begin_unseen();
  }
  [[gnu::always_inline]] ~unseen_accesses() {
    if constexpr (under_tsan) end_unseen();
  }
  unseen_accesses(unseen_accesses const&) = delete;
  unseen_accesses& operator=(unseen_accesses const&) = delete;
};

}  // namespace tsan
}}}  // namespace skua::v0::runtime
