// SPDX-License-Identifier: MIT
// Flows: what a thread executes, and what can be suspended on one thread and resumed on another. Laws: fiber.md.
//
// Stacks are switched by Boost.Context's fcontext. With the flow travel its callee-saved registers, the floating-point
// control words, the C++ exception globals, and what the sanitizers know of it. Nothing else: not the signal mask, not
// errno, no thread-local.
#pragma once

#include <cstdint>

#include "skua/parts/context/sanitizer.hpp"
#include "skua/parts/context/stack.hpp"

namespace skua::runtime {

/// What the C++ runtime keeps per thread and a flow must keep for itself: the exceptions being handled, innermost
/// first, and how many are in flight. The layout of __cxa_eh_globals [Itanium C++ ABI: Exception Handling, 2.2.2].
struct exception_state {
  void* caught = nullptr;
  unsigned uncaught = 0;
};

/// A flow that does not run now. Holds no resource: it may be dropped, moved in memory or reused by whoever may resume
/// it. (A fiber that was started and never resumed: see `forget`.)
struct context {
  void* stack_pointer = nullptr;  ///< its stack pointer; nullptr = nothing suspended here
  stack* on = nullptr;            ///< nullptr = the native stack of the thread that suspended it
  exception_state exceptions;
  std::uint64_t float_control = 0;  ///< platform.hpp
  sanitizer_state sanitizer;
  void (*entry)(void*) noexcept = nullptr;  ///< of a fiber that was started and not yet resumed
  void* argument = nullptr;
  void const* home = nullptr;  ///< native flows: identifies the only thread that may resume it
};

/// Make `target` a flow that will run entry(argument) on `on` when it is first resumed. What the caller did so far
/// happens before the entry. `entry` never returns: it ends with leave_to, without an exception in flight or being
/// handled. No system call, a few ns.
void start(context& target, stack& on, void (*entry)(void*) noexcept, void* argument) noexcept;

/// Drop a fiber that was started and never resumed. Its stack is free again.
void forget(context& never_ran) noexcept;

/// Suspend the running flow into `from` and continue `to`. When `from` is complete, `after(argument)` runs first on the
/// stack of `to`; it may publish `from`, and from then on another thread may resume it. Returns when `from` is resumed,
/// maybe on another thread.
///
/// A switch takes about 20 ns. The calling thread has a thread_record. A native flow is resumed by its own thread only. `after` neither throws nor
/// switches. The switch orders nothing for TSan: a resumed flow acquires by itself what its resumer knows.
void switch_to(context& from, context& to, void (*after)(void*) noexcept, void* argument) noexcept;

/// End the running flow, which is not native, and continue `to`. `after(argument)` runs first on the stack of `to`; the
/// ended flow's stack (`leaving.on`, set here) is then nobody's, and `after` may give it back. `leaving` and what
/// `argument` points to must not be locals of the ended flow: its frames are gone.
[[noreturn]] void leave_to(context& leaving, context& to, void (*after)(void*) noexcept, void* argument) noexcept;

}  // namespace skua::runtime
