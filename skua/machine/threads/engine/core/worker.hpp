// SPDX-License-Identifier: MIT
// A worker: a thread that asks its policies where to look for tasks, runs what it finds, and reports the outcome.
// README.md shows its life.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "skua/machine/threads/engine/core/departure.hpp"
#include "skua/machine/threads/engine/core/home_processor.hpp"
#include "skua/machine/threads/engine/core/isolation_mark.hpp"
#include "skua/machine/threads/engine/core/observer_list.hpp"
#include "skua/machine/threads/engine/core/region.hpp"
#include "skua/machine/threads/engine/core/region_turns.hpp"
#include "skua/machine/threads/engine/core/shared_pool.hpp"
#include "skua/machine/threads/engine/core/worker_flows.hpp"
#include "skua/machine/threads/fork/fiber/frame.hpp"
#include "skua/machine/threads/fork/fiber/should_yield.hpp"
#include "skua/machine/threads/fork/fiber/worker_trace.hpp"
#include "skua/machine/threads/fork/finish/finish_region.hpp"
#include "skua/machine/threads/fork/join/here.hpp"
#include "skua/machine/threads/lane/leaf_log.hpp"
#include "skua/machine/threads/lane/wait_reason.hpp"
#include "skua/parts/base/clock.hpp"
#include "skua/parts/context/block_cache.hpp"
#include "skua/parts/context/context.hpp"
#include "skua/parts/context/current.hpp"
#include "skua/parts/context/stack.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class pool_core;

class worker final : public thread_record, private thread_owner {
 public:
  /// What a search has found: a task or a frame; nothing if `slot` is null.
  struct found {
    worker_slot* slot = nullptr;
    tagged_entry taken{};
    runtime::lane lane = runtime::lane::forks;
    worker_slot* victim = nullptr;  ///< from which it was stolen

    /// True if others will find more: where it was stolen, among the tasks from outside, or here, because it stands for several children.
    [[nodiscard]] bool leaves_more() const noexcept;
  };

  /// Throws std::bad_alloc.
  worker(pool_core& c, worker_id number, worker_record& record);
  worker(worker const&) = delete;
  worker& operator=(worker const&) = delete;

  /// Throws resource_error if the system refuses the thread or its stack.
  void start();
  /// Returns when the thread is pinned and asleep. Throws what prevented that; the thread has then ended.
  void await_ready();
  void join() noexcept;
  /// Call it while the worker's thread waits and its place is not lent: the worker keeps only the stack that it runs on.
  void give_stacks_back() noexcept {
    tsan::unseen const of_the_worker;
    flows_.stacks.flush();
  }
  /// Under the same condition: true if no frame that was tied to it is ready.
  [[nodiscard]] bool holds_nothing() const noexcept { return !has_tied_ready() && flows_.ready == nullptr; }

  /// The worker of the calling thread; null if the thread is not a worker.
  [[nodiscard]] static worker* current() noexcept;
  /// Call it when a worker was woken. If the calling thread is in the place of a pinned worker, it goes to that worker's
  /// processor, or is bound there until its call ends (home_processor.hpp). Cost: getcpu, seldom system calls.
  static void stay_in_place() noexcept;

