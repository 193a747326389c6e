// SPDX-License-Identifier: MIT
// oneTBB's task_arena, what this_task_arena and info say of the arena around, and global_control. Skua's unit of scheduling is the pool.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include "skua/machine/threads/join/isolate.hpp"
#include "skua/machine/threads/pool/default_region.hpp"
#include "skua/machine/threads/pool/executor.hpp"
#include "skua/machine/threads/pool/pool.hpp"
#include "skua/machine/threads/pool/this_worker.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/topology/cgroup.hpp"
#include "skua/parts/topology/default_workers.hpp"
#include "skua/parts/topology/topology.hpp"

namespace skua::inline v0::tbb {

namespace info {

/// How many workers a pool has by default, SKUA_WORKERS and OMP_NUM_THREADS aside. Reads the machine's topology: some ms.
[[nodiscard]] inline int default_concurrency() {
  return static_cast<int>(
      runtime::count_default_workers(runtime::topology::machine(), runtime::read_cpu_quota()).count);
}

}  // namespace info

namespace this_task_arena {

/// The number of the calling worker, less than max_concurrency(); task_arena::not_initialized for a thread that runs no
/// task. A thread that runs its call alone, because callers and tasks have all workers' places, has number 0: as in oneTBB,
/// where each such thread is the first of an arena of its own. So a worker may have the same number meanwhile.
[[nodiscard]] inline int current_thread_index() noexcept {
  if (std::optional<worker_id> const w = this_worker()) return static_cast<int>(*w);
  return runtime::executor::running() != nullptr ? 0 : -2;
}
/// How many workers a call of this thread can use: those around it, or those of the default pool that a global_control allows.
/// Throws what default_pool() throws.
[[nodiscard]] inline int max_concurrency() { return static_cast<int>(runtime::workers_around()); }
/// As skua::isolate: while f waits, the thread sleeps; oneTBB's runs other tasks of f.
template <class F>
auto isolate(F&& f) {
  return skua::isolate(std::forward<F>(f));
}

}  // namespace this_task_arena

/// A pool of its own, made on first use; oneTBB's arenas share the threads of the process. So make few, and keep them. A thread that calls
/// execute() is one of the workers, whether or not a place was reserved for it. Any thread may call execute and enqueue.
class task_arena {
  friend class task_scheduler_observer;

 public:
  static constexpr int automatic = -1;  ///< as many workers as the default pool has or would have
  static constexpr int not_initialized = -2;

  /// `reserved` is 0 or 1, which mean the same here. Throws usage_error for other numbers.
  explicit task_arena(int max_concurrency = automatic, unsigned reserved = 1) { choose(max_concurrency, reserved); }
  /// As terminate(): waits for all enqueued tasks; oneTBB's does not.
  ~task_arena() { terminate(); }
  task_arena(task_arena const&) = delete;  // oneTBB copies the settings: pass the numbers
  task_arena& operator=(task_arena const&) = delete;

  /// Starts the workers, if they have not been. Throws what pool's constructor throws.
  void initialize() { static_cast<void>(workers()); }
  void initialize(int max_concurrency, unsigned reserved = 1) {
    if (is_active()) return;
    choose(max_concurrency, reserved);
    initialize();
  }
  /// Joins the workers when they have run all enqueued tasks, which may use the arena meanwhile. Waits for calls of execute that are in
  /// progress. A task of the arena that calls it, or calls exit() in a program that keeps the arena, leaves the workers to themselves.
  void terminate() {
    // Whoever uses the pool shares it. So it ends here, and not in one of its own tasks, which cannot wait for themselves.
    for (std::shared_ptr<pool> last; last == nullptr; std::this_thread::yield()) {
      std::shared_ptr<pool> mine = shared();
      if (mine == nullptr) return;
      bool const is_left = mine->lost_by_fork() || (runtime::executor::running() != nullptr &&
                                                    &runtime::pool_of_caller() == &mine->root_region());
      if (!is_left) mine->drain();
      std::scoped_lock const alone(making_);
      if (pool_ != mine) continue;
      mine.reset();
      if (is_left || pool_.use_count() == 1) last = std::move(pool_);
    }
  }
  [[nodiscard]] bool is_active() const { return shared() != nullptr; }
  /// Starts the workers to count them.
  [[nodiscard]] int max_concurrency() { return static_cast<int>(workers()->workers()); }

  /// f() on this arena's workers. Returns its value and throws what it throws.
  template <std::invocable F>
  auto execute(F&& f) {
    return workers()->run([&f](auto&) { return std::forward<F>(f)(); });
  }
  /// Starts f() and returns. Throws what copying f and allocating throw. An exception of f ends the process, as in oneTBB.
  template <class F>
  void enqueue(F&& f) {
    static_assert(std::invocable<std::decay_t<F>&>,
                  "task_arena::enqueue: f is called as f(); a task_handle goes to task_group::run");
    auto const on = workers();
    on->enqueue([function = std::forward<F>(f), on]() mutable { static_cast<void>(function()); });
  }

 private:
  void choose(int max_concurrency, unsigned reserved) {
    if (max_concurrency < 1 && max_concurrency != automatic)
      throw usage_error("task_arena: max_concurrency is " + std::to_string(max_concurrency) +
                        "; allowed: 1 or more, or task_arena::automatic");
    if (reserved > 1)
      throw usage_error("task_arena: reserved is " + std::to_string(reserved) +
                        "; allowed: 0 and 1; several threads may call execute() all the same");
    wanted_ = max_concurrency;
  }
  std::shared_ptr<pool> shared() const {
    std::scoped_lock const alone(making_);
    return pool_;
  }
  std::shared_ptr<pool> workers() {
    std::scoped_lock const alone(making_);
    if (pool_ == nullptr) pool_ = wanted_ == automatic ? std::make_shared<pool>() : std::make_shared<pool>(wanted_);
    return pool_;
  }

  int wanted_ = automatic;
  mutable std::mutex making_;
  std::shared_ptr<pool> pool_;  ///< under making_; shared by calls and enqueued tasks
};

/// While it lives, calls of threads that are no workers use at most so many workers of the default pool, whose number is the most
/// that a limit can allow. The least of all limits holds. Calls in progress, other pools and task arenas keep theirs.
class global_control {
 public:
  enum parameter : std::uint8_t { max_allowed_parallelism };

  /// Throws usage_error for 0.
  global_control(parameter, std::size_t most) : limit_(checked_limit(most)) {}
  global_control(global_control const&) = delete;
  global_control& operator=(global_control const&) = delete;

  /// The least limit; without one, the workers of the default pool, which this starts.
  [[nodiscard]] static std::size_t active_value(parameter) {
    std::uint32_t const least = runtime::worker_limit::least();
    return least == runtime::worker_limit::none ? default_pool().workers() : least;
  }

 private:
  static std::uint32_t checked_limit(std::size_t most) {
    if (most == 0) throw usage_error("global_control: max_allowed_parallelism is 0; allowed: 1 or more");
    return static_cast<std::uint32_t>(std::min(most, std::size_t{runtime::worker_limit::none}));
  }
  runtime::worker_limit const limit_;
};

}  // namespace skua::inline v0::tbb
