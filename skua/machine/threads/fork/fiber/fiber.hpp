// SPDX-License-Identifier: MIT
// A fiber: one flow of control on its own stack, and what it needs to fork and to wait. It may change its worker at
// every wait, so it keeps no pointer to a worker across a wait: it reaches everything through its worker slot.
//
// The hot path is push and pop; the rest is cold. [blumofe-leiserson-99, closure continuations: docs/decisions]
#pragma once

#include <cstdint>
#include <utility>

#include "skua/machine/threads/fork/group/group.hpp"
#include "skua/machine/threads/fork/group/stolen_joins.hpp"
#include "skua/machine/threads/lane/policy_words.hpp"
#include "skua/machine/threads/lane/slot_front.hpp"
#include "skua/machine/threads/lane/task_clock.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/parts/base/platform.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class fiber_slot;
class here;

class fiber {
 public:
  explicit fiber(slot_front& s) noexcept : slot_(&s) {}
  fiber(fiber const&) = delete;
  fiber& operator=(fiber const&) = delete;

  [[nodiscard]] bool has_joins() const noexcept { return forks_ != nullptr; }
  /// The open joins of this fiber. Valid while it runs a task.
  [[nodiscard]] fiber_forks& forks() const noexcept { return *forks_; }
  /// The slot of the next join: `here` of code that runs on this fiber now. Mostly two loads.
  [[nodiscard]] fork_slot<>& free_slot() const noexcept { return forks_->first_free(); }
  /// The place of that slot.
  [[nodiscard]] std::int64_t place() const noexcept { return forks_->index_of(free_slot()); }

  /// After a push at `at` that asked for attention: counts it, makes room, notifies sleepers, and looks for a stop.
  [[nodiscard]] advice poll(fork_slot<>& at) noexcept;
  /// The same for a caller that takes its entry back if the policy wants to see the group (`expose`): it wakes no sleeper for
  /// the entry, and leaves the request set, so that the next push polls, too.
  [[nodiscard]] advice poll_for_join(fork_slot<>& at) noexcept;
  /// For a caller that did not fork, or ignores stops, which the next poll() notices: the same, without the count. False: no memory (`full`).
  [[nodiscard]] bool make_room() noexcept;

  /// Waits until all children of `g` are accounted for, of which the owner accounts for `mine`. The fiber parks if it must, and may
  /// then return on another worker. Cost if nothing is left to wait for: one load.
  void wait(group& g, std::uint64_t mine) noexcept {
    if (!g.left_only(mine)) park(g, mine);
  }

  /// The same for an owner with children in this worker's own lanes: its group cannot end before this worker turns to other work.
  void wait_for_own(group& g, std::uint64_t mine) noexcept;

  /// Waits for a join, or the owner's piece of a numbered group, that was stolen. Tasks that run
  /// meanwhile are cancelled if one of these joins fails.
  void wait_stolen(group& g, std::uint64_t mine) noexcept {
    if (g.left_only(mine)) {
      relocate();
    } else {
      note_steal_of(g);
      park(g, mine);
    }
    stolen_.forget(g);
  }
  /// Records which open joins have been stolen. Then tasks that run here, and children of registered groups on other workers,
  /// end early when a thief's child fails. Cold.
  void note_steals() const noexcept;
  /// The same, and for `g`, whose join has ended, so that it is no open one.
  void note_steal_of(group& g) const noexcept;

  /// While it lives, registers a group whose children reach other workers without passing through `forks`: they also end early
  /// if a join around the group is stolen and fails. The fiber watches the group meanwhile, unless it waits. O(1).
  class registration : public registered_group<> {
   public:
    registration(fiber& f, group& g) noexcept : registered_group(g), fiber_(f) { f.stolen_.open(*this, f.place()); }
    ~registration() { fiber_.stolen_.close(*this); }

   private:
    fiber& fiber_;
  };
  /// While it lives, the fiber runs a piece of a numbered group that it watches, another fiber's or a registered one. Steals of
  /// the piece's entries are not recorded.
  class piece_of : public stolen_joins<>::piece {
   public:
    piece_of(fiber& f, group& g) noexcept : piece(f.stolen_, g) {}
  };

  /// Ends a stolen piece, which accounts for `children` of `g`. If it was the last piece, it makes the waiting frame ready.
  void finish_piece(group& g, std::uint64_t children, std::uint64_t flags) noexcept;

  // What the policy sees of this fiber. Cold.

