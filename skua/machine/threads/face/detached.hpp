// SPDX-License-Identifier: MIT
// A detached call: a function that a pool runs once, and that nobody waits for but `pool.drain` and the pool's
// destructor. `enqueue` makes them on the heap; coroutines (face/coroutine.hpp) keep them in their frames.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "skua/machine/threads/fork/join/here.hpp"
#include "skua/parts/base/type_text.hpp"
#include "skua/program/algorithm/body.hpp"
#include "skua/program/at_most.hpp"
#include "skua/program/hint.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class region;
struct detached_call;

/// What all detached calls of one type share.
struct detached_kind {
  void (*run)(detached_call&, fiber&);  ///< the call may be gone when it returns; what it throws goes to the pool
  char const* (*name_of)(detached_call const&) noexcept = nullptr;  ///< what traces call it; null: nothing
};

/// Between `announce` and the end of `run` the pool of `in` counts it.
struct detached_call {
  /// For the pool, between `submit` and `run`. First, so that what lies there is at the call's own address.
  alignas(void*) std::byte room[2 * sizeof(void*)] = {};
  detached_kind const* is;
  hint hints{};
  region* in = nullptr;  ///< set by `announce`
};

/// The pool of `where` waits for this call from now on. Throws error in a child of fork(), whose pool has no workers.
void announce(detached_call& call, region& where);
/// The same. False: so many calls of the pool or more were out before, and the caller should run this one.
[[nodiscard]] bool announce(detached_call& call, region& where, at_most bound);
/// Runs an announced call before this returns: as a call from the calling thread, or, without a stack for that, as `submit`. (at_most.md)
void run_or_submit(detached_call& call) noexcept;
/// Makes the call run, at some time, on some worker: in the order in which calls are submitted, as workers become free.
/// Any thread. The call may be gone when this returns.
void submit(detached_call& call) noexcept;
/// The call will not be submitted after all.
void retract(detached_call& call) noexcept;

/// The pool of the calling worker, as its first region; in a thread that is no worker, the default pool. Throws what
/// default_pool() throws.
[[nodiscard]] region& pool_of_caller();

/// A detached call on the heap.
template <class F>
struct enqueued_call final : detached_call {
  template <class G>
  enqueued_call(hint h, G&& f) : detached_call{.is = &kind, .hints = h}, function(std::forward<G>(f)) {}

  static void call_and_destroy(detached_call& call, fiber& on) {
    std::unique_ptr<enqueued_call> const self(static_cast<enqueued_call*>(&call));
    static_cast<void>(call_body(here_of(on), self->function));
  }
  static char const* name_of(detached_call const&) noexcept { return type_text<F>(); }
  static constexpr detached_kind kind{.run = &call_and_destroy, .name_of = &name_of};

  F function;
};

template <class F>
void enqueue_in(region& where, hint hints, F&& f) {
  if constexpr (!body_of<std::decay_t<F>, here>) {
    static_assert(body_of<std::decay_t<F>, here>, "enqueue: a task is called as f() or f(here)");
  } else {
    auto made = std::make_unique<enqueued_call<std::decay_t<F>>>(hints, std::forward<F>(f));
    announce(*made, where);
    submit(*made.release());
  }
}
template <class F>
void enqueue_in(region& where, at_most bound, F&& f) {
  if constexpr (!body_of<std::decay_t<F>, here>) {
    static_assert(body_of<std::decay_t<F>, here>, "enqueue: a task is called as f() or f(here)");
  } else {
    auto made = std::make_unique<enqueued_call<std::decay_t<F>>>(hint{}, std::forward<F>(f));
    bool const has_room = announce(*made, where, bound);
    detached_call& call = *made.release();
    has_room ? submit(call) : run_or_submit(call);
  }
}

}}}  // namespace skua::v0::runtime