  [[nodiscard]] pool_core& pool() noexcept { return core_; }
  [[nodiscard]] worker_id number() const noexcept { return number_; }
  /// The kernel's number of the worker's own thread.
  [[nodiscard]] int thread_number() const noexcept { return thread_number_; }
  /// The fiber that is running. Valid while a task runs.
  [[nodiscard]] fiber& running_fiber() const noexcept { return *running(); }
  [[nodiscard]] live_counters& counts() noexcept { return counts_; }
  /// Counts the outside callers in this worker's place: one at the begin of each, and one at its end.
  [[nodiscard]] counter& calls() noexcept { return record_.calls; }
  [[nodiscard]] leaf_log& leaves() noexcept { return leaves_; }
  /// Set while the running fiber is isolated, so that this worker takes nothing.
  [[nodiscard]] isolation_mark<>& isolation() noexcept { return isolation_; }
  /// For the thread in this place: true if frames wait that only this thread may resume.
  [[nodiscard]] bool holds_tied_frames() const noexcept { return !departure_.is_free(); }
  [[nodiscard]] home_processor& home() noexcept { return home_; }
  [[nodiscard]] home_processor const& home() const noexcept { return home_; }
  [[nodiscard]] worker_trace& traced() noexcept { return trace_; }
  /// Before `start`.
  void trace_to(trace::track const& to) noexcept;
  /// What this worker counts for the finish region that it is inside of.
  [[nodiscard]] finish_share<finish_region>& share() noexcept { return share_; }
  [[nodiscard]] kept_next& kept() noexcept { return kept_; }
  /// Sends a frame whose region has ended, if there is one, to where it belongs.
  static void send_if_ready(parked<>* f) noexcept {
    if (f != nullptr) [[unlikely]]
      send_home(static_cast<frame&>(*f));
  }
  /// Adds this worker's count to the finish region that it is inside of, because it turns to other work.
  void leave_finish() noexcept {
    tsan::unseen const of_the_worker;
    send_if_ready(share_.leave());
  }
  /// True if spawns of the running fiber may run inline: less than half of its stack is used, or, on a caller's own stack, whose
  /// size is expensive to query, less than 3/8 of a pool's stack since its call.
  [[nodiscard]] bool has_room_for_calls() const noexcept;
  /// For a caller that comes when nobody searches: its next push asks for attention. (sleep.md, "Lanes of sleepers")
  void request_attention_of_own() noexcept;
  // Tells the observers of the pool that this thread begins to work there, or stops; `observer_list` says when. Cost without observers: a load.
  void enter_observed() noexcept {
    if (has_newer_observers()) [[unlikely]]
      say_entered();
  }
  void leave_observed() noexcept {
    if (entered() != 0) [[unlikely]]
      say_left();
  }
  /// From now on this worker's time counts as `what`. Cost: one clock reading.
  void begin(activity what) noexcept {
    counts_.times.change_to(what, now_ns());
    trace_.begins(what, counts_.attempts.read());
  }
  /// A task or frame of this region runs here from now on; null: nothing does.
  void serves(region const* r) noexcept {
    if (serves_.load(std::memory_order_relaxed) != r) serves_.store(r, std::memory_order_relaxed);  // relaxed: a hint
  }
  /// True if a task or frame of another region runs here. A hint. Any thread.
  [[nodiscard]] bool serves_other_than(region const& r) const noexcept {
    region const* const at = serves_.load(std::memory_order_relaxed);  // relaxed: a hint, never followed
    return at != nullptr && at != &r;
  }
  /// As in turns.
  [[nodiscard]] bool turns_away(worker_slot const& s) const noexcept;
  /// As duties::may_go_on, but for ready frames.
  [[nodiscard]] bool may_go_on_in(region const& mine) const noexcept {
    tsan::unseen const of_the_worker;
    return !departure_.is_waited_for() && !has_new_regions() && !turns::others_wait(*this, mine);
  }
  /// As turns::others_wait.
  [[nodiscard]] bool other_regions_wait(region const& mine) const noexcept;
  [[nodiscard]] std::string const& pin_report() const noexcept { return pin_report_; }

  /// Puts an entry into the lane of another worker, or of a team's, as the policy decided. Returns false if the entry stays here.
  [[nodiscard]] static bool send(worker_slot& from, tagged_entry& entry, placement const& to) noexcept;
  [[nodiscard]] static bool send_one(worker_slot& from, tagged_entry& entry, placement const& to) noexcept;
  void move(fiber& on, placement const& to, task_tag const& tag) noexcept;
  /// Preempts the fiber in favour of an entry that another worker put into the mailbox: the fiber goes to a lane of this worker.
  void preempt(fiber& on) noexcept;

  /// Sends a ready frame to its worker, if it is tied to one, or else to its region. It resumes before a worker
  /// there begins another task. Any thread.
  static void send_home(frame& f) noexcept;
  /// Ready frames that only the present thread, or only this worker, may resume.
  [[nodiscard]] injector<> const& tied_ready() const noexcept { return tied_ready_; }

  /// The ready frame that this worker's thread alone may resume, and takes next, by its number; 0: none. For that thread.
  [[nodiscard]] std::uint64_t tied_ready_frame() const noexcept {
    tsan::unseen const of_the_worker;
    return has_tied_ready() ? tied_taken_ + 1 : 0;
  }