  /// Call it when a task with this tag begins here.
  void begins_task(task_tag const& t) noexcept;
  /// Call it when a task or frame with this tag runs here from now on; `open`: it has waited for a group.
  void begins(task_tag const& t, bool open) noexcept;
  /// Call it before the running task offers a task of a task_group, while the policy sees forks.
  void spawns() const noexcept;
  /// Call it when a task that was taken from a lane ends, before its group is told. `failed`: it threw or was dropped.
  void task_ends(bool failed = false) noexcept;
  /// Call it instead of task_ends if a task follows without a search, which the policy has given the tag `next` so far. Its time begins now;
  /// `begins` tells of it.
  void task_ends_before(task_tag const& next) noexcept;
  /// Call it between two parts of a task. Policies that need times get one for each part. `failed`: the part threw or was
  /// dropped.
  void next_part(bool failed) noexcept;
  /// For the member of a team that ends last, before `task_ends`: tells the policy, if it needs times, that the team was
  /// placed at this time of the clock.
  void team_ends(std::uint64_t placed_at_ns) noexcept;
  /// The tag of the running task, as the policy wrote it.
  [[nodiscard]] task_tag const& tag() const noexcept { return tag_; }
  void know(task_tag const& t) noexcept;
  /// An entry that this fiber offered, with the tag that thieves could see.
  [[nodiscard]] tagged_entry as_published(entry const& e) const noexcept;
  /// The task continues after a wait: asks the policy where. `used` is the tag that it carries there.
  [[nodiscard]] placement place_again(fiber_slot& resumer, task_tag& used) noexcept;
  /// The same on the fiber's own worker: the fiber moves if the policy says so.
  void relocate() noexcept;

  /// Call it after a flag of this region says that a group failed or was abandoned: makes every fiber poll at its next fork.
  void raise_alarm() const noexcept;

  [[nodiscard]] bool stop_requested() const noexcept {
    if (forks_->may_have_stolen()) [[unlikely]]
      note_steals();
    return is_stopped();
  }
  /// True if a group around the running task, or a join of it that is known to be stolen, has failed, or if a token or task_group
  /// that it watches was asked to stop.
  [[nodiscard]] bool is_stopped() const noexcept;
  [[nodiscard]] stop_node const* watching() const noexcept { return forks_->word.watched(); }
  void watch(stop_node const* n) noexcept { forks_->word = word_of_two{n}; }

  [[nodiscard]] worker_id worker() const noexcept {
    slot_->acquire_id();
    return slot_->id;
  }
  /// layout::speed_of, of this worker.
  [[nodiscard]] double speed_of_worker() const noexcept;
  /// The part of the fiber's worker slot that forks touch.
  [[nodiscard]] slot_front& front() const noexcept { return *slot_; }
  /// The whole slot: fiber_slot.hpp.
  [[nodiscard]] inline fiber_slot& slot() const noexcept;
  /// The fiber continues in this slot, with the joins that it has.
  inline void run_in(fiber_slot& s) noexcept;
  /// A task begins in this slot, and it is the only one of the fiber. `end_in`: it has ended there.
  inline void begin_in(fiber_slot& s) noexcept;
  inline void end_in(fiber_slot& s) noexcept;
  /// Call it before the fiber leaves its worker: whoever runs there next finds joins for its tasks. False: no memory.
  [[nodiscard]] bool leaves_joins() const noexcept;

  /// True while a `nested_task` of this fiber lives.
  [[nodiscard]] bool runs_nested() const noexcept { return nested_ != nullptr; }

  /// While it lives, a task runs on top of this fiber that is not part of the task below. It watches `n` and nothing else, and
  /// its joins are in `forks`: those of the task below, or others if it belongs to another region. Steals of joins below are
  /// recorded for the task below.
  class nested_task {
   public:
    nested_task(fiber& on, stop_node const* n) noexcept : nested_task(on, n, *on.forks_) {}
    nested_task(fiber& on, stop_node const* n, fiber_forks& forks) noexcept
        : fiber_(on), slot_(on.slot_), forks_(on.forks_), watched_(on.watching()), word_(forks.word), tag_(on.tag_),
          stolen_(on.stolen_), base_(on.base_), below_(on.nested_) {
      on.forks_ = &forks;
      forks.running = &on;
      on.watch(n);
      on.stolen_ = {};
      on.base_ = on.place();
      on.nested_ = this;
    }
    ~nested_task() {
      // These may be the fiber's last accesses to its joins: as in know().
      tsan::unseen_accesses const scheduling;
      fiber_.know(tag_);
      fiber_.forks_->word = word_;
      fiber_.forks_ = forks_;
      fiber_.stolen_ = stolen_;
      fiber_.base_ = base_;
      fiber_.nested_ = below_;
    }
    nested_task(nested_task const&) = delete;
    nested_task& operator=(nested_task const&) = delete;

   private:
    friend class fiber;
    fiber& fiber_;
    // The state of the task below.
    slot_front* const slot_;
    fiber_forks* const forks_;
    stop_node const* const watched_;
    word_of_two const word_;  ///< of the joins that are used now
    task_tag const tag_;
    stolen_joins<> stolen_;
    std::int64_t const base_;
    nested_task* const below_;
  };
  /// The joins that this fiber has in a slot, for a nested task; null: none.
  [[nodiscard]] fiber_forks* forks_in(fiber_slot const& s) const noexcept;
  /// True if the running task is part of a task of this task_group, or runs on top of one, which cannot end before it.
  [[nodiscard]] bool is_inside(wait_group const& tasks) const noexcept;

