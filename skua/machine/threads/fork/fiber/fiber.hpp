// SPDX-License-Identifier: MIT
// A fiber: one flow of control on its own stack, and what it needs to fork and to wait. It may change its worker at
// every wait, so it keeps nothing of a worker across one: everything is reached through the worker slot.
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

  /// Offers `t` to thieves; sets `at` to the entry's position, for `pop_at`. True: call poll() before the next push.
  [[nodiscard]] bool push_at(task& t, std::int64_t& at) noexcept { return slot_->forks.push_at(&t, at); }
  /// The same with a word for whoever takes the entry.
  [[nodiscard]] bool push_at(task& t, std::uint64_t extra, std::int64_t& at) noexcept {
    return slot_->forks.push_at(&t, extra, at);
  }
  /// For `pop`.
  [[nodiscard]] bool push(task& t, std::uint64_t extra) noexcept { return slot_->forks.push(&t, extra); }

  /// Takes the newest entry back; false if it was stolen. Joins nest strictly, so the newest entry is the caller's own,
  /// unless it was stolen, and then all older ones were stolen before: an empty lane means the same. (group.md,
  /// "Nesting")
  [[nodiscard]] bool pop() noexcept { return slot_->forks.pop(); }
  /// The same for a caller that remembers where its entry is, or was before the fiber moved.
  [[nodiscard]] bool pop_at(std::int64_t at) noexcept { return slot_->forks.pop_at(at); }

  /// After a push that asked for attention: makes room, notifies sleepers, and looks for a stop.
  [[nodiscard]] advice poll() noexcept;
  /// The same for a caller that takes its entry back if the policy wants to see the group (`expose`): nobody is woken for the
  /// entry, and the request stays, because the next push is to come here, too.
  [[nodiscard]] advice poll_for_join() noexcept;
  /// The same where a stop changes nothing; the next poll() will notice it. False: there is no memory (`full`).
  [[nodiscard]] bool make_room() noexcept;

  /// Waits until all children of `g` but the owner's `mine` have been dealt with. The fiber parks if it must, and may
  /// then return on another worker. Cost if nothing is left to wait for: one load.
  void wait(group& g, std::uint64_t mine) noexcept {
    if (!g.left_only(mine)) park(g, mine);
  }

  /// The same for an owner of which something lies in this worker's own lanes: that group ends only after this worker has gone on.
  void wait_for_own(group& g, std::uint64_t mine) noexcept;

  /// Waits for a join, or the owner's piece of a numbered group, that was stolen. Until it returns, what runs in between can
  /// see which joins it may fail with.
  void wait_stolen(group& g, std::uint64_t mine) noexcept {
    note_steals();
    if (g.left_only(mine)) {
      relocate();
    } else {
      park(g, mine);
    }
    stolen_.forget(g);
  }
  /// Records which open joins have been stolen, so that what runs here, and children of registered groups elsewhere, end
  /// when a thief's child fails. Cold.
  void note_steals() const noexcept;

  /// Registers a group whose children run elsewhere without passing through `forks`, while it is open: they, too, end if a
  /// join around the group is stolen and fails. The fiber watches the group meanwhile, unless it waits. O(1).
  class registration : public registered_group<> {
   public:
    registration(fiber& f, group& g) noexcept : registered_group(g), fiber_(f) {
      f.stolen_.open(*this, f.slot_->forks.bottom());
    }
    ~registration() { fiber_.stolen_.close(*this); }

   private:
    fiber& fiber_;
  };
  /// While a piece of a numbered group runs here that the fiber watches, of another fiber's or a registered one, steals of its
  /// entries are not noted.
  class piece_of : public stolen_joins<>::piece {
   public:
    piece_of(fiber& f, group& g) noexcept : piece(f.stolen_, g) {}
  };

  /// A stolen piece has dealt with `children` of `g` and ends. If it was the last piece, the waiting frame is ready.
  void finish_piece(group& g, std::uint64_t children, std::uint64_t flags) noexcept;

  // What the policy sees of this fiber. Cold.

  /// A task with this tag begins here.
  void begins_task(task_tag const& t) noexcept;
  /// A task or frame with this tag runs here from now on; `open` means that it waited for a group.
  void begins(task_tag const& t, bool open) noexcept;
  /// The task that was taken from a lane ends. Call this before its group hears of it.
  void task_ends() noexcept;
  /// A part of the task is over, and another one begins. Policies that need times get one for each.
  void next_part() noexcept;
  /// The tag that the policy wrote on what runs now.
  [[nodiscard]] task_tag const& tag() const noexcept { return tag_; }
  void know(task_tag const& t) noexcept;
  /// An entry that this fiber offered, with the tag that thieves could see.
  [[nodiscard]] tagged_entry as_published(entry const& e) const noexcept;
  /// The task continues after a wait: asks the policy where. `used` is the tag that it carries there.
  [[nodiscard]] placement place_again(fiber_slot& by, task_tag& used) noexcept;
  /// The same on the fiber's own worker: the fiber moves if the policy says so.
  void relocate() noexcept;

  /// A flag says that something failed or was given up in this region: makes every fiber poll at its next fork.
  void raise_alarm() const noexcept;

  [[nodiscard]] bool stop_requested() const noexcept {
    if (slot_->may_have_steals()) [[unlikely]]
      note_steals();
    return is_stopped();
  }
  /// A group around what runs, or a join of it that is known to be stolen, has failed, or a token or task_group that it
  /// watches was asked to stop.
  [[nodiscard]] bool is_stopped() const noexcept;
  [[nodiscard]] stop_node const* watching() const noexcept { return fork_word_.watched(); }
  void watch(stop_node const* n) noexcept { fork_word_ = word_of_two{n}; }
  /// The word of a join of two that forks here now.
  [[nodiscard]] word_of_two fork_word() const noexcept { return fork_word_; }

  [[nodiscard]] worker_id worker() const noexcept {
    slot_->acquire_id();
    return slot_->id;
  }
  /// The part of the fiber's worker slot that forks touch.
  [[nodiscard]] slot_front& front() const noexcept { return *slot_; }
  /// The whole slot: fiber_slot.hpp.
  [[nodiscard]] inline fiber_slot& at() const noexcept;
  inline void run_in(fiber_slot& s) noexcept;

  /// A task that runs on top of this fiber without being part of what lies below. It watches `n` and nothing else, and
  /// forks in the lane of `slot`. Steals of joins below are noted for what lies below.
  class nested_task {
   public:
    nested_task(fiber& on, stop_node const* n) noexcept : nested_task(on, n, *on.slot_) {}
    nested_task(fiber& on, stop_node const* n, slot_front& slot) noexcept
        : fiber_(on), fork_word_(on.fork_word_), tag_(on.tag_), stolen_(on.stolen_), slot_(on.slot_), base_(on.base_),
          below_(on.nested_) {
      on.watch(n);
      on.stolen_ = {};
      on.base_ = slot.forks.bottom();
      on.nested_ = this;
    }
    ~nested_task() {
      fiber_.know(tag_);
      fiber_.fork_word_ = fork_word_;
      fiber_.stolen_ = stolen_;
      fiber_.base_ = base_;
      fiber_.nested_ = below_;
    }
    nested_task(nested_task const&) = delete;
    nested_task& operator=(nested_task const&) = delete;

   private:
    friend class fiber;
    fiber& fiber_;
    // What lies below.
    word_of_two const fork_word_;
    task_tag const tag_;
    stolen_joins<> stolen_;
    slot_front* const slot_;
    std::int64_t base_;
    nested_task* const below_;
  };
  /// True if what runs is part of a task of this task_group, or lies on top of one, which cannot end before it.
  [[nodiscard]] bool is_inside(wait_group const& tasks) const noexcept;
  /// The fiber has left its lane empty, and may continue in another one. Call this before run_in: positions in the old
  /// lane mean nothing any more.
  void forget_places() noexcept;

  /// While a task runs on top of a fiber that waits in place, the fiber is tied: it may wait but not change its worker.
  /// The task may belong to another region than the fibers below it.
  [[nodiscard]] bool is_tied() const noexcept { return tied_; }
  /// Returns the previous value.
  bool tie(bool on) noexcept { return std::exchange(tied_, on); }

  /// A wait that got no stack: what runs on top of it lies on the same stack, and must end before the fiber can go on
  /// from there. (group.md, "Without a stack")
  struct buried {
    group const& waits_for;
    std::uint64_t mine;
    stop_node const* watching;
    buried const* below;

    /// It could go on if nothing lay on top of it.
    [[nodiscard]] bool is_ready() const noexcept { return waits_for.left_only(mine); }
    /// It is part of a task of this task_group, or such a task waits for it.
    [[nodiscard]] bool belongs_to(wait_group const& tasks) const noexcept;
  };
  /// The innermost of those that lie under what runs; null: the stack is what runs'.
  [[nodiscard]] buried const* beneath() const noexcept { return beneath_; }
  void lie_on(buried const* b) noexcept { beneath_ = b; }

  /// The time that the task at the bottom of this fiber runs, if the policy needs times. It stands still while the fiber
  /// waits or is on its way to another worker.
  [[nodiscard]] task_clock& clock() noexcept { return clock_; }

  /// Inside of isolate(): the fiber waits where it is, and its worker runs nothing else meanwhile. Returns the previous
  /// value.
  bool isolate(bool on) noexcept { return std::exchange(isolated_, on); }
  [[nodiscard]] bool is_isolated() const noexcept { return isolated_; }

  /// The fiber runs a member of a team, which stays on its worker. That may be another thread after a wait: the member must not
  /// hold a caller that has the worker's place. Returns the previous value.
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

  /// In checked builds: ends the process unless this fiber runs on the calling thread. A child that captures the `here`
  /// around it, instead of taking its own, forks on a fiber that runs elsewhere as soon as the child is stolen.
  void expect_running() const noexcept {
    if constexpr (checked) check_running();
  }

 private:
  void check_running() const noexcept;
  [[nodiscard]] bool is_preempted() const noexcept;
  bool link_stolen(void* what, std::int64_t place) const noexcept;
  void park(group& g, std::uint64_t mine) noexcept;
  void leave_worker(group& g, std::uint64_t mine) noexcept;
  [[nodiscard]] bool ends_soon(group const& g, std::uint64_t mine) const noexcept;

  slot_front* slot_;
  word_of_two fork_word_{nullptr};  ///< with what the fiber watches
  task_tag tag_;
  frame* ready_ = nullptr;
  mutable stolen_joins<> stolen_;  ///< what note_steals has seen
  nested_task* nested_ = nullptr;  ///< the innermost; null: what runs is the fiber's own task
  buried const* beneath_ = nullptr;
  std::int64_t base_ = 0;  ///< entries of the lane before this position lie below a nested task
  task_clock clock_;
  bool tied_ = false;
  bool isolated_ = false;
  bool in_team_ = false;
};

/// What a program holds as `here` is a fiber, and shows nothing of it. Every fiber is one of these. (here.hpp)
[[nodiscard]] inline fiber& fiber_of(here& h) noexcept;
[[nodiscard]] inline fiber const& fiber_of(here const& h) noexcept;
[[nodiscard]] inline here& here_of(fiber& f) noexcept;

}}}  // namespace skua::v0::runtime
