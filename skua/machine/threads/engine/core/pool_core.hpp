// SPDX-License-Identifier: MIT
// The inside of a pool: its threads and what they share, namely stacks, sleep state and the list of regions.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "skua/machine/threads/engine/core/first_touches.hpp"
#include "skua/machine/threads/engine/core/observer_list.hpp"
#include "skua/machine/threads/engine/core/oversubscription.hpp"
#include "skua/machine/threads/engine/core/pool_memory.hpp"
#include "skua/machine/threads/engine/core/thread_options.hpp"
#include "skua/machine/threads/engine/core/worker.hpp"
#include "skua/machine/threads/engine/history/history_file.hpp"
#include "skua/machine/threads/engine/outside/detached_tasks.hpp"
#include "skua/machine/threads/engine/outside/visitors.hpp"
#include "skua/machine/threads/engine/sharing/pool_permit.hpp"
#include "skua/machine/threads/engine/sharing/pool_registry.hpp"
#include "skua/machine/threads/engine/sleep/sleep.hpp"
#include "skua/parts/base/announced_atomic.hpp"
#include "skua/parts/base/busy_spell.hpp"
#include "skua/parts/base/options.hpp"
#include "skua/parts/context/block_cache.hpp"
#include "skua/parts/context/stack.hpp"
#include "skua/parts/topology/cpu_mask.hpp"
#include "skua/parts/topology/layout.hpp"
#include "skua/parts/topology/pin.hpp"
#include "skua/parts/trace/trace_file.hpp"

namespace skua { inline namespace v0 {
class pool;
}}  // namespace skua::v0

namespace skua { inline namespace v0 { namespace runtime {

class lent_thread;
class parked_frames;
class stall_watch;

class pool_core {
 public:
  /// Makes the workers' records; `start` makes the threads. `processors`: how many may be used at once, by the mask
  /// `allowed` and the CPU quota.
  pool_core(layout map, settings const& chosen, cpu_mask allowed, std::uint32_t processors);
  /// One worker without a thread, in the image of worker `w` of `host`, for a guest.
  pool_core(pool_core& host, worker_id w);
  ~pool_core();
  pool_core(pool_core const&) = delete;
  pool_core& operator=(pool_core const&) = delete;

  /// Throws resource_error if the system refuses a thread or a stack; then no thread is left running.
  void start();
  /// Call it when the process ends. If nothing is in progress, ends the threads; later calls run alone, each on its own
  /// thread. Otherwise the pool continues until the process is gone. Either way it frees nothing. (exit.md)
  void end_with_process() noexcept;
  /// Which workers may run a task together, if a file says so. Before the first region opens.
  void divide_by(std::shared_ptr<policies::arms::partitions const> p) noexcept { partitions_ = std::move(p); }
  /// Null: there is no file, or it is not about these workers.
  [[nodiscard]] policies::arms::partitions const* partitions_of(layout const& where) const noexcept;

  /// The workers write their events to this trace from now on. Before the first region opens.
  void trace_to(std::unique_ptr<trace::trace_file> t);
  /// The process ends, and the workers do not.
  void note_trace_end() noexcept {
    if (trace_ != nullptr) trace_->note_end();
  }
  /// A program's mark from a thread outside (program/mark.hpp). Does nothing without a trace.
  void note_mark(char const* name, std::uint64_t number) noexcept;

  /// What policies of all workers begin with, and the file to which `save_history` writes. Before the first region opens.
  /// Throws what `expect` throws.
  void remember(std::optional<history_file> h);
  [[nodiscard]] policies::known_times known_to(layout const& where) const noexcept;
  /// Writes what the first region's policy has learnt, if there is a file for it; a failure is noted on stderr.
  void save_history() const noexcept;

  /// Opens a region of these workers, and tells them of it. Throws std::bad_alloc, or what region's constructor throws;
  /// then nothing has changed. All memory is taken here: a worker that finds the new region needs none.
  std::shared_ptr<region> open_region(policies::policy_factory const& make, std::span<worker_id const> members);
  /// Call it when the region's work is done: the workers drop it. Without memory for a shorter list they drop it when the next
  /// region opens or closes; until then they find it empty.
  void close_region(region& r) noexcept;
  /// True if regions besides the first are open. Any thread.
  [[nodiscard]] bool has_further_regions() noexcept;