  /// While a task runs on top of a fiber that waits in place, the fiber is tied: it may wait but not change its worker.
  /// The task may belong to another region than the fibers below it.
  [[nodiscard]] bool is_tied() const noexcept { return tied_; }
  /// Returns the previous value.
  bool tie(bool on) noexcept { return std::exchange(tied_, on); }

  /// A wait that got no stack. Tasks on top of it use the same stack, and must end before the fiber can continue from there.
  /// (group.md, "Without a stack")
  struct buried {
    group const& waits_for;
    std::uint64_t mine;
    stop_node const* watching;
    buried const* below;

    /// True if the wait is over, so that only the tasks on top of it hold it back.
    [[nodiscard]] bool is_ready() const noexcept { return waits_for.left_only(mine); }
    /// True if it is part of a task of this task_group, or such a task waits for it.
    [[nodiscard]] bool belongs_to(wait_group const& tasks) const noexcept;
  };
  /// The innermost such wait below the running task; null: the task has the stack for itself.
  [[nodiscard]] buried const* beneath() const noexcept { return beneath_; }
  void lie_on(buried const* b) noexcept { beneath_ = b; }

  /// The run time of the task at the bottom of this fiber, if the policy needs times. The clock stops while the fiber waits or
  /// moves to another worker.
  [[nodiscard]] task_clock& clock() noexcept { return clock_; }

  /// The task whose end the worker loop will report; null: it has none, or its end was reported already. Returns the previous value.
  task const* owes_end_of(task const* t) noexcept { return std::exchange(owes_end_of_, t); }
  [[nodiscard]] task const* owes_end_of() const noexcept { return owes_end_of_; }

  /// Inside of isolate(): the fiber waits where it is, and its worker runs nothing else meanwhile. Returns the previous
  /// value.
  bool isolate(bool on) noexcept { return std::exchange(isolated_, on); }
  [[nodiscard]] bool is_isolated() const noexcept { return isolated_; }

  /// The fiber runs a member of a team, which stays on its worker, but not on its thread: the member must not hold back a caller
  /// that has the worker's place. Returns the previous value.
  bool join_team(bool on) noexcept { return std::exchange(in_team_, on); }
  [[nodiscard]] bool is_in_team() const noexcept { return in_team_; }
  [[nodiscard]] bool stays_on_worker() const noexcept { return tied_ || in_team_; }

  /// The frame that became ready when this fiber's task ended. The worker loop asks the policy where it continues.
  [[nodiscard]] frame* take_ready() noexcept {
    frame* const f = ready_;
    ready_ = nullptr;
    return f;
  }
  [[nodiscard]] bool holds_nothing() const noexcept { return ready_ == nullptr; }

  /// In checked builds: ends the process unless this fiber runs on the calling thread. A child that captures the
  /// `here` around it, instead of taking its own, forks on the wrong fiber once it is stolen.
  void expect_running() const noexcept {
    if constexpr (checked) check_running();
  }

 private:
  void check_running() const noexcept;
  [[nodiscard]] advice answer() noexcept;
  [[nodiscard]] bool is_preempted() const noexcept;
  bool link_stolen(void* entry, std::int64_t place) const noexcept;
  void pass_failure_on() const noexcept;
  void park(group& g, std::uint64_t mine) noexcept;
  void leave_worker(group& g, std::uint64_t mine) noexcept;
  [[nodiscard]] bool ends_soon(group const& g, std::uint64_t mine) const noexcept;

  slot_front* slot_;
  fiber_forks* forks_ = nullptr;  ///< null between two tasks
  task_tag tag_;
  frame* ready_ = nullptr;
  mutable stolen_joins<> stolen_;  ///< as note_steals found them
  nested_task* nested_ = nullptr;  ///< the innermost; null: the fiber's own task runs
  buried const* beneath_ = nullptr;
  std::int64_t base_ = 0;  ///< joins before this place lie below a nested task
  task_clock clock_;
  task const* owes_end_of_ = nullptr;
  bool tied_ = false;
  bool isolated_ = false;
  bool in_team_ = false;
};

/// The fiber whose join has, or will have, this slot.
[[nodiscard]] inline fiber& fiber_at(fork_slot<> const& s) noexcept {
  return *static_cast<fiber_forks&>(*s.deque).running;
}
/// The fiber behind a program's `here`, which is the slot of its next join. (here.hpp)
[[nodiscard]] inline fiber& fiber_of(here const& h) noexcept;
/// For code that runs on `f` now.
[[nodiscard]] inline here& here_of(fiber& f) noexcept;

}}}  // namespace skua::v0::runtime
