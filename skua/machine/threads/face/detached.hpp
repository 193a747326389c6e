// SPDX-License-Identifier: MIT
// A detached call: a function that a pool runs once. Only `pool.drain` and the pool's destructor wait for it. `enqueue`
// makes detached calls in blocks; coroutines (face/coroutine.hpp) keep them in their frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "skua/machine/threads/fork/join/here.hpp"
#include "skua/parts/base/type_text.hpp"
#include "skua/parts/context/block_cache.hpp"
#include "skua/parts/ordered/stored_task.hpp"
#include "skua/program/algorithm/body.hpp"
#include "skua/program/at_most.hpp"
#include "skua/program/children.hpp"
#include "skua/program/hint.hpp"
#include "skua/program/strategy/strategy.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class region;
struct detached_call;

/// The operations of all detached calls of one type.
struct detached_kind {
  void (*run)(detached_call&, fiber&);  ///< may destroy the call; its exceptions go to the pool's handler
  char const* (*name_of)(detached_call const&) noexcept = nullptr;  ///< the name in traces; null: no name
  hint (*hints_of)(detached_call const&) noexcept = nullptr;        ///< null: it has none
  // For a call with a strategy.
  offered_task (*offered)(detached_call const&) noexcept =
      nullptr;                                      ///< the strategy, as stores need it; null: it has none
  void (*drop)(detached_call&) noexcept = nullptr;  ///< destroys a call that is dead
};

/// Between `announce` and the end of `run` the pool of `host` counts it.
struct detached_call {
  /// The pool's, between `submit` and `run`. The first member, so that the object in it has the call's address.
  alignas(void*) std::byte room[2 * sizeof(void*)] = {};
  detached_kind const* kind;
  region* host = nullptr;  ///< set by `announce`
};

/// Makes the pool of `where` count this call as unfinished. Throws error in a child of fork(), whose pool has no
/// workers.
void announce(detached_call& call, region& where);
/// The same. Returns false if `bound` calls of the pool or more were in flight before: the caller should run this one.
[[nodiscard]] bool announce(detached_call& call, region& where, at_most bound);
/// Runs an announced call before this returns, like a call of the calling thread; submits it if there is no stack for
/// that. (at_most.md)
void run_or_submit(detached_call& call) noexcept;
/// Queues an announced call: workers run calls in the order in which they were submitted, as they become free; those with a
/// strategy in its order, among the tasks of the workers, where the policy obeys strategies. Any thread. The call may have run
/// and be destroyed when this returns.
void submit(detached_call& call) noexcept;
/// Undoes `announce` for a call that will not be submitted.
void retract(detached_call& call) noexcept;

/// The root region of the calling worker's pool; in a thread that is no worker, of the default pool. Throws what
/// default_pool() throws.
[[nodiscard]] region& pool_of_caller();

/// A detached call in a block. `Hint`: a hint, or `unhinted`.
template <class F, class Hint>
struct enqueued_call final : detached_call, in_block {
  template <class G>
  enqueued_call(Hint h, G&& f) : detached_call{.kind = &kind}, hint_word(h), function(std::forward<G>(f)) {}

  static void call_and_destroy(detached_call& call, fiber& on) {
    std::unique_ptr<enqueued_call> const self(static_cast<enqueued_call*>(&call));
    static_cast<void>(call_body(here_of(on), self->function));
  }
  static char const* name_of(detached_call const&) noexcept { return type_text<F>(); }
  static hint hints_of(detached_call const& call) noexcept {
    return as_hint(static_cast<enqueued_call const&>(call).hint_word);
  }
  static constexpr detached_kind kind{
      .run = &call_and_destroy, .name_of = &name_of, .hints_of = std::is_same_v<Hint, unhinted> ? nullptr : &hints_of};

  [[no_unique_address]] Hint const hint_word;
  F function;
};

/// The same with a strategy.
template <class F, strategy S>
struct strategic_call final : detached_call, in_block {
  template <class G>
  strategic_call(hint h, S const& s, G&& f)
      : detached_call{.kind = &kind}, hints(h), order(s), weight(weight_of(s)), function(std::forward<G>(f)) {}

  static void call_and_destroy(detached_call& call, fiber& on) {
    std::unique_ptr<strategic_call> const self(static_cast<strategic_call*>(&call));
    static_cast<void>(call_body(here_of(on), self->function));
  }
  static char const* name_of(detached_call const&) noexcept { return type_text<F>(); }
  static hint hints_of(detached_call const& call) noexcept { return static_cast<strategic_call const&>(call).hints; }
  static offered_task offered(detached_call const& call) noexcept {
    auto const& self = static_cast<strategic_call const&>(call);
    return {.kind = kind_of<S>(), .value = &self.order, .value_size = sizeof(S), .weight = self.weight};
  }
  static void drop(detached_call& call) noexcept { delete static_cast<strategic_call*>(&call); }
  static constexpr detached_kind kind{
      .run = &call_and_destroy, .name_of = &name_of, .hints_of = &hints_of, .offered = &offered, .drop = &drop};

  hint const hints;
  S const order;
  std::uint64_t const weight;
  F function;
};

template <class Hint, class F>
  requires(std::is_same_v<Hint, hint> || std::is_same_v<Hint, unhinted>)
void enqueue_in(region& where, Hint hints, F&& f) {
  if constexpr (!body_of<std::decay_t<F>, here>) {
    static_assert(body_of<std::decay_t<F>, here>, "enqueue: a task is called as f() or f(here)");
  } else {
    auto made = std::make_unique<enqueued_call<std::decay_t<F>, Hint>>(hints, std::forward<F>(f));
    announce(*made, where);
    submit(*made.release());
  }
}
template <class S, class F>
void enqueue_in(region& where, hint hints, S const& s, F&& f) {
  check_strategy<S>();
  if constexpr (!body_of<std::decay_t<F>, here>) {
    static_assert(body_of<std::decay_t<F>, here>, "enqueue: a task is called as f() or f(here)");
  } else if constexpr (strategy<S>) {
    auto made = std::make_unique<strategic_call<std::decay_t<F>, S>>(hints, s, std::forward<F>(f));
    announce(*made, where);
    submit(*made.release());
  }
}
template <class F>
void enqueue_in(region& where, at_most bound, F&& f) {
  if constexpr (!body_of<std::decay_t<F>, here>) {
    static_assert(body_of<std::decay_t<F>, here>, "enqueue: a task is called as f() or f(here)");
  } else {
    auto made = std::make_unique<enqueued_call<std::decay_t<F>, unhinted>>(unhinted{}, std::forward<F>(f));
    bool const has_room = announce(*made, where, bound);
    detached_call& call = *made.release();
    has_room ? submit(call) : run_or_submit(call);
  }
}

}}}  // namespace skua::v0::runtime
