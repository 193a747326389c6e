// SPDX-License-Identifier: MIT
// Senders and receivers (P2300) on Skua's pools, for programs that use NVIDIA/stdexec: a scheduler of a pool, and the backend of
// stdexec's parallel_scheduler (P2079). docs/execution.md
//
//     #include <skua/execution.hpp>
//
//     skua::pool pool;
//     stdexec::sync_wait(stdexec::schedule(skua::pool_scheduler(pool)) | stdexec::then([] { return 42; }));
#pragma once

#if !__has_include(<stdexec/execution.hpp>)
#error \
    "skua/execution.hpp: needs stdexec (github.com/NVIDIA/stdexec): no <stdexec/execution.hpp> among the include directories"
#else

#include <memory>
#include <utility>

#include "skua/execution/parallel_backend.hpp"
#include "skua/execution/stdexec.hpp"

namespace skua { inline namespace v0 {

/// A pool as a scheduler: pool_scheduler(pool). What is scheduled runs as an enqueued task of the pool (pool::enqueue), on its
/// workers, without an allocation. `bulk`, `bulk_chunked` and `bulk_unchunked` with the policies par and par_unseq run as Skua's
/// loops. Copies are cheap, and equal if they are of one pool. The pool must live until what is scheduled has started, and its destructor
/// waits for the rest.
using pool_scheduler = runtime::senders::scheduler<runtime::senders::stdexec_library>;

/// Starts a sender and returns, on the calling thread, when it has completed: its values as std::optional<std::tuple<..>>, nothing if it was
/// stopped; throws its error. The worker of a task runs other tasks meanwhile, as in task_group::wait; a thread that runs no task blocks.
/// get_scheduler and get_delegation_scheduler are pool_scheduler(current_pool()). stdexec::sync_wait in a task does the same for senders that complete on a
/// pool_scheduler, and blocks the worker for others.
template <class Sender>
auto sync_wait(Sender&& sender) {
  return runtime::senders::wait_unblocked(std::forward<Sender>(sender));
}

/// The default pool as the backend of stdexec::parallel_scheduler; always the same object. A program defines, in one source:
///
///     std::shared_ptr<stdexec::parallel_scheduler_replacement::parallel_scheduler_backend>
///     stdexec::parallel_scheduler_replacement::query_parallel_scheduler_backend() {
///       return skua::parallel_scheduler_backend();
///     }
///
/// Throws std::bad_alloc.
inline std::shared_ptr<::stdexec::parallel_scheduler_replacement::parallel_scheduler_backend>
parallel_scheduler_backend() {
  // Never destroyed: destructors of static objects may still schedule.
  static auto const* const only =
      new auto(std::make_shared<runtime::senders::parallel_backend<runtime::senders::stdexec_library>>());
  return *only;
}

}}  // namespace skua::v0
#endif
