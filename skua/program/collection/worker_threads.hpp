// SPDX-License-Identifier: MIT
// Threads that work for a rank beside the one that made its collections. A machine with threads implements it
// (skua/rank_pool.hpp does over a pool), because machine/ranks has none.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skua { inline namespace v0 {

/// Who answers other ranks where a rank has threads. MPI is called by one thread in either case: the one that made the collections.
enum class serving : std::uint8_t {
  server_thread,  ///< that thread, which runs no task: thieves never wait for the end of one
  between_tasks,  ///< that thread, which is a worker, too, and polls between its tasks
};

namespace runtime {

/// Something that a thread shall run. It is its owner's, and may be started again from within `run`.
struct worker_call {
  void (*run)(worker_call&) noexcept;
  alignas(std::max_align_t) std::byte room[192] = {};  ///< for the threads' use, between `start` and `run`
};

/// Laws that the compiler cannot check: `start(c)` makes c.run(c) happen once, at some time, on some thread, and never before it returns on the
/// calling one; what the caller did is visible there. It neither waits nor fails. Once c.run has begun nobody else touches c.
/// A call that returns gives its thread to others: to other calls, or to the forks of tasks.
class worker_threads {
 public:
  /// How many calls can run at once, at least 1.
  [[nodiscard]] virtual std::uint32_t count() const noexcept = 0;
  /// Any thread.
  virtual void start(worker_call& call) noexcept = 0;

 protected:
  ~worker_threads() = default;
};

}  // namespace runtime
}}  // namespace skua::v0
