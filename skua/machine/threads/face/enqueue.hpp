// SPDX-License-Identifier: MIT
// enqueue: a task that no join waits for. oneTBB's task_arena::enqueue, rayon's spawn_fifo.
#pragma once

#include <concepts>
#include <utility>

#include "skua/machine/threads/face/detached.hpp"

namespace skua { inline namespace v0 {

/// pool::enqueue on the calling worker's pool; if the caller is no worker, on the default pool, which has no handler
/// for exceptions. A worker runs f() or f(here) once; the call returns at once. Throws what default_pool() throws.
template <class F>
void enqueue(F&& f) {
  runtime::enqueue_in(runtime::pool_of_caller(), runtime::unhinted{}, std::forward<F>(f));
}
/// The same with a hint for the task.
template <runtime::hint_word Hint, class F>
void enqueue(Hint hint, F&& f) {
  runtime::enqueue_in(runtime::pool_of_caller(), as_hint(hint), std::forward<F>(f));
}

/// The same with a strategy, and perhaps a hint before it (pool::enqueue).
template <class S, class F>
  requires(!runtime::hint_word<S> && !std::same_as<S, at_most>)
void enqueue(S const& order, F&& f) {
  runtime::enqueue_in(runtime::pool_of_caller(), {}, order, std::forward<F>(f));
}
template <runtime::hint_word Hint, class S, class F>
void enqueue(Hint hint, S const& order, F&& f) {
  runtime::enqueue_in(runtime::pool_of_caller(), as_hint(hint), order, std::forward<F>(f));
}

/// The same; but while `bound` enqueued tasks of that pool are in flight, the caller runs f before this returns
/// (pool::enqueue).
template <class F>
void enqueue(at_most bound, F&& f) {
  runtime::enqueue_in(runtime::pool_of_caller(), bound, std::forward<F>(f));
}

}}  // namespace skua::v0