  /// Suspends the running fiber, which waits for `g` and accounts for `mine` of its children, and runs other work.
  /// Returns when the fiber is resumed, perhaps on another thread. Returns false, without effect, if the system
  /// refuses a stack.
  [[nodiscard]] bool park(fiber& waiting, group& g, std::uint64_t mine) noexcept;
  /// Waits without a fresh stack: tasks run on top of the fiber, or the worker leaves for a ready frame, which has a
  /// stack.
  static void wait_in_place(fiber& waiting, group& g, std::uint64_t mine) noexcept;
  /// The fiber is about to wait for this task_group. If one of its tasks lies beneath the fiber on the same stack, the
  /// wait cannot end: ends the process with a message that names the limits.
  static void expect_none_beneath(fiber const& waiting, wait_group const& tasks) noexcept;
  /// Waits and only records steals: the worker runs nothing meanwhile.
  void wait_alone(fiber& waiting, group const& g, std::uint64_t mine) noexcept;

  /// States what the next wait of the running fiber is for.
  void keep_reason(wait_reason const& why) noexcept {
    tsan::unseen const of_the_worker;
    flows_.next_wait = why;
  }
  /// What the fiber on top of this worker waits for without a frame of its own; null: it does not wait. Any thread.
  [[nodiscard]] char const* waits_in_place_for() const noexcept {
    return in_place_for_.load(std::memory_order_relaxed);  // relaxed: a literal
  }

 private:
  friend struct work_search;
  friend struct next_step;
  friend struct turns;
  friend class caller;
  [[nodiscard]] fiber* running() const noexcept { return static_cast<fiber*>(flow); }
  void run_from_now_on(fiber* f) noexcept { flow = f; }
  void thread_main() noexcept;
  void sleep_at_first() noexcept;
  static void fiber_main(void* self) noexcept;
  static void run_loop(fiber& on) noexcept;

  // One round of the search: ask the policy, execute its probe, report the outcome.
  [[nodiscard]] found take_ready() noexcept;
  [[nodiscard]] bool has_tied_ready() const noexcept { return !tied_ready_.looks_empty(); }
  [[nodiscard]] found probe_everywhere() noexcept;
  [[nodiscard]] bool is_barred() noexcept;
  void short_sleep(std::uint64_t since) noexcept;
  /// Call it when a round of the search found nothing: the time since the previous round was idle.
  void note_failed_round(std::uint64_t now) noexcept {
    trace_.finds_nothing(counts_.attempts.read());
    home_.come();
    if (counts_.times.current() == activity::working) return counts_.times.change_to(activity::scheduling, now);
    counts_.times.charge(activity::idling, now);
  }
  /// Between two rounds of a search, of which the last ended at `now`. Returns the time that the search budget does not count: for how long the thread offered
  /// its processor to others while no task of its pool ran.
  std::uint64_t back_off(std::uint64_t now) noexcept;
  bool fall_asleep() noexcept;
  /// True: a limit held this worker back, and it counts as searching now. `searches`: whether it did before.
  [[nodiscard]] bool stands_down(bool searches) noexcept;
  /// Around each sleep of the worker's own thread.
  void leave_permit() noexcept;
  void enter_permit() noexcept;
  [[nodiscard]] bool runs_isolated() const noexcept { return running()->is_isolated(); }
  [[nodiscard]] bool has_new_regions() const noexcept;
  /// True once after the first sleep: the worker that was woken from it already counts as searching.
  [[nodiscard]] bool was_woken() noexcept;
  [[nodiscard]] static std::uint64_t now_ns() noexcept { return clock_ns(); }
  void prepare_to_park(frame& f, group& g, std::uint64_t mine) noexcept;
  void exchange_for(frame& next, fiber& waiting, group& g, std::uint64_t mine) noexcept;
  void note_parked(frame& f, group const* g) noexcept;
  void goes_on() noexcept;
  wait_reason take_reason() noexcept {
    tsan::unseen const of_the_worker;
    return std::exchange(flows_.next_wait, {});
  }
  static void run_on_top(fiber& on, found const& f) noexcept;
  /// Reports once that no fiber here can continue for lack of a stack.
  void report_buried(fiber const& waiting) noexcept;
  /// Shares the pool's list of regions if it has changed. Takes no memory, and so cannot fail.
  void refresh_regions() noexcept;
  [[nodiscard]] region_list const& regions() const noexcept { return turns_.all(); }

