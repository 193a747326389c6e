// SPDX-License-Identifier: MIT
// A worker of a rank during one process(): its queue, its counters, and the record of the tasks that it ran.
// rank_workers.md has the states.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "skua/machine/ranks/collection/task_record.hpp"
#include "skua/machine/ranks/matrix/footprint_meter.hpp"
#include "skua/machine/ranks/protocol/termination.hpp"
#include "skua/machine/ranks/queue/split_queue.hpp"
#include "skua/machine/ranks/trace/rank_trace.hpp"
#include "skua/program/collection/host.hpp"
#include "skua/program/collection/worker_threads.hpp"

namespace skua { inline namespace v0 { namespace ranks {

class rank_workers;

/// Either the thread that called process(), or a call of the rank's threads; one thread at a time.
class alignas(64) rank_worker final : private runtime::collection_site,
                                      private runtime::task_parts,
                                      public runtime::worker_call {
 public:
  /// `queue`: owned by this worker, for the tasks that it spawns and steals. All arguments outlive the worker.
  rank_worker(rank_workers& all, std::uint32_t number, split_queue& queue, task_record& record, worker_trace traced);
  rank_worker(rank_worker const&) = delete;
  rank_worker& operator=(rank_worker const&) = delete;

  void begin() noexcept {
    if (meter_ != nullptr) meter_->restart();
    count_ = {};
    busy_ns_ = 0;
    unread_ = 0;
    stride_ = 1;
  }

  /// From now on records have footprints.
  void measure(task_meter& by) noexcept { meter_ = &by; }

  /// Makes a task the current one: the newest of its own, else one of another worker of the rank. Returns false if
  /// there is none.
  [[nodiscard]] bool take() noexcept;
  /// Runs the current task, or drops it after a failure. `read_ns`: the last reading of the clock. Returns the reading
  /// for the next task. Spawned tasks are not timed one by one: while they are short, the clock is read only after some
  /// of them.
  std::uint64_t run_current(std::uint64_t read_ns) noexcept;
  /// This worker has no next task for now.
  void pause(std::uint64_t read_ns) noexcept {
    if (unread_ > 0) static_cast<void>(read_clock(read_ns));
    traced_.acts(trace::kind::idling);
  }

  /// The current task adds the one in this slot: counts it, and gives it an identity if needed. Returns false if a live
  /// rank has the task already (protocol/recovery.md); it must not be added then.
  [[nodiscard]] bool adds(std::byte* slot);

  [[nodiscard]] std::uint32_t number() const noexcept { return number_; }

  // While it does not run:
  [[nodiscard]] split_queue& queue() noexcept { return queue_; }
  [[nodiscard]] task_record& record() noexcept { return record_; }
  [[nodiscard]] task_count counted() const noexcept { return count_; }
  [[nodiscard]] std::uint64_t busy_ns() const noexcept { return busy_ns_; }

 private:
  [[nodiscard]] std::uint32_t rank() const noexcept override { return rank_; }
  [[nodiscard]] std::uint32_t ranks() const noexcept override;
  [[nodiscard]] std::uint32_t worker() const noexcept override { return number_; }
  [[nodiscard]] std::uint32_t workers() const noexcept override;
  void progress() override;
  void spawn(std::span<std::byte const> task) override;
  void part(std::span<std::byte const> task, bool divides) override;
  void rest(std::span<std::byte const> task) override;

  void work() noexcept;
  [[nodiscard]] bool steal() noexcept;
  [[nodiscard]] bool steal_from(split_queue& victim) noexcept;
  void offer() noexcept;
  task_outcome split_and_call();
  void push(std::span<std::byte const> task, slot_mark mark);
  task_outcome call_measured();
  void keep(std::uint64_t ns) noexcept;
  std::uint64_t read_clock(std::uint64_t read_ns) noexcept;

  rank_workers& all_;
  std::uint32_t const number_;
  std::uint32_t const rank_;
  split_queue& queue_;
  task_record& record_;
  worker_trace traced_;
  task_meter* meter_ = nullptr;  ///< null: nobody asked for footprints
  task_count count_;
  std::uint64_t busy_ns_ = 0;
  std::uint32_t unread_ = 0;        ///< tasks that ran since the clock was read
  std::uint32_t stride_ = 1;        ///< spawned tasks between two readings
  std::uint64_t children_ = 0;      ///< that the current task has added so far
  std::vector<std::byte> current_;  ///< the slot of the current task, aligned to 16 by operator new
};

}}}  // namespace skua::v0::ranks
