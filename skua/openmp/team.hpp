// SPDX-License-Identifier: MIT
// A team: the members of a parallel region, their barrier, and their work-sharing constructs. README.md
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "skua/openmp/bell.hpp"
#include "skua/openmp/binding.hpp"
#include "skua/openmp/event.hpp"
#include "skua/openmp/task.hpp"
#include "skua/openmp/work_share.hpp"
#include "skua/parts/base/platform.hpp"

namespace skua { inline namespace v0 { namespace openmp {

/// The code that a region runs.
struct outlined {
  void (*function)(void*);
  void* data;
  unsigned flags = 0;  ///< bits 0 to 2: the clause proc_bind
};

class team {
 public:
  /// For up to `room` members.
  explicit team(std::uint32_t room);
  team(team const&) = delete;
  team& operator=(team const&) = delete;

  /// Begins a region of `size` members, no more than its room, for `creator`.
  void begin(task& creator, std::uint32_t size, outlined code);
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  [[nodiscard]] std::uint32_t room() const noexcept { return room_; }
  [[nodiscard]] task& creator() const noexcept { return *creator_; }
  /// After `begin`: the members begin inside of a work-sharing construct, which begin_share(share) begins.
  template <class Begin>
  void prepare_first_share(trace::construct what, Begin const& begin_share) {
    has_shares_.store(true, std::memory_order_relaxed);  // relaxed: no member runs
    begin_share(shares_[0]);
    shares_[0].open(0);
    is_in_share_ = true;
    first_share_ = what;
  }
  /// After `begin`: reductions that the members' tasks take part in.
  void reduce(std::uintptr_t* arrays) noexcept { reductions_ = arrays; }
  /// Makes `mine` the implicit task of member `m`.
  void begin_member(task& mine, std::uint32_t m);
  /// The code of a region as member `m` on the calling thread, up to where it arrives at the join, which is its caller's (member_pool.cpp).
  void run_member(std::uint32_t m) noexcept;
  /// Of member 0, when all others have arrived.
  void end() noexcept { start_.end(); }

  /// All members and all tasks have arrived when it returns.
  void barrier(task& me) noexcept { meet(me, false); }
  /// The same; returns true if the region was cancelled.
  [[nodiscard]] bool barrier_or_cancel(task& me) noexcept;

  /// The next work-sharing construct of this member; `is_first` says that it must begin it, and then call `open_share`.
  [[nodiscard]] work_share& enter_share(task& me, bool& is_first) noexcept;
  void open_share(task& me) noexcept;
  void leave_share(task& me) noexcept;
  /// True for the member that runs the construct.
  [[nodiscard]] bool claim_single(task& me) noexcept;
  void const volatile*& copied() noexcept { return copied_; }