  /// What a fiber does next: it continues a frame, runs what was found, or, if there is neither, ends the thread.
  struct step {
    worker* runner;
    frame* resume;
    found run;
  };
  [[nodiscard]] static step next_step_of(fiber& on) noexcept;
  [[nodiscard]] std::uint64_t entered() const noexcept {
    tsan::unseen const of_the_worker;
    return entered_;
  }
  void say_entered() noexcept;
  void say_left() noexcept;
  void set_entered(std::uint64_t to) noexcept {
    tsan::unseen const of_the_worker;
    entered_ = to;
  }
  [[nodiscard]] observer_list& observers() const noexcept {
    tsan::unseen_accesses const of_the_worker;
    return observers_;
  }
  /// Unseen by TSan: no edge leads from the calling fiber, which may have begun on another worker, to the pool's end.
  [[nodiscard]] bool has_newer_observers() const noexcept {
    tsan::unseen_accesses const of_the_worker;
    return observers_.has_newer(entered_);
  }
  [[nodiscard]] bool is_on_own_thread() const noexcept {
    tsan::unseen const of_the_worker;
    return !is_lent_;
  }
  [[nodiscard]] step search() noexcept;
  [[nodiscard]] bool turns_from_finish(fiber const& on) const noexcept;
  [[nodiscard]] frame* leave_share() noexcept { return static_cast<frame*>(share_.leave()); }
  [[nodiscard]] frame* take_parked() noexcept { return std::exchange(flows_.ready, nullptr); }
  static void start_work(fiber& on, found const& f) noexcept;
  static void note_task_end(fiber& on) noexcept;
  void bypass_next() noexcept;
  void pause_work() noexcept;
  void end_work(worker_slot& s) noexcept;
  [[nodiscard]] bool has(frame const& tied) const noexcept;
  [[nodiscard]] static bool is_of_region(frame const& f, fiber const& on) noexcept;
  [[nodiscard]] static bool is_sent_elsewhere(frame& f, fiber& on) noexcept;
  [[nodiscard]] bool may_depart() const noexcept;
  [[nodiscard]] frame* take_departure() noexcept { return static_cast<frame*>(departure_.take()); }
  void return_to(frame& f) noexcept;
  [[nodiscard]] worker_slot& first_slot() noexcept;
  void adopt(fiber& on) noexcept;
  void prepare_to_leave(frame* next) noexcept;
  [[noreturn]] void continue_with(frame& f) noexcept;
  [[noreturn]] void end_thread() noexcept;

  // Callbacks that run after a switch: on the new stack, when the old flow has been saved.
  [[nodiscard]] frame* commit_share() noexcept;
  static void commit_park(void* self) noexcept;
  static void commit_exchange(void* self) noexcept;
  static void commit_move(void* self) noexcept;
  static void recycle_stack(void* self) noexcept;

  // Every thread may touch these; each type states how.
  pool_core& core_;
  worker_id const number_;
  worker_record& record_;  ///< readable by processes that attach; the thread in this place writes it
  live_counters& counts_ = record_.counts;
  injector<> tied_ready_;  ///< ready frames that only the present thread, or only this worker, may resume
  isolation_mark<> isolation_;
  std::atomic<char const*> in_place_for_{nullptr};  ///< a literal: what the fiber on top waits for without a frame
  observer_list& observers_;
  std::atomic<region const*> serves_{nullptr};  ///< of what runs here; null: nothing does

  // The worker's own thread writes these before it sets is_ready_; then they are constant.
  std::thread thread_;
  std::promise<void> is_ready_;
  int thread_number_ = 0;
  std::string pin_report_;
  home_processor home_;  ///< begun then; the thread in this place asks it to come and stay

  // Only the thread in this place uses these, and code that runs on it: the worker's own, or a caller's while that sleeps. The lock of
  // the sleep state hands them over (caller.md).
  region_turns turns_;
  worker_flows flows_;
  block_cache blocks_;            ///< thread_record::blocks
  std::uint64_t tied_taken_ = 0;  ///< of tied_ready_, so far
  departure<> departure_;         ///< while frames are tied to the present thread, no caller takes or leaves this place
  bool is_lent_ = false;          ///< the present thread is a caller's (caller.hpp)
  bool was_woken_ = false;        ///< from the first sleep
  bool is_in_permit_ = false;     ///< the worker's own thread is (engine/sharing/permits.md)
  std::uint64_t entered_ = 0;     ///< as observer_list numbers observers; the present thread's
  finish_share<finish_region> share_;
  kept_next kept_;
  leaf_log leaves_;
  worker_trace trace_;
};

}}}  // namespace skua::v0::runtime
