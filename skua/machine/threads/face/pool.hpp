// SPDX-License-Identifier: MIT
// A pool of workers, and its regions. Several pools may live at once and nest. Only the default pool is process-wide
// (executor.hpp).
#pragma once

#include <concepts>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "skua/machine/threads/engine/outside/outside_call.hpp"
#include "skua/machine/threads/face/detached.hpp"
#include "skua/machine/threads/fork/join/here.hpp"
#include "skua/machine/threads/lane/worker_counters.hpp"
#include "skua/parts/base/durations.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/settings.hpp"
#include "skua/parts/topology/layout.hpp"
#include "skua/policy/setup.hpp"

namespace skua { inline namespace v0 {

/// The options of a pool. For an option that the program leaves out, the pool reads the environment: SKUA_WORKERS,
/// SKUA_POLICY, SKUA_PLACES, SKUA_PARTITIONS, SKUA_HISTORY, SKUA_TRACE, SKUA_PIN, SKUA_SPIN, SKUA_STACK, SKUA_COUNT_FORKS;
/// OMP_NUM_THREADS and OMP_PLACES if the workers and the places are unset. Otherwise the pool chooses: workers =
/// min(affinity mask, cgroup quota). docs/guide/environment.md lists values and defaults.
struct pool_options {
  std::optional<std::uint32_t> workers = {};
  std::optional<std::string> policy = {};  ///< a name from `skua list`
  std::optional<std::string> places = {};  ///< in the grammar of OMP_PLACES
  std::optional<bool> pin = {};  ///< true: bound for good; unset: see docs/guide/environment.md, "What a body starts"
  /// For `arms`: the path of a file that lists which workers may run a task together, and on which processors they run
  /// (docs/partitions.md).
  std::optional<std::string> partitions = {};
  /// For `auto` and `arms`: the path of a file of what they learn (docs/history.md). The pool reads it when it starts, if
  /// it exists, and writes it when it ends.
  std::optional<std::string> history = {};
  /// The path of a trace of what the workers do, for `skua report` and `skua export` (docs/traces.md). SKUA_TRACE_SIZE
  /// limits it.
  std::optional<std::string> trace = {};
  std::optional<std::chrono::nanoseconds> spin = {};  ///< how long an idle worker searches before it sleeps
  std::optional<std::size_t> stack_bytes = {};        ///< per stack; only touched pages take memory
  /// Count every fork (worker_counters::forks). Otherwise none are, because a count costs a fork a tenth of its price where
  /// forks are cheapest; with it a fork takes a slower path, some 6 ns more (measured on a Xeon).
  std::optional<bool> count_forks = {};
  /// Simulates another machine's topology: a description like "package:4 numa:1 l3:1 core:16", or the path of a file
  /// that hwloc's lstopo has written. Text that ends in ".xml" or contains a "/" is a path.
  std::optional<std::string> topology = {};
  bool scatter = false;  ///< spread workers over the machine instead of packing them
  /// A worker calls it with the exception of each enqueued task that throws; several workers may call it at once. It
  /// must not throw. Without it such an exception ends the process (std::terminate).
  std::function<void(std::exception_ptr)> on_exception = {};
  /// Names the workers' threads NAME/0, NAME/1, .. in ps, top, perf and debuggers, cut to 15 bytes.
  std::string name = "skua";
  /// Each worker's own thread calls them with the worker's number, when it starts and when it ends; several threads may
  /// call them at once. They must not fork or call a pool. The pool's constructor throws what on_worker_begin throws;
  /// on_worker_end must not throw. Threads that call the pool from outside do not call them.
  std::function<void(worker_id)> on_worker_begin = {};
  std::function<void(worker_id)> on_worker_end = {};
};

/// Each setting of a pool and its source, as text. `skua doctor` prints them.
struct pool_facts {
  runtime::settings chosen;
  std::string why_workers;
  std::vector<std::string> pins;  ///< per worker
};

class pool;

namespace runtime {
class pool_core;
class region;

// For what is built on pools.

[[nodiscard]] pool_core& core_of(pool const& p) noexcept;
[[nodiscard]] region& root_region_of(pool const& p) noexcept;
/// True in a child of fork() of the process that made the pool: the child does not have the workers.
[[nodiscard]] bool is_lost_by_fork(pool const& p) noexcept;
/// For the default pool, at exit: writes its files, after running the enqueued tasks to their end unless the caller is
/// a worker. The pool stays usable (exit.md).
void end_with_process(pool& p) noexcept;

}  // namespace runtime

/// A policy over some workers of a pool; pool::open_region returns it. Movable, not copyable. The destructor closes the
/// region; no `run` of it may be in progress then, and the pool must still live. A region that was moved from is empty:
/// it may only be destroyed or assigned to.
class region {
 public:
  region(region&& other) noexcept = default;
  /// First closes the region that this object held.
  region& operator=(region&& other) noexcept;
  ~region();

