// SPDX-License-Identifier: MIT
// A context is a saved flow of control: registers on a stack. A flow can be suspended on one thread and resumed on
// another. Laws: context.md.
//
// Boost.Context's fcontext switches the stacks. A flow takes along its callee-saved registers, the floating-point
// control words, the C++ exception globals, and the sanitizers' state. Nothing else travels: not the signal mask, not
// errno, no thread-local.
#pragma once

#include <cstdint>

#include "skua/parts/context/sanitizer.hpp"
#include "skua/parts/context/stack.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Exception state that the C++ runtime keeps per thread, but that belongs to a flow: the exceptions being handled,
/// innermost first, and the number in flight.
/// The layout of __cxa_eh_globals [Itanium C++ ABI: Exception Handling, 2.2.2].
struct exception_state {
  void* caught = nullptr;
  unsigned uncaught = 0;
};

/// A suspended flow. Owns nothing: code that may resume the flow may drop, move or reuse this object. (For a context that
/// was started and never resumed see `forget`.)
struct context {
  void* stack_pointer = nullptr;    ///< the stack pointer; nullptr = nothing is suspended here
  runtime::stack* stack = nullptr;  ///< nullptr = the native stack of the thread that suspended it
  exception_state exceptions;
  std::uint64_t float_control = 0;  ///< platform.hpp
  sanitizer_state sanitizer;
  void (*entry)(void*) noexcept = nullptr;  ///< of a context that was started and not yet resumed
  void* argument = nullptr;
  void const* home = nullptr;  ///< native flows: identifies the only thread that may resume it
};

/// Makes `target` a flow that will run entry(argument) on the stack `fresh` when it is first resumed. What the caller did so
/// far happens before the entry. `entry` never returns: it ends with leave_to, without an exception in flight or being
/// handled. No system call, a few ns.
void start(context& target, stack& fresh, void (*entry)(void*) noexcept, void* argument) noexcept;

/// Lets `target`, which was started, begin with the exceptions that the running flow handles or that are in flight. For a flow that ends on
/// the same thread while the running one is suspended and waits for it; it calls disown_exceptions before it leaves.
void inherit_exceptions(context& target) noexcept;
void disown_exceptions() noexcept;

/// Drops a context that was started and never resumed. Its stack is free again.
void forget(context& never_ran) noexcept;

/// Suspends the running flow into `from` and continues `to`. When `from` is complete, `after(argument)` runs first on
/// the stack of `to`; it may publish `from`, and from then on another thread may resume it. Returns when `from` is
/// resumed, maybe on another thread.
///
/// A switch takes about 20 ns. The calling thread must have a thread_record. Only its own thread may resume a native
/// flow. `after` neither throws nor switches. The switch orders nothing for TSan: a resumed flow must itself acquire
/// what its resumer published.
void switch_to(context& from, context& to, void (*after)(void*) noexcept, void* argument) noexcept;

/// Ends the running flow, which must not be native, and continues `to`. `after(argument)` runs first on the stack of
/// `to`. By then no flow uses the ended flow's stack (`leaving.stack`, set here), and `after` may give it back. `leaving`
/// and what `argument` points to must not be locals of the ended flow: its frames are gone.
[[noreturn]] void leave_to(context& leaving, context& to, void (*after)(void*) noexcept, void* argument) noexcept;

}}}  // namespace skua::v0::runtime
