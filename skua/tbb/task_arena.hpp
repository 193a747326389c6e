// SPDX-License-Identifier: MIT
// oneTBB's task_arena, what this_task_arena and info say of the arena around, and global_control. Skua's unit of scheduling is the pool.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
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

#include "skua/machine/threads/engine/outside/outside_call.hpp"
#include "skua/machine/threads/face/default_region.hpp"
#include "skua/machine/threads/face/enqueue.hpp"
#include "skua/machine/threads/face/executor.hpp"
#include "skua/machine/threads/face/isolate.hpp"
#include "skua/machine/threads/face/pool.hpp"
#include "skua/machine/threads/face/this_worker.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/tbb/attach.hpp"
#include "skua/tbb/constraints.hpp"
#include "skua/tbb/missing.hpp"

namespace skua { inline namespace v0 { namespace tbb {

namespace this_task_arena {

/// The number of the calling worker, less than max_concurrency(); task_arena::not_initialized for a thread that runs no
/// task. In a task_arena no two bodies that run at once have the same one. A thread that calls without an arena runs its call
/// alone, with number 0, if callers and tasks have all workers' places: as in oneTBB, where it is the first of an arena of its
/// own. So has the thread that a pool lends to what is enqueued (docs/guide/waiting.md), and a task_arena, too.
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
/// As skua::enqueue.
template <class F>
void enqueue(F&& f) {
  skua::enqueue(std::forward<F>(f));
}

}  // namespace this_task_arena

/// A pool of its own, made on first use; oneTBB's arenas share the threads of the process. So make few, and keep them. A thread that calls
/// execute() is one of the workers, whether or not a place was reserved for it. Any thread may call execute and enqueue.
class task_arena {
  friend class task_scheduler_observer;

 public:
  static constexpr int automatic = -1;  ///< as many workers as the default pool has or would have
  static constexpr int not_initialized = -2;

  /// A wish to the kernel: the threads of a `low` arena are nicer by 10, those of a `high` one by -5 if the process may ask for that.
  enum class priority : std::uint8_t { low, normal, high };
  using constraints = tbb::constraints;
  struct attach : tbb::attach {};

  /// `reserved` is 0 or 1, which mean the same here. Throws usage_error for other numbers.
  explicit task_arena(int max_concurrency = automatic, unsigned reserved = 1, priority p = priority::normal) {
    choose({.max_concurrency = max_concurrency}, reserved, p);
  }
  /// The workers are bound to the processors that the constraints choose, if they choose any.
  explicit task_arena(constraints const& c, unsigned reserved = 1, priority p = priority::normal) {
    choose(c, reserved, p);
  }
  /// The pool around the calling task, which must outlive this arena; outside of tasks as task_arena().
  explicit task_arena(tbb::attach) { static_cast<void>(attach_to_caller()); }
  /// With the settings of the other one; not its workers.
  task_arena(task_arena const& other) : where_(other.where_), priority_(other.priority_) {
    if (other.attached() != nullptr) where_.max_concurrency = static_cast<int>(other.attached_workers_);
  }
  task_arena& operator=(task_arena const&) = delete;
  /// As terminate(): waits for all enqueued tasks; oneTBB's does not.
  ~task_arena() { terminate(); }

  /// Starts the workers, if they have not been. Throws what pool's constructor throws.
  void initialize() {
    if (attached() == nullptr) static_cast<void>(workers());
  }
  void initialize(int max_concurrency, unsigned reserved = 1, priority p = priority::normal) {
    initialize({.max_concurrency = max_concurrency}, reserved, p);
  }
  void initialize(constraints const& c, unsigned reserved = 1, priority p = priority::normal) {
    if (is_active()) return;
    choose(c, reserved, p);
    initialize();
  }
  /// False: there is no pool around, or the arena is active already.
  bool initialize(tbb::attach) { return !is_active() && attach_to_caller(); }
  /// Joins the workers when they have run all enqueued tasks, which may use the arena meanwhile. Waits for calls of execute that are in
  /// progress. A task of the arena that calls it, or calls exit() in a program that keeps the arena, leaves the workers to themselves.
  void terminate() {
    attached_.store(nullptr, std::memory_order_relaxed);  // relaxed: says nothing of what was attached
    // Whoever uses the pool shares it. So it ends here, and not in one of its own tasks, which cannot wait for themselves.
    for (std::shared_ptr<pool> last; last == nullptr; std::this_thread::yield()) {
      std::shared_ptr<pool> mine = shared();
      if (mine == nullptr) return;
      bool const is_left =
          runtime::is_lost_by_fork(*mine) ||
          (runtime::executor::running() != nullptr && &runtime::pool_of_caller() == &runtime::root_region_of(*mine));
      if (!is_left) mine->drain();
      std::scoped_lock const alone(making_);
      if (pool_ != mine) continue;
      mine.reset();
      if (is_left || pool_.use_count() == 1) last = std::move(pool_);
    }
  }
  [[nodiscard]] bool is_active() const { return attached() != nullptr || shared() != nullptr; }
  /// Starts the workers to count them.
  [[nodiscard]] int max_concurrency() {
    return static_cast<int>(attached() != nullptr ? attached_workers_ : workers()->num_workers());
  }

