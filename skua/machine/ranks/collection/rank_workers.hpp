// SPDX-License-Identifier: MIT
// The workers of one rank for one collection. They steal from each other; the thread that called process() serves them
// and the other ranks. rank_workers.md has the states and the proof that a quiet rank is quiet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "skua/machine/ranks/collection/added_tasks.hpp"
#include "skua/machine/ranks/collection/poll_pace.hpp"
#include "skua/machine/ranks/collection/rank_failure.hpp"
#include "skua/machine/ranks/collection/rank_worker.hpp"
#include "skua/machine/ranks/collection/worker_roster.hpp"
#include "skua/machine/ranks/communicator/communicator_core.hpp"
#include "skua/machine/ranks/protocol/process_engine.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// The server is the thread that calls process(). With `serving::between_tasks`, or without threads, it is also worker
/// 0.
class rank_workers final : public queue_choice {
 public:
  /// Makes as many workers as `core` has now. `arrivals`: the server's queue, for tasks of other ranks; `record`: the
  /// server's, if it is a worker.
  /// `log`: null if lost tasks are not recovered.
  rank_workers(communicator_core& core, runtime::task_binding const& binding, slot_shape shape, split_queue& arrivals,
               task_record& record, recovery_log* log, std::uint64_t limit);
  ~rank_workers();

  [[nodiscard]] std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(workers_.size()); }
  [[nodiscard]] bool has_threads() const noexcept { return threads_ != nullptr; }

  // --- the server

  /// The worker that the server is; null: it only serves.
  [[nodiscard]] rank_worker* server_as_worker() noexcept { return server_works_ ? workers_.front().get() : nullptr; }
  /// From now on records have footprints. `by`: of as many workers.
  void measure(footprint_meter& by) noexcept {
    for (auto const& w : workers_) w->measure(by.of(w->number()));
  }
  /// A new process() begins.
  void begin();
  /// This many tasks came to the server's queue in another way.
  void count_seeded(std::uint64_t tasks) noexcept { seeded_ += tasks; }
  /// Moves added tasks to the server's queue, and wakes workers for shared tasks.
  void look_after();
  /// True if some worker is idle, and no queue of the rank has a task for it.
  [[nodiscard]] bool want_tasks() noexcept { return some_idle() && fullest().shared() == 0; }
  /// True if no task waits, and none runs. Then `counted` is exact.
  [[nodiscard]] bool are_quiet() noexcept;
  [[nodiscard]] task_count counted() const noexcept;
  [[nodiscard]] std::uint64_t busy_ns() const noexcept;
  /// After process(): appends the other workers' records to the server's record.
  void merge_records();
  [[nodiscard]] std::uint64_t waiting() const;
  /// Between two process(): tasks that were added or restored will not run.
  void drop_waiting();

  // Between two process(), without other threads that add: the works of tasks that wait, in the order in which they were added.

  /// One for each waiting task? Then they are those of these tasks, and there is at least one.
  [[nodiscard]] bool are_weighed() const noexcept { return !works_.empty() && works_.size() == waiting(); }
  [[nodiscard]] double largest_work() const noexcept;
  /// Of the tasks that wait with a work; infinite if it is too large for a double.
  [[nodiscard]] double sum_of_works() const noexcept;
  /// Moves the waiting tasks to the server's record, the newest first, with their loads for times (task_work.hpp). `largest`: of the
  /// works of all ranks. Precondition: are_weighed(), or none waits.
  void record_waiting(double largest);
  /// Room for one more, so that `weigh` cannot fail.
  void prepare_weighing();
  /// The newest waiting task of the server's queue has this work.
  void weigh(double work) noexcept { works_.push_back(work); }
  /// After an error other than a task's: returns when no worker runs.
  void stop() noexcept;
  [[nodiscard]] split_queue& fullest() noexcept override;

  // --- any thread

  /// Adds a copy of the task. `work`: 0 for none.
  void add(std::span<std::byte const> task, bool spawned, double work = 0);
  /// A task of this rank threw: no worker begins another one. Only the first failure is kept.
  void fail(std::exception_ptr what) noexcept { failure_.fail(std::move(what)); }
  /// A task of another rank threw: no worker begins another one.
  void cancel() noexcept { failure_.cancel(); }
  [[nodiscard]] bool is_cancelled() const noexcept { return failure_.is_cancelled(); }
  /// The failure of this rank; null: none.
  [[nodiscard]] std::exception_ptr failure() const { return failure_.first(); }

  // --- its workers

  /// What the tasks of this worker lend while they run; null: nothing.
  [[nodiscard]] progress_lock<>* lent_by(rank_worker const& who) noexcept {
    return server_works_ && workers_.front().get() == &who ? core_.lock_of_tasks() : nullptr;
  }
  /// True if the task can split.
  [[nodiscard]] bool divides(std::span<std::byte const> task) const {
    return binding_.divides != nullptr && binding_.divides(task);
  }
  [[nodiscard]] slot_mark mark_of_new(bool spawned, bool divides) const noexcept {
    return {.origin = core_.network().rank(),
            .spawned = static_cast<std::uint16_t>(spawned),
            .divides = static_cast<std::uint16_t>(divides)};
  }
  [[nodiscard]] transport& network() noexcept { return core_.network(); }
  [[nodiscard]] runtime::task_binding const& binding() const noexcept { return binding_; }
  [[nodiscard]] slot_shape const& shape() const noexcept { return shape_; }
  [[nodiscard]] recovery_log* log() const noexcept { return log_; }
  [[nodiscard]] split_queue& arrivals() noexcept { return arrivals_; }
  [[nodiscard]] split_queue& queue_of(std::uint32_t worker) noexcept { return workers_[worker]->queue(); }
  [[nodiscard]] bool some_idle() const noexcept { return has_threads() && roster_.some_idle(); }
  /// Wakes an idle worker. Returns false if all run.
  bool start_one() noexcept;
  /// The last call of a worker that runs on one of the rank's threads.
  void ended(rank_worker const& who) noexcept;
  /// Polls if the calling thread is the server.
  void progress_of(rank_worker const& who);
  /// Of the server between its tasks and in them.
  [[nodiscard]] poll_pace& pace() noexcept { return pace_; }

 private:
  void bring_added();
  void drop_added() noexcept;
  /// The number of the first worker other than the server.
  [[nodiscard]] std::uint32_t first_of_threads() const noexcept { return server_works_ ? 1 : 0; }

  /// The queue and the record of a worker other than the server.
  struct belongings {
    belongings(slot_shape shape, std::uint64_t limit) : queue(shape.bytes(), limit), record(shape) {}
    split_queue queue;
    task_record record;
  };

  communicator_core& core_;
  runtime::task_binding const binding_;
  slot_shape const shape_;
  split_queue& arrivals_;
  task_record& record_;
  recovery_log* const log_;
  std::uint64_t const limit_;
  runtime::worker_threads* const threads_;
  bool const server_works_;
  std::vector<std::unique_ptr<belongings>> belongings_;
  std::vector<std::unique_ptr<rank_worker>> workers_;
  worker_roster<> roster_;  ///< of the workers other than the server
  std::uint64_t seeded_ = 0;
  std::uint64_t server_ = 0;  ///< the number of the thread that called process()
  poll_pace pace_;

  added_tasks<std::vector<std::byte>> added_;  ///< slots
  /// Of tasks that wait: all of them have one if there are as many. Changed under the lock of added_ if there are threads.
  std::vector<double> works_;

  rank_failure<std::exception_ptr> failure_;
};

}}}  // namespace skua::v0::ranks
