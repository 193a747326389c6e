// SPDX-License-Identifier: MIT
// Calls that run on one certain worker: for runtimes whose threads have numbers (skua/openmp). A program's tasks run on any worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "skua/machine/threads/engine/outside/outside_call.hpp"
#include "skua/parts/topology/cpu_mask.hpp"

namespace skua { inline namespace v0 {

class pool;

namespace runtime {

class region;
struct observed_calls;

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

/// For a tied fiber that spins: its worker runs something else first if it finds anything, and then resumes the fiber. Does nothing in a thread that is
/// no worker, or if there is no memory. Cost: about that of two tasks.
void yield_to_others() noexcept;

/// The process ends, and this pool with it: closes its trace, if it has one. Its workers may still run.
void note_trace_end(pool& all) noexcept;

/// Where the runtime notes its calls for `skua top`; as long as the pool.
[[nodiscard]] observed_calls& observed_calls_of(pool& all) noexcept;

// A thread that waits without the engine: the kernel may have put two of a pool on one processor, and wakes threads near their wakers
// (engine/callers/caller.md, "Processors"). For threads in a worker's place; others are left alone.

/// True if frames have parked here that only this thread may resume: then it must not block, but wait through the engine.
[[nodiscard]] bool holds_tied_frames() noexcept;

/// For a thread that spins: moves it to its worker's processor, at most once a millisecond. Cost: getcpu if it is there.
void come_home() noexcept;

/// For a thread that is about to block: while it lives, the thread is bound to its worker's processor, so that it wakes there. Cost: four system calls.
class bound_home {
 public:
  bound_home() noexcept;
  ~bound_home();
  bound_home(bound_home const&) = delete;
  bound_home& operator=(bound_home const&) = delete;

 private:
  std::optional<cpu_mask> before_;
};

}  // namespace runtime
}}  // namespace skua::v0
