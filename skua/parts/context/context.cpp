// SPDX-License-Identifier: MIT
#include "skua/parts/context/context.hpp"

#include <cxxabi.h>

#include <boost/context/detail/fcontext.hpp>

#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/context/current.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

/// The departing flow's message to the arriving one. It lies on the departing stack, so it is copied before `after` runs.
struct handover {
  context* departed;  ///< nullptr = it ended
  void* ended_tsan;   ///< TSan's name of the flow that ended
  context* arriving;
  void (*after)(void*) noexcept;
  void* argument;
};

/// The exception globals of this thread. Their declaration promises one address forever, which is false across a
/// switch; the asm keeps the compiler from reusing an earlier answer (see current.cpp).
[[gnu::noinline]] exception_state& exceptions_of_thread() noexcept {
  asm volatile("" ::: "memory");
  return *reinterpret_cast<exception_state*>(abi::__cxa_get_globals());
}

// The functions below run between two flows. ASan must not put their locals on a fake stack that is being exchanged.
// TSan must not see them read what the other flow has written, because there is no edge between the two. They call no
// std:: helpers, which would be instrumented.

/// Exchanges all per-thread state before the jump, while both flows are on the same thread. Nothing after the jump
/// touches a thread-local.
[[gnu::noinline, gnu::no_sanitize_address, gnu::no_sanitize_thread]] void* exchange(context& from,
                                                                                    context& to) noexcept {
  if (tsan::watches()) flow_stops();
  thread_record* const me = current_thread();
  expects(me != nullptr, "a thread that switches has a thread_record");
  expects(to.stack_pointer != nullptr, "a flow is resumed once for each time it was suspended");
  exception_state& exceptions = exceptions_of_thread();
  expects(to.stack != nullptr || to.home == &exceptions, "a native flow is resumed by its own thread");

  from.exceptions = exceptions;
  exceptions = to.exceptions;
  from.float_control = float_control();
  if (to.float_control != from.float_control) set_float_control(to.float_control);
  from.stack = me->running;
  me->running = to.stack;
  from.home = &exceptions;
  from.sanitizer.tsan_fiber = tsan::current();
  void* const there = to.stack_pointer;
  to.stack_pointer = nullptr;
  return there;
}

/// The first act of a flow on its own stack after a jump. Copies field by field, because a copy of the whole may be a
/// call of memcpy, which the sanitizers intercept.
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] void arrive(transfer_t const& jumped) noexcept {
  auto const* const told = static_cast<handover const*>(jumped.data);
  context* const departed = told->departed;
  context const* const me = told->arriving;
  auto* const after = told->after;
  void* const argument = told->argument;
  if (departed == nullptr) {
    void* const ended = told->ended_tsan;
    asan::arrive(me->sanitizer, nullptr);
    tsan::destroy(ended);
  } else {
    asan::arrive(me->sanitizer, &departed->sanitizer);
    departed->stack_pointer = jumped.fctx;
  }
  if (after != nullptr) {
    tsan::unseen const handing_over;
    after(argument);
  }
}

/// The outermost frame of every stack.
[[noreturn, gnu::no_sanitize_address, gnu::no_sanitize_thread]] void begin(transfer_t jumped) noexcept {
  context const& me = *static_cast<handover const*>(jumped.data)->arriving;
  auto* const entry = me.entry;
  void* const argument = me.argument;
  arrive(jumped);
  entry(argument);
  broken("invariant", "a flow ends with leave_to");
}

}  // namespace

void start(context& target, stack& fresh, void (*entry)(void*) noexcept, void* argument) noexcept {
  fresh.forget_accesses();
  target = context{};
  target.stack = &fresh;
  target.entry = entry;
  target.argument = argument;
  target.float_control = float_control();
  target.sanitizer.stack_low = fresh.low();
  target.sanitizer.stack_bytes = fresh.bytes();
  target.stack_pointer = make_fcontext(fresh.top(), fresh.bytes(), begin);
  // Last, so that every access to the stack's record so far happens before anything the flow does, its end included.
  target.sanitizer.tsan_fiber = tsan::create();
}

void inherit_exceptions(context& target) noexcept { target.exceptions = exceptions_of_thread(); }

void disown_exceptions() noexcept { exceptions_of_thread() = {}; }

void forget(context& never_ran) noexcept {
  expects(never_ran.entry != nullptr && never_ran.stack_pointer != nullptr, "only a fiber that never ran is forgotten");
  tsan::destroy(never_ran.sanitizer.tsan_fiber);
  never_ran = context{};
}

[[gnu::noinline, gnu::no_sanitize_address, gnu::no_sanitize_thread]] void switch_to(context& from, context& to,
                                                                                    void (*after)(void*) noexcept,
                                                                                    void* argument) noexcept {
  handover told{.departed = &from, .ended_tsan = nullptr, .arriving = &to, .after = after, .argument = argument};
  void* const there = exchange(from, to);
  void* const identity = to.sanitizer.tsan_fiber;
  asan::depart(from.sanitizer, to.sanitizer);
  tsan::switch_to(identity);
  arrive(jump_fcontext(there, &told));
}

[[gnu::noinline, gnu::no_sanitize_address, gnu::no_sanitize_thread]] void leave_to(context& leaving, context& to,
                                                                                   void (*after)(void*) noexcept,
                                                                                   void* argument) noexcept {
  void* const there = exchange(leaving, to);
  expects(leaving.stack != nullptr, "a native flow does not leave");
  expects(leaving.exceptions.caught == nullptr && leaving.exceptions.uncaught == 0, "a flow leaves without exceptions");
  handover told{.departed = nullptr,
                .ended_tsan = leaving.sanitizer.tsan_fiber,
                .arriving = &to,
                .after = after,
                .argument = argument};
  void* const identity = to.sanitizer.tsan_fiber;
  if (asan::watches()) {
    // The frames between here and the top never return, so they do not clear their red zones themselves.
    auto* const frame = static_cast<std::byte*>(__builtin_frame_address(0));
    asan::unpoison(frame, static_cast<std::size_t>(leaving.stack->top() - frame));
  }
  asan::leave(to.sanitizer);
  tsan::switch_to(identity);
  jump_fcontext(there, &told);
  broken("invariant", "nobody resumes a flow that has ended");
}

}}}  // namespace skua::v0::runtime