  /// As pool::run, on this region's workers and under its policy.
  template <class F>
  auto run(F&& f) const {
    return runtime::call_outside(f, [this](runtime::outside_call& c) { run_here(c); });
  }
  /// The number of workers of the region.
  [[nodiscard]] std::uint32_t num_workers() const noexcept;
  /// The name of the region's policy.
  [[nodiscard]] std::string_view policy() const noexcept;

 private:
  friend class pool;
  region(runtime::pool_core& c, std::shared_ptr<runtime::region> r) noexcept;
  void run_here(runtime::outside_call& c) const;
  void close() noexcept;

  runtime::pool_core* core_;
  std::shared_ptr<runtime::region> region_;  ///< null: moved from
};

/// A set of workers, which are threads, and a policy that decides which worker runs which task. Not copyable or
/// movable.
class pool {
 public:
  /// Starts the workers. Throws usage_error, which names the option or the variable, for an invalid value, and
  /// resource_error if the system refuses threads or memory.
  explicit pool(pool_options const& options = {});
  /// pool(4) has 4 workers; pool("adws") has the policy adws. Throws as above.
  template <std::integral Number>
    requires(!std::same_as<Number, bool>)
  explicit pool(Number workers) : pool(of_workers(static_cast<std::int64_t>(workers))) {}
  template <class Name>
    requires std::convertible_to<Name const&, std::string_view>
  explicit pool(Name const& policy) : pool(of_policy(policy)) {}
  /// Runs all enqueued tasks to their end, then joins the workers. No `run` may be in progress, and the pool's regions
  /// must have been closed. It does nothing in a child of fork(), which has no workers to join, and in a task of the
  /// pool that ends the process (exit() destroys static pools).
  ~pool();
  pool(pool const&) = delete;
  pool& operator=(pool const&) = delete;

  /// Runs f(here) or f() on the pool. Returns f's value and throws what it throws. Any thread may call it. A task of
  /// this pool calls f directly. A task of another pool parks until f has returned; its worker runs other tasks
  /// meanwhile. A thread from outside runs f itself, in the place of a worker whose thread sleeps (caller.md), and
  /// counts as one of the workers; cost: docs/measurements.md. If all workers are awake, one of them may run f, or the
  /// caller runs f alone.
  template <class F>
  auto run(F&& f) {
    return runtime::call_outside(f, [this](runtime::outside_call& c) { run_here(c); });
  }

  /// Starts a task that a worker runs once, as f() or f(here), and returns at once. Any thread may call it. Only
  /// `drain` and the destructor wait for the task. Its exception goes to pool_options::on_exception; its value is
  /// discarded. Tasks begin in the order in which they were enqueued, each as soon as a worker is free. A long task or
  /// loop is not interrupted for them. If all workers block and none makes progress for 50 ms, an extra thread runs
  /// them one by one (lent_thread.md). Copies or moves f; one allocation. If these throw, the call throws and has
  /// enqueued nothing.
  template <class F>
  void enqueue(F&& f) {
    runtime::enqueue_in(*root_, runtime::unhinted{}, std::forward<F>(f));
  }
  /// The same with a hint for the task.
  template <runtime::hint_word Hint, class F>
  void enqueue(Hint hint, F&& f) {
    runtime::enqueue_in(*root_, as_hint(hint), std::forward<F>(f));
  }
  /// The same with a strategy, as in `finish` (strategy.hpp). Under a policy that obeys strategies the task is ordered among those
  /// of the worker that is the first to take a task then; so it may begin before tasks that were enqueued earlier, and before
  /// those that the worker has spawned. A task that is_dead() says is dead when its turn comes is destroyed instead of called, and
  /// has ended then. allow_call_conversion() is not asked. While tasks without a strategy wait, a worker takes one of them after each 64 of
  /// these. Under other policies the order is that of the queue, and no function of the strategy but transitive_weight() is called.
  template <class S, class F>
    requires(!runtime::hint_word<S> && !std::same_as<S, at_most>)
  void enqueue(S const& order, F&& f) {
    runtime::enqueue_in(*root_, {}, order, std::forward<F>(f));
  }
  template <runtime::hint_word Hint, class S, class F>
  void enqueue(Hint hint, S const& order, F&& f) {
    runtime::enqueue_in(*root_, as_hint(hint), order, std::forward<F>(f));
  }
  /// The same; but while `bound` enqueued tasks of the pool are in flight, the caller runs f before this returns. For
  /// threads that enqueue tasks faster than workers run them. Rules for callers: at_most.hpp.
  template <class F>
  void enqueue(at_most bound, F&& f) {
    runtime::enqueue_in(*root_, bound, std::forward<F>(f));
  }
  /// Returns when all enqueued tasks have ended, and all tasks that they enqueued. Their writes are then visible. A
  /// worker runs other tasks meanwhile; another thread runs tasks in a sleeping worker's place. Throws usage_error in
  /// an enqueued task of this pool, which would wait for its own end.
  void drain();

