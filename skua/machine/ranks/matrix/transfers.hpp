// SPDX-License-Identifier: MIT
// Transfers between this rank's tasks and the windows of all ranks. Any worker asks for one; the rank's server, which alone may
// call the transport, starts and completes it. distributed_matrix.md has the states.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "skua/machine/ranks/collection/added_tasks.hpp"
#include "skua/machine/ranks/communicator/progress_lock.hpp"
#include "skua/machine/ranks/matrix/matrix_traffic.hpp"
#include "skua/machine/ranks/transport/window.hpp"
#include "skua/program/collection/worker_threads.hpp"

namespace skua { inline namespace v0 { namespace ranks {

class footprint_meter;
class task_meter;

[[nodiscard]] char const* name_of(transfer_kind what) noexcept;

/// One get, put or accumulate of a rectangle.
struct transfer {
  window* where = nullptr;
  transfer_kind what = transfer_kind::get;
  std::vector<window_run> runs;
  std::shared_ptr<void const> copy;  ///< what the runs read, if it is not the caller's memory
  std::uint64_t copied_bytes = 0;

  std::unique_ptr<runtime::one_time_signal> done;  ///< for a worker that waits; null: the server waits, or nobody
  bool is_waited_for = false;
  std::exception_ptr failure;  ///< written before `done` is set, and before is_over
  std::uint64_t started = 0;   ///< the server's, as is_over
  bool is_over = false;
};

/// Of one rank. **Each transfer ends once**: it is in `asked_` or in `under_way_` until the server has completed or failed it.
/// **One caller**: only the server calls windows, unless they allow any thread.
class transfers {
 public:
  /// The calling thread is the server. `poll`: what it does while it waits, for so many rounds now; it calls `serve`.
  explicit transfers(std::function<void(std::uint32_t rounds)> poll);
  transfers(transfers const&) = delete;
  transfers& operator=(transfers const&) = delete;

  // --- the server

  /// Workers may ask from now on: a process() begins. `threads`: null if the rank has none.
  void open(runtime::worker_threads* threads);
  /// No worker runs any more: takes what they asked for.
  void close();
  /// A process() ends by an error: every transfer under way fails, and workers that ask throw `why`.
  void fail(std::exception_ptr const& why);
  /// The job has lost a rank, or its communicator ends: as `fail`, and for ever.
  void end(std::exception_ptr const& why);
  /// From now on a progress thread calls `serve`, too, in tasks of this thread. Null: no longer.
  void share(progress_lock<>* lock) noexcept { lock_of_tasks_ = lock; }
  /// Starts what workers asked for, and completes what has arrived. True: something was under way.
  bool serve();
  [[nodiscard]] bool is_busy() const noexcept { return !under_way_.empty(); }
  /// Sleeps until a worker asks, at most this long.
  void rest(std::uint32_t microseconds);
  /// True if a worker may ask.
  [[nodiscard]] bool is_open() const noexcept { return is_open_; }
  /// Returns when no transfer is under way. Throws what a transfer threw for which nobody waited, and what `poll` throws.
  void finish();

  /// From now on tasks count what they use; null: no longer. While no task runs.
  void measure(footprint_meter* by) noexcept {
    meter_.store(by, std::memory_order_release);  // release: what it points to. Pairs with: meter_of_task
  }

  // --- any thread

  /// Counts for the task that calls; null: nobody asked, or the caller is no task.
  [[nodiscard]] task_meter* meter_of_task() const noexcept;
  /// True in the thread that made it.
  [[nodiscard]] bool is_server() const noexcept;
  /// Of all matrices, also those that have ended.
  [[nodiscard]] traffic_counts& counted() noexcept { return counted_; }
  [[nodiscard]] traffic_counts const& counted() const noexcept { return counted_; }
  /// Throws if this rank can transfer no more.
  void expect_usable() const;
  /// Begins the transfer. Throws usage_error in a thread that may not ask now; `matrix`: its name.
  void begin(std::shared_ptr<transfer> const& t, std::string const& matrix);
  /// Returns when it is over. Throws what it threw.
  void wait(transfer& t);
  /// True if `wait` returns at once.
  [[nodiscard]] bool is_over(transfer const& t) const noexcept;
  /// Bytes of copies that have not reached MPI yet.
  [[nodiscard]] std::uint64_t copied_bytes() const noexcept {
    return copied_bytes_.load(std::memory_order_relaxed);  // relaxed: a bound on memory, which may be exceeded
  }

 private:
  void start(std::shared_ptr<transfer> t) noexcept;
  void conclude(transfer& t, std::exception_ptr failure) noexcept;
  void fail_all(std::exception_ptr const& why);

  std::function<void(std::uint32_t)> const poll_;
  std::uint64_t const server_;  ///< its thread
  progress_lock<>* lock_of_tasks_ = nullptr;
  bool is_open_ = false;  ///< the server's
  std::vector<std::shared_ptr<transfer>> under_way_;
  std::exception_ptr unseen_;  ///< of a transfer for which nobody waited; the first one

  added_tasks<std::vector<std::shared_ptr<transfer>>> asked_;
  runtime::worker_threads* threads_ = nullptr;  ///< guarded by the lock of asked_, as the next two
  bool admits_ = false;
  std::exception_ptr refuses_;
  std::atomic<bool> has_ended_{false};
  std::atomic<std::uint64_t> copied_bytes_{0};
  std::atomic<footprint_meter*> meter_{nullptr};
  traffic_counts counted_;

  std::mutex lock_;
  std::condition_variable asks_;
  bool has_asked_ = false;  ///< guarded by lock_
};

}}}  // namespace skua::v0::ranks