  /// Members neither spin nor block from now on, but park, so that their workers run tasks.
  void note_task() noexcept {
    if (has_tasks()) return;
    has_tasks_.store(true, std::memory_order_relaxed);  // relaxed: `ring` orders it
    ring();
  }
  /// Waits as a member of this team: spins, then blocks its thread, or parks if the team has tasks or is nested. Whoever makes the condition true calls `ring`.
  template <class Condition>
  void wait_until(Condition const& is_true) {
    if (spin_until([&] { return is_true() || has_tasks(); }) && is_true()) return;
    if (is_nested_ || runtime::holds_tied_frames() || !block_until(is_true)) park_until(is_true);
  }
  /// After a condition became true that members may wait for. Cost if nobody blocks or parks: a fence and two loads.
  void ring() noexcept {
    runtime::full_fence();
    ring_after_fence();
  }
  void ring_after_fence() noexcept {
    bell_.ring_after_fence();
    waits_.notify_after_fence();
  }
  /// The same, but only if `is_true()`, which may cost more than the look whether anybody waits.
  template <class Condition>
  void ring_after_fence_if(Condition const& is_true) noexcept {
    if ((bell_.is_waited_for() || waits_.is_waited_for()) && is_true()) ring_after_fence();
  }
  /// Blocks the thread; returns false if the team has tasks instead.
  template <class Condition>
  [[nodiscard]] bool block_until(Condition const& is_true) {
    if (is_true()) return true;
    // It wakes at home for those who spin for it. Binding is four system calls, and keeps a thread from a processor that is free.
    std::optional<runtime::bound_home> wakes_at_home;
    if (spin_budget_ns() != 0) wakes_at_home.emplace();
    bell_.wait([&] { return is_true() || has_tasks(); });
    return is_true();
  }
  [[nodiscard]] bool has_tasks() const noexcept {
    return has_tasks_.load(std::memory_order_relaxed);
  }  // relaxed: advice
  [[nodiscard]] bool can_be_cancelled() const noexcept { return can_be_cancelled_; }
  void cancel() noexcept { is_cancelled_.store(true, std::memory_order_release); }  // release: pairs with is_cancelled
  [[nodiscard]] bool is_cancelled() const noexcept {
    return is_cancelled_.load(std::memory_order_acquire);  // acquire: pairs with cancel
  }
  /// Cancels the loop or sections that this member is in, or says whether they are cancelled.
  void cancel_share(task const& me) noexcept;
  [[nodiscard]] bool is_share_cancelled(task const& me) const noexcept;
  [[nodiscard]] std::uint32_t level() const noexcept { return level_; }
  /// True if its explicit tasks run on its members' threads, deferred. (README.md)
  [[nodiscard]] bool defers_tasks() const noexcept { return defers_tasks_; }
  void defer_tasks(bool on) noexcept { defers_tasks_ = on; }
  /// Of a member, in the trace; 0: there is none.
  [[nodiscard]] std::uint64_t traced(std::uint32_t m) const noexcept {
    return traced_ == 0 ? 0 : trace::id_of_member(traced_, m);
  }
  /// Members are fibers, which must not block their threads.
  void be_nested() noexcept { is_nested_ = true; }
  [[nodiscard]] bool is_nested() const noexcept { return is_nested_; }

 private:
  template <class Condition>
  void park_until(Condition const& is_true) {
    if (is_true()) return;
    kept_current const others_run;
    waits_.wait(is_true);
  }
  void meet(task& me, bool may_end_early) noexcept;
  [[gnu::cold, gnu::noinline]] void run_traced(task& mine) noexcept;

  /// Names the static loop that this member is in, of which GCC's code tells nothing: all members are in it between the same constructs and barriers, because a
  /// loop that can be cancelled ends with a barrier.
  [[nodiscard]] std::uint64_t static_loop_of(task const& me) const noexcept {
    // relaxed: it does not change while a member is in the loop
    return std::uint64_t{me.constructs} << 32 | generation_.load(std::memory_order_relaxed);
  }
  static constexpr std::uint64_t no_loop = ~std::uint64_t{0};
  static constexpr std::uint32_t shares_kept = 8;  ///< constructs that members may be ahead of each other with nowait

  // One cache line: all that a member reads when a region begins.
  alignas(runtime::cache_line_bytes) outlined code_{};
  task* creator_ = nullptr;
  std::uintptr_t* reductions_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint32_t level_ = 0;
  std::uint32_t active_level_ = 0;
  bool is_in_share_ = false;
  bool is_nested_ = false;
  bool defers_tasks_ = false;
  bool begins_with_more_ = false;  ///< start_ has something to do, or it is traced

  alignas(runtime::cache_line_bytes) member_start start_;
  std::uint32_t const room_;
  bool const is_traced_ = the_settings().is_traced;
  bool const can_be_cancelled_ = the_settings().can_cancel;
  trace::construct first_share_{};         ///< what it is
  std::uint64_t traced_ = 0;               ///< its number in the trace; 0: there is none
  std::atomic<bool> has_shares_{true};     ///< since `begin` some share was begun
  void const volatile* copied_ = nullptr;  ///< by copyprivate, between two barriers
  std::array<work_share, shares_kept> shares_;

  alignas(runtime::cache_line_bytes) std::atomic<std::uint32_t> arrived_{0};     ///< at the barrier
  alignas(runtime::cache_line_bytes) std::atomic<std::uint32_t> generation_{0};  ///< barriers that have opened
  std::atomic<bool> has_tasks_{false};
  std::atomic<bool> is_cancelled_{false};
  std::atomic<std::uint64_t> cancelled_static_loop_{no_loop};
  alignas(runtime::cache_line_bytes) bell bell_;  ///< rung when a wait may be over
  alignas(runtime::cache_line_bytes) std::atomic<std::uint32_t> singles_{0};
  eventcount waits_;
};

}}}  // namespace skua::v0::openmp