  /// The region that was opened first, of all workers. It lives as long as the pool.
  [[nodiscard]] region& first_region() noexcept { return *first_region_; }
  [[nodiscard]] detached_tasks& detached() noexcept { return detached_; }
  /// Call it when a task was injected, or a searcher has taken one. If tasks are left in `r` and no sleeper would take them, asks the lent
  /// thread to check whether the workers make progress (lent_thread.md).
  void look_after_enqueued(region& r) noexcept {
    if (r.has_enqueued() && lent_ != nullptr && (!sleep_.anyone_to_wake() || r.workers() < workers()))
      ask_lent_thread();
  }
  /// Null for a guest's pool.
  [[nodiscard]] lent_thread const* lent() const noexcept { return lent_.get(); }
  /// Before the first region opens: the pool that programs know this as.
  void belong_to(pool& p) noexcept { pool_ = &p; }
  [[nodiscard]] pool& known_as() noexcept { return *host().pool_; }
  /// The pool whose guest this is, or this.
  [[nodiscard]] pool_core& host() noexcept { return host_ == nullptr ? *this : *host_; }
  [[nodiscard]] bool is_guest() const noexcept { return host_ != nullptr; }
  [[nodiscard]] layout const& map() const noexcept { return map_; }
  [[nodiscard]] std::uint32_t workers() const noexcept { return static_cast<std::uint32_t>(workers_.size()); }
  [[nodiscard]] worker& worker_at(worker_id w) noexcept { return *workers_[index(w)]; }
  [[nodiscard]] sleep_state<>& sleep() noexcept { return sleep_; }
  [[nodiscard]] stack_pool& stacks() noexcept { return stacks_; }
  [[nodiscard]] block_pool& blocks() noexcept { return host().blocks_; }
  /// The processors that the thread that made the first pool could use. A pinned worker's own mask would be narrower.
  [[nodiscard]] cpu_mask const& allowed() const noexcept { return allowed_; }
  /// True if the user asked for pinned workers: they are bound also while they run tasks (home_processor.hpp).
  [[nodiscard]] bool stays_pinned() const noexcept { return stays_pinned_; }
  /// pool_options::count_forks
  [[nodiscard]] bool counts_forks() const noexcept { return counts_forks_; }
  /// How long a worker searches before it sleeps. With more workers than processors they take turns, and an
  /// idle worker takes turns from busy ones: so all of them together search as long as one per processor would.
  [[nodiscard]] std::uint64_t spin_ns() const noexcept {
    if (is_in_a_hurry_.load(std::memory_order_relaxed)) return 0;  // relaxed: advice, it publishes nothing
    return never_sleeps() ? spin_ns_ : oversubscription_.share_of(spin_ns_);
  }
  [[nodiscard]] bool never_sleeps() const noexcept {
    return spin_ns_ == static_cast<std::uint64_t>(spin_forever.count());
  }
  /// Keeps the pool alive. For threads that are not its workers, while they release something whose end may be the end
  /// of the pool.
  class visit {
   public:
    explicit visit(pool_core& c) noexcept : core_(c) { core_.visitors_.enter(); }
    ~visit() { core_.visitors_.leave(); }
    visit(visit const&) = delete;
    visit& operator=(visit const&) = delete;

   private:
    pool_core& core_;
  };

  /// True in a child of fork(): it has no worker threads, so it must not destroy the pool.
  [[nodiscard]] bool lost_by_fork() const noexcept;
  void check_process() const;  ///< Throws error in such a child.