  /// f() on this arena's workers: by the calling thread, if a place there is free; else the thread waits until one of them has run
  /// f. Returns its value and throws what it throws.
  template <std::invocable F>
  auto execute(F&& f) {
    auto const call = [&f](auto&) { return std::forward<F>(f)(); };
    if (runtime::region* const around = attached())
      return runtime::call_outside(call, [around](runtime::outside_call& c) { runtime::run_in(*around, c); });
    auto const on = workers();
    return runtime::call_outside(
        call, [&on](runtime::outside_call& c) { runtime::run_in_a_place(runtime::root_region_of(*on), c); });
  }
  /// Starts f() and returns. Throws what copying f and allocating throw. An exception of f ends the process, as in oneTBB.
  template <class F>
  void enqueue(F&& f) {
    static_assert(std::invocable<std::decay_t<F>&>,
                  "task_arena::enqueue: f is called as f(); a task_handle goes to task_group::run");
    if (runtime::region* const around = attached())
      return runtime::enqueue_in(*around, runtime::unhinted{},
                                 [function = std::forward<F>(f)]() mutable { static_cast<void>(function()); });
    auto const on = workers();
    on->enqueue([function = std::forward<F>(f), on]() mutable { static_cast<void>(function()); });
  }

 private:
  void choose(constraints const& c, unsigned reserved, priority p) {
    if (c.max_concurrency < 1 && c.max_concurrency != automatic)
      throw usage_error("task_arena: max_concurrency is " + std::to_string(c.max_concurrency) +
                        "; allowed: 1 or more, or task_arena::automatic");
    if (reserved > 1)
      throw usage_error("task_arena: reserved is " + std::to_string(reserved) +
                        "; allowed: 0 and 1; several threads may call execute() all the same");
    where_ = c;
    priority_ = p;
  }
  bool attach_to_caller() {
    if (runtime::executor::running() == nullptr) return false;
    attached_workers_ = runtime::workers_around();
    // release: the number of workers. Pairs with: attached, load
    attached_.store(&runtime::pool_of_caller(), std::memory_order_release);
    return true;
  }
  [[nodiscard]] runtime::region* attached() const noexcept {
    return attached_.load(std::memory_order_acquire);  // acquire: pairs with attach_to_caller, store
  }
  [[nodiscard]] std::shared_ptr<pool> make_pool() const {
    pool_options o;
    if (where_.max_concurrency != automatic) o.workers = where_.max_concurrency;
    if (where_.choose_processors()) {
      std::string places;
      for (std::uint32_t const pu : info::processors_of(where_))
        places += (places.empty() ? "{" : ",{") + std::to_string(pu) + "}";
      o.workers = info::default_concurrency(where_);
      o.places = std::move(places);
      o.pin = true;
    }
    constexpr int nicer = 10;
    constexpr int less_nice = -5;
    if (priority_ != priority::normal) {
      o.on_worker_begin = [by = priority_ == priority::low ? nicer : less_nice](worker_id) {
        static_cast<void>(::setpriority(PRIO_PROCESS, 0, by));  // of the calling thread, on Linux
      };
    }
    return std::make_shared<pool>(o);
  }
  std::shared_ptr<pool> shared() const {
    std::scoped_lock const alone(making_);
    return pool_;
  }
  std::shared_ptr<pool> workers() {
    std::scoped_lock const alone(making_);
    if (pool_ == nullptr) pool_ = make_pool();
    return pool_;
  }

  constraints where_;
  priority priority_ = priority::normal;
  std::atomic<runtime::region*> attached_{nullptr};  ///< in the pool that it was attached to; tasks look meanwhile
  std::uint32_t attached_workers_ = 0;
  mutable std::mutex making_;
  std::shared_ptr<pool> pool_;  ///< under making_; shared by calls and enqueued tasks
};

/// While it lives, calls of threads that are no workers use at most so many workers of the default pool, whose number is the most
/// that a limit can allow. The least of all limits holds. Calls in progress, other pools and task arenas keep theirs.
class global_control {
 public:
  enum parameter : std::uint8_t { max_allowed_parallelism };
  struct missing_parameter {};
  static constexpr missing_parameter thread_stack_size{};
  static constexpr missing_parameter terminate_on_exception{};
  static constexpr missing_parameter scheduler_handle{};

  /// Throws usage_error for 0.
  global_control(parameter, std::size_t most) : limit_(checked_limit(most)) {}
  template <std::same_as<missing_parameter> Missing>
  global_control(Missing, std::size_t) : limit_(1) {
    static_assert(
        is_offered<Missing>,
        "global_control: Skua has max_allowed_parallelism only; a pool has stack_bytes, and SKUA_STACK is for "
        "all");
  }
  global_control(global_control const&) = delete;
  global_control& operator=(global_control const&) = delete;

  /// The least limit; without one, the workers of the default pool, which this starts.
  [[nodiscard]] static std::size_t active_value(parameter) {
    std::uint32_t const least = runtime::worker_limit::least();
    return least == runtime::worker_limit::none ? default_pool().num_workers() : least;
  }

 private:
  static std::uint32_t checked_limit(std::size_t most) {
    if (most == 0) throw usage_error("global_control: max_allowed_parallelism is 0; allowed: 1 or more");
    return static_cast<std::uint32_t>(std::min(most, std::size_t{runtime::worker_limit::none}));
  }
  runtime::worker_limit const limit_;
};

}}}  // namespace skua::v0::tbb
