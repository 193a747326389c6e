// SPDX-License-Identifier: MIT
// Calls that run on one certain worker: for runtimes whose threads have numbers (skua/openmp). A program's tasks run on any worker.
#pragma once

#include <cstddef>
#include <cstdint>

#include "skua/machine/threads/engine/outside/outside_call.hpp"

namespace skua { inline namespace v0 {

class pool;

namespace runtime {

class region;

/// A function for one worker. It must live until `run` begins; `run` may destroy it.
struct worker_call {
  /// The engine's, between `call_on` and `run`. First, so that it starts at the call's own address.
  alignas(void*) std::byte room[2 * sizeof(void*)] = {};
  void (*run)(worker_call&) noexcept;
};

/// Makes the thread of worker `w` of `where` run the call, after what it runs now. Until `run` returns its fiber is tied: it resumes from each wait
/// on the same thread. Calls for one worker begin in the order in which they were made. Any thread. Cost: a short lock, and a wake-up if the worker sleeps.
void call_on(region& where, std::uint32_t w, worker_call& call) noexcept;

/// Runs the call on the calling thread, which is no worker, in the place of worker 0 of `where`. Waits until that worker sleeps. Throws what the
/// call throws.
void run_as_first(region& where, outside_call& call);

/// The region of the first `workers` workers of the pool, under the pool's policy; that of all workers is the pool's own. Close the others before the
/// pool ends, when nothing runs in them. Throws std::bad_alloc.
[[nodiscard]] region& open_first_workers(pool& all, std::uint32_t workers);
void close_first_workers(pool& all, region& opened) noexcept;

}  // namespace runtime
}}  // namespace skua::v0