  // For workers.
  [[nodiscard]] bool closing() const noexcept {
    // acquire: the last work before closing. Pairs with: stop, store.
    return closing_.load(std::memory_order_acquire);
  }
  [[nodiscard]] std::uint64_t regions_version() const noexcept {
    // acquire: a worker may read it because the region with this number woke it. Pairs with: open_region and close_region,
    // increment. A hint: the list is read under the mutex.
    return regions_version_.load_hint(std::memory_order_acquire);
  }
  /// Shares the list of open regions, and returns its number.
  std::uint64_t share_regions(std::shared_ptr<region_list const>& with) noexcept;
  /// Pins the calling thread, which is that of `w`. Returns the outcome as text for reports.
  [[nodiscard]] std::string pin(worker_id w) const;
  void request_attention() noexcept;  ///< in the lanes of all workers that are awake, in all regions
  void request_attention_of_others(worker_id left) noexcept;  ///< the same, but for those of this worker
  /// Wakes a sleeper for tasks from outside and ready frames that any worker may take. For a caller that has left an open place.
  void notify_of_common_work() noexcept;
  /// True if callers leave worker 0's place open for the next one (open_place.md): not while other pools, or a limit on the
  /// awake, read the counts, by which a worker in an open place sleeps.
  [[nodiscard]] bool leaves_places_open() const noexcept {
    return registered_.get() != nullptr && !permit_.is_asked_for() && pool_registry::of_process().has_one_pool();
  }
  void back_off() noexcept;  ///< between two rounds of a search
  /// True: a searcher lets others run between two rounds: workers of another pool, or whoever keeps the processors busy unless it was told never to
  /// sleep. (engine/sharing/sharing.md)
  [[nodiscard]] bool offers_processor(std::uint64_t now) const noexcept {
    if (!never_sleeps() && busy_spell::of_process().is_on(now)) return true;
    pool_registry::entry const* const mine = registered_.get();
    return mine != nullptr &&
           pool_registry::of_process().others_need_processor(*mine, oversubscription_.processors(), now);
  }
  [[nodiscard]] pool_permit const& permit() const noexcept { return permit_; }
  [[nodiscard]] oversubscription& oversubscribed() noexcept { return oversubscription_; }
  /// The observers of the threads that work in this pool, or in the pool of which this is a guest.
  [[nodiscard]] std::shared_ptr<observer_list> const& observers() const noexcept { return observers_; }
  /// Before `start`.
  void begin_threads_with(thread_options how) { thread_options_ = std::move(how); }
  [[nodiscard]] thread_options const& options_of_threads() const noexcept { return thread_options_; }
  [[nodiscard]] first_touches& touches() noexcept { return touches_; }
  /// True if the workers' times are being read: only then callers read the clock.
  void ask_for_times() noexcept {
    if (memory_ != nullptr) memory_->ask_for_times();
  }
  [[nodiscard]] bool times_asked() const noexcept { return memory_ != nullptr && memory_->times_asked(); }
  /// The waiting frames, for the report of a stall; null: the user does not ask for it.
  [[nodiscard]] parked_frames* parked() noexcept { return host().parked_; }
  /// The memory that this pool shows to other processes; null for a guest's.
  [[nodiscard]] std::shared_ptr<pool_memory> const& memory() const noexcept { return memory_; }
  /// True the first time: the caller then reports that stacks are missing.
  [[nodiscard]] bool report_once() noexcept {
    return !reported_.exchange(true, std::memory_order_relaxed);  // relaxed: publishes nothing
  }

 private:
  void ask_lent_thread() noexcept;
  /// The processors to which workers are bound for good; empty: none are.
  [[nodiscard]] std::vector<std::uint32_t> bound_processors() const;
  void stop() noexcept;
  [[nodiscard]] bool retire(region_list const& all) noexcept;
  [[nodiscard]] bool is_unused(region_list const& all) noexcept;
  void end_trace() noexcept;
  /// Writes to the trace what the region's policy has chosen. Under the mutex.
  void note_choices(region const& r) noexcept;
  /// The same for all open regions.
  void note_all_choices() noexcept;
  /// The open regions, with room for one more. Under the mutex. Throws std::bad_alloc.
  [[nodiscard]] std::shared_ptr<region_list> copy_open_regions() const;
  /// Exchanges the list; the caller drops the old one when it has let go of the mutex.
  void publish(std::shared_ptr<region_list const>& list) noexcept;

  pool_core* const host_ = nullptr;
  pool* pool_ = nullptr;  ///< null for a guest's pool
  layout const map_;
  std::shared_ptr<pool_memory> const memory_;          ///< null for a guest's pool
  std::unique_ptr<worker_record> const guest_record_;  ///< of a guest's worker, which no other process sees
  std::shared_ptr<policies::arms::partitions const> partitions_;
  std::optional<history_file> history_;
  std::unique_ptr<trace::trace_file> trace_;  ///< null: none. It outlives the workers
  trace::track outside_;                      ///< for events of no worker; under regions_changing_
  cpu_mask const allowed_;
  bool const pinning_;
  bool const stays_pinned_;
  bool const counts_forks_;
  std::uint64_t const spin_ns_;
  oversubscription oversubscription_;
  first_touches touches_;
  std::uint32_t const process_;  ///< its fork_generation
  stack_pool stacks_;
  block_pool blocks_;
  registered_pool const registered_;
  sleep_state<> sleep_;
  pool_permit permit_;
  std::shared_ptr<observer_list> const observers_;
  thread_options thread_options_;
  std::vector<std::unique_ptr<worker>> workers_;
  announced_atomic<bool> closing_{false};
  std::atomic<bool> is_in_a_hurry_{false};  ///< the process ends: an idle worker sleeps at once
  visitors<> visitors_;
  std::atomic<bool> reported_{false};
  std::unique_ptr<stall_watch> const stall_;  ///< null: not asked for
  parked_frames* const parked_ = nullptr;     ///< of stall_

  detached_tasks detached_;
  std::unique_ptr<lent_thread> const lent_;
  region* first_region_ = nullptr;
  announced_atomic<std::uint64_t> regions_version_{0};
  std::atomic<std::uint64_t> regions_opened_{0};
  // Searchers read what is above in every round, and callers that leave take the mutex.
  alignas(cache_line_bytes) std::mutex regions_changing_;
  std::shared_ptr<region_list const> regions_;  ///< under the mutex
};

}}}  // namespace skua::v0::runtime
