// SPDX-License-Identifier: MIT
// A worker: a thread that hunts, carries out, learns and runs. A worker's life: README.md.
#pragma once

#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "skua/machine/threads/join/here.hpp"
#include "skua/machine/threads/pool/region.hpp"
#include "skua/machine/threads/worker/counters.hpp"
#include "skua/machine/threads/worker/leaf_log.hpp"
#include "skua/parts/context/context.hpp"
#include "skua/parts/context/current.hpp"
#include "skua/parts/context/stack.hpp"

namespace skua::runtime {

class pool_core;

class worker final : public thread_record {
 public:
  worker(pool_core& c, worker_id number) noexcept;
  worker(worker const&) = delete;
  worker& operator=(worker const&) = delete;

  void start();        ///< Throws resource_error if the thread or its stack cannot be had.
  void await_ready();  ///< Until the thread is pinned and in bed. Throws what kept it from that; then it has ended.
  void join() noexcept;

  /// The worker of the calling thread, or null.
  [[nodiscard]] static worker* current() noexcept;

  [[nodiscard]] pool_core& of() noexcept { return core_; }
  [[nodiscard]] worker_id number() const noexcept { return number_; }
  /// The fiber that runs now, while a task runs.
  [[nodiscard]] here& running_fiber() noexcept { return *fiber_; }
  [[nodiscard]] live_counters& counts() noexcept { return counts_; }
  [[nodiscard]] leaf_log& leaves() noexcept { return leaves_; }
  /// From now on this worker's time is spent on that. Cost: a reading of the clock.
  void begin(activity what) noexcept { counts_.times.change_to(what, now_ns()); }
  [[nodiscard]] std::string const& pin_report() const noexcept { return pin_report_; }

  /// Puts what the policy has placed on another worker there. False: it stays here.
  [[nodiscard]] static bool send(worker_slot& from, tagged_entry const& entry, placement const& to) noexcept;
  void move(here& fiber, placement const& to, task_tag const& tag) noexcept;
  /// Something has come that goes first: the fiber waits in a lane of this worker.
  void preempt(here& fiber) noexcept;

  /// Send a frame that is ready to where it belongs. Any thread.
  static void send_home(frame& f) noexcept;

  /// Suspend the running fiber, which waits for `g` and has dealt with `mine` children; go on with other work.
  /// Returns when the fiber is resumed, perhaps on another thread. False: no stack could be had, nothing was done.
  [[nodiscard]] bool park(here& waiting, group& g, std::uint64_t mine) noexcept;
  /// The same without a stack for the other work: tasks run on top of the fiber, and the stack of a ready frame serves
  /// as well as a fresh one.
  static void wait_in_place(here& waiting, group& g, std::uint64_t mine) noexcept;

 private:
  friend struct work_search;
  struct found {
    worker_slot* at = nullptr;
    tagged_entry taken{};
  };

  void thread_main() noexcept;
  void sleep_at_first() noexcept;
  static void fiber_main(void* self) noexcept;
  static void run_loop(here& fiber) noexcept;

  // One round: ask, act, tell.
  [[nodiscard]] found probe_everywhere() noexcept;
  [[nodiscard]] found probe_in(worker_slot& s) noexcept;
  [[nodiscard]] outcome execute(worker_slot& s, probe const& p, tagged_entry& out) noexcept;
  [[nodiscard]] outcome steal(worker_slot& s, probe const& p, tagged_entry& out) noexcept;
  [[nodiscard]] outcome steal_from(worker_slot& s, worker_slot& victim, lane where, tagged_entry& out) noexcept;
  [[nodiscard]] bool is_sent_on(worker_slot& s, probe const& p, tagged_entry& taken) noexcept;
  [[nodiscard]] bool is_barred() noexcept;
  void short_sleep(std::uint64_t since) noexcept;
  /// A round of the search has found nothing: the time since the last one was idle.
  void note_failed_round(std::uint64_t now) noexcept { counts_.times.charge(activity::idling, now); }
  void fall_asleep(bool was_searching) noexcept;
  [[nodiscard]] bool has_new_regions() const noexcept;
  /// It was woken from its first sleep, and counts as searching since: for its first search.
  [[nodiscard]] bool was_woken() noexcept;
  [[nodiscard]] static std::uint64_t now_ns() noexcept { return in_account_time(std::chrono::steady_clock::now()); }
  void exchange_for(frame& next, here& waiting, group& g, std::uint64_t mine) noexcept;
  static void run_on_top(here& fiber, found const& f) noexcept;
  [[nodiscard]] stack* take_stack() noexcept;  ///< null if the system refuses
  void refresh_slots() noexcept;

  /// What a fiber does next: continue a frame, run what was found, or (neither) end the thread.
  struct step {
    worker* on;
    frame* resume;
    found run;
  };
  [[nodiscard]] static step next_step(here& fiber) noexcept;
  static void start_work(here& fiber, found const& f) noexcept;
  void pause_work(worker_slot& s) noexcept;
  [[nodiscard]] bool is_mine(here& fiber, frame& f) noexcept;
  void return_to(frame& f) noexcept;
  [[nodiscard]] worker_slot& first_slot() noexcept;
  void adopt(here& fiber) noexcept;
  void prepare_to_leave(frame* next) noexcept;
  [[noreturn]] void continue_with(frame& f) noexcept;
  [[noreturn]] void end_thread() noexcept;

  // Callbacks that run after a switch, on the new stack, with the old flow saved.
  [[nodiscard]] frame* commit_share() noexcept;
  static void commit_park(void* self) noexcept;
  static void commit_exchange(void* self) noexcept;
  static void commit_move(void* self) noexcept;
  static void recycle_stack(void* self) noexcept;

  pool_core& core_;
  worker_id const number_;
  here* fiber_ = nullptr;
  std::vector<std::shared_ptr<region>> regions_;  ///< kept alive while we may look into them
  std::vector<worker_slot*> slots_;
  std::uint64_t regions_seen_ = 0;
  bool was_woken_ = false;

  stack_cache stacks_;
  context native_;  ///< the thread's own stack, left for good until the thread ends
  context next_;    ///< the fiber being started
  context ended_;   ///< the fiber that was left
  stack* current_stack_ = nullptr;
  stack* ended_stack_ = nullptr;
  frame* ready_ = nullptr;  ///< a frame whose group was complete when it had parked

  struct parking {
    group* waits_for = nullptr;
    std::uint64_t mine = 0;
  } parking_;
  struct leaving {
    frame* saved = nullptr;
    placement to{};
    task_tag tag{};
  } leaving_;

  live_counters counts_;
  leaf_log leaves_;
  std::string pin_report_;  ///< written before is_ready_ is set, never after
  std::promise<void> is_ready_;
  std::thread thread_;
};

}  // namespace skua::runtime