  /// Opens a region of the first `workers` workers (0: all) under another policy. Throws usage_error for an unknown
  /// policy, and if the pool has fewer workers.
  [[nodiscard]] region open_region(std::string_view policy, std::uint32_t workers = 0);
  /// The same under the program's own policy, which make(setup) returns (skua/policy/policy.hpp). Workers may use it until
  /// the pool ends, also after the region was closed: so what it refers to outlives the pool. Throws also what `make`
  /// throws.
  template <class Make>
    requires std::invocable<Make&, policies::policy_setup const&>
  [[nodiscard]] region open_region(Make make, std::uint32_t workers = 0) {
    return open_under(policies::policy_factory(std::move(make)), workers);
  }

  /// The number of workers of the pool.
  [[nodiscard]] std::uint32_t num_workers() const noexcept;
  /// The name of the pool's policy.
  [[nodiscard]] std::string_view policy() const noexcept;
  /// The layout of the workers: where each runs, and how far they are from each other.
  [[nodiscard]] skua::layout const& layout() const noexcept;

  // Places, for `at{..}`: groups of workers that share a cache or a NUMA node (SKUA_PLACES; by default an L3 cache).

  /// The number of places, at least one. They are place_id{0}, place_id{1}, ...
  [[nodiscard]] std::uint32_t places() const noexcept;
  /// The workers of a place, at least one, as consecutive ascending numbers. Every worker is in exactly one place.
  /// Throws usage_error if there is no such place.
  [[nodiscard]] std::span<worker_id const> workers_of(place_id p) const;
  /// The place of a worker. Throws usage_error if there is no such worker.
  [[nodiscard]] place_id place_of(worker_id w) const;
  /// Each setting of the pool and its source, as text.
  [[nodiscard]] pool_facts facts() const;

  /// The counters of each worker since the pool was made, with times up to `at`, which may lie slightly in the past. So
  /// a worker's times between two calls sum to exactly the time between them. Cheap; may be called while the pool
  /// works. The pool times calls from outside only after the first call of counters(), or while `skua top` watches,
  /// because two readings of the clock are half the cost of an empty call. Without that they count as idle until they
  /// first wait or steal. Tasks that a lent thread runs or drops (lent_thread.md), and calls that find no worker's place
  /// free, are in no worker's counters.
  [[nodiscard]] std::vector<worker_counters> counters(
      std::chrono::steady_clock::time_point at = std::chrono::steady_clock::now()) const;

  [[deprecated("pool.workers() is now pool.num_workers()")]] [[nodiscard]] std::uint32_t workers() const noexcept {
    return num_workers();
  }

 private:
  friend runtime::pool_core& runtime::core_of(pool const& p) noexcept;
  friend runtime::region& runtime::root_region_of(pool const& p) noexcept;
  friend void runtime::end_with_process(pool& p) noexcept;
  static pool_options of_workers(std::int64_t workers);
  static pool_options of_policy(std::string_view name);
  void run_here(runtime::outside_call& c) const;
  [[nodiscard]] region open_under(policies::policy_factory const& make, std::uint32_t workers);

  pool_facts facts_;
  std::unique_ptr<runtime::pool_core> core_;
  std::shared_ptr<runtime::region> root_;
};

/// The pool whose task or call the calling thread runs; in a thread that runs none, the default pool, which it makes if
/// there is none. Throws what default_pool() throws. In a child of fork() inside a task it is the parent's pool, whose
/// calls throw. Cost: 2 ns.
[[nodiscard]] pool& current_pool();

}}  // namespace skua::v0
