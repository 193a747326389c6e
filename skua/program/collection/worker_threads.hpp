// SPDX-License-Identifier: MIT
// Threads that run a rank's tasks, besides the thread that made its collections. machine/ranks has no threads of its
// own; skua/rank_pool.hpp implements this interface with a pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace skua { inline namespace v0 {

/// When a rank with threads answers other ranks. In either case only the thread that made the collections calls MPI.
enum class serving : std::uint8_t {
  server_thread,  ///< at once: that thread runs no tasks, so thieves never wait for the end of a task
  between_tasks,  ///< between tasks: that thread is a worker, too, and polls between its tasks
};

namespace runtime {

/// A function for a thread to run. Its owner keeps it, and may start it again from within `run`.
struct worker_call {
  void (*run)(worker_call&) noexcept;
  alignas(std::max_align_t) std::byte room[192] = {};  ///< for worker_threads, between `start` and `run`
};

/// One thread sets it, once; another one waits for that, at most once.
class one_time_signal {
 public:
  virtual ~one_time_signal() = default;
  [[nodiscard]] virtual bool is_set() const noexcept = 0;
  /// Any thread.
  virtual void set() noexcept = 0;
  /// In a task: its worker runs other tasks of the threads meanwhile. May destroy the signal after it has returned.
  virtual void wait() = 0;
};

/// Laws that the compiler cannot check: after `start(c)` some thread calls c.run(c) once; the calling thread does so
/// only after `start` has returned. The caller's writes are visible to c.run. `start` neither waits nor fails. After
/// c.run has begun, worker_threads does not touch c. When c.run returns, its thread runs other calls, or forks of
/// tasks.
class worker_threads {
 public:
  /// The number of calls that can run at once, at least 1.
  [[nodiscard]] virtual std::uint32_t count() const noexcept = 0;
  /// Any thread.
  virtual void start(worker_call& call) noexcept = 0;
  /// For a task that runs on these threads. Throws std::bad_alloc.
  [[nodiscard]] virtual std::unique_ptr<one_time_signal> make_signal() = 0;

 protected:
  ~worker_threads() = default;
};

}  // namespace runtime
}}  // namespace skua::v0
