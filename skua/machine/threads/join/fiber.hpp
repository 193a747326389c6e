// SPDX-License-Identifier: MIT
// A fiber: one flow of control on one stack, and what it needs to fork and to wait. It may change its worker at
// every wait, so nothing of a worker is remembered across one: everything is reached through the worker slot.
//
// The hot path is push and pop below; the rest is cold. [blumofe-leiserson-99, closure continuations: docs/decisions]
#pragma once

#include <cstdint>
#include <utility>

#include "skua/machine/threads/join/group.hpp"
#include "skua/machine/threads/join/stolen_joins.hpp"
#include "skua/machine/threads/policy_words.hpp"
#include "skua/machine/threads/worker/slot_front.hpp"
#include "skua/parts/base/ids.hpp"

namespace skua {
class worker_policy;
}

namespace skua::runtime {

class fiber {
 public:
  explicit fiber(runtime::slot_front& s) noexcept : slot_(&s) {}
  fiber(fiber const&) = delete;
  fiber& operator=(fiber const&) = delete;

  /// Show `t` to thieves. True: call attend() before anything else is pushed.
  [[nodiscard]] bool push(task& t) noexcept {
    slot_->count_push();
    return slot_->forks.push(&t);
  }
  [[nodiscard]] bool push(task& t, std::uint64_t extra) noexcept {
    slot_->count_push();
    return slot_->forks.push(&t, extra);
  }

  /// Take back the newest entry; false: it was stolen. Joins nest strictly, so the newest entry is the caller's own,
  /// or it was stolen and with it all older ones: a lane that came back empty says the same. (group.md, "nesting")
  [[nodiscard]] bool pop() noexcept { return slot_->forks.pop(); }

  /// A push asked for attention: make room, wake sleepers, notice a stop.
  [[nodiscard]] advice poll() noexcept;
  /// The same where a stop changes nothing: it will be noticed by the next `attend`. False: no memory (`full`).
  [[nodiscard]] bool make_room() noexcept;

  /// Wait until all of `g` but the owner's `mine` children are dealt with. Parks the fiber if it must: on return it
  /// may run on another worker. Cost without waiting: one load.
  void wait(group& g, std::uint64_t mine) noexcept {
    if (!g.left_only(mine)) park(g, mine);
  }

  /// The same for a join, or the owner's piece of a sequence, that was stolen. Meanwhile, and until it returns, what
  /// runs between knows whom it may fail with.
  void wait_stolen(group& g, std::uint64_t mine) noexcept {
    note_steals();
    if (g.left_only(mine)) {
      relocate();
    } else {
      park(g, mine);
    }
    stolen_.forget(g);
  }
  /// Remember which open joins have been stolen: if a thief's child fails, what runs here shall end. Cold.
  void note_steals() const noexcept;
  /// Children of `g` will run elsewhere, and do not go by way of `forks`: they end, too, when a join around `g` that has been
  /// stolen by now fails.
  void surround(group& g) const noexcept {
    note_steals();
    stolen_.surround(g);
  }

  /// Take the newest free-standing task that lies here, if `key` is the word that it was pushed with, and run it now, as
  /// one that its waiter has taken back (extra = 0). False: it is another one, or a thief has it. Cold.
  bool run_newest_spawned(std::uint64_t key) noexcept;

  /// A stolen piece has dealt with `children` of `g` and ends. If it was the last, the frame that waits is ready.
  void finish(group& g, std::uint64_t children, std::uint64_t flags) noexcept;

  // What the policy sees of this fiber. Cold.

  /// A task or frame with this tag runs here from now on; `open`: it waited for a group.
  void begins(task_tag const& t, bool open) noexcept;
  /// The task that was taken from a lane ends; before its group is told.
  void task_ends() noexcept;
  /// What the policy has written on what runs now.
  [[nodiscard]] task_tag const& tag() const noexcept { return tag_; }
  void know(task_tag const& t) noexcept;
  /// An entry that this fiber has offered, with the tag under which it was shown to thieves.
  [[nodiscard]] tagged_entry as_published(entry const& e) const noexcept;
  /// The task goes on after a wait: whose is it? `used` is the tag with which it goes there.
  [[nodiscard]] placement place_again(worker_policy& by, task_tag& used) noexcept;
  /// The same on its own worker: the fiber moves if the policy wants that.
  void relocate() noexcept;

  /// Something failed or was stopped in this region: every fiber shall look at its next fork.
  void raise_alarm() noexcept;

  [[nodiscard]] bool stop_requested() const noexcept {
    if (slot_->may_have_steals()) [[unlikely]]
      note_steals();
    return (stop_ != nullptr && stop_->requested()) || stolen_.want_end();
  }
  [[nodiscard]] stop_node const* watching() const noexcept { return stop_; }
  void watch(stop_node const* n) noexcept { stop_ = n; }

  /// What forks touch of the worker slot that the fiber runs on.
  [[nodiscard]] runtime::slot_front& front() const noexcept { return *slot_; }
  /// All of it: worker_slot.hpp.
  [[nodiscard]] inline worker_slot& at() const noexcept;
  inline void run_in(worker_slot& s) noexcept;

  /// A task that runs on top of this fiber and has nothing to do with what lies below: it watches `n`, and nothing else.
  class nested_task {
   public:
    nested_task(fiber& s, stop_node const* n) noexcept
        : fiber_(s), stop_(s.stop_), tag_(s.tag_), stolen_(s.stolen_), base_(s.base_) {
      s.note_steals();
      stolen_ = std::exchange(s.stolen_, {});
      s.stop_ = n;
      s.base_ = above_ = s.slot_->forks.bottom();
    }
    ~nested_task() {
      fiber_.know(tag_);
      fiber_.stop_ = stop_;
      fiber_.stolen_ = stolen_;
      fiber_.base_ = fiber_.base_ == above_ ? base_ : 0;  // else the fiber has moved, and left its lane empty
    }
    nested_task(nested_task const&) = delete;
    nested_task& operator=(nested_task const&) = delete;

   private:
    fiber& fiber_;
    stop_node const* const stop_;
    task_tag const tag_;
    stolen_joins<> stolen_;
    std::int64_t const base_;
    std::int64_t above_;
  };
  /// The fiber has left its lane: places in the old one mean nothing in the new one.
  void forget_places() noexcept { base_ = 0; }

  /// While a task runs on top of a fiber that waits in place, the fiber may wait but not change its worker: the task may
  /// be of another region, and below it wait those that belong to this one.
  [[nodiscard]] bool is_tied() const noexcept { return tied_; }
  /// Returns what it was before.
  bool tie(bool on) noexcept { return std::exchange(tied_, on); }

  /// The frame that became ready when the fiber's task ended; the worker loop hands it to the policy.
  [[nodiscard]] frame* take_ready() noexcept {
    frame* const f = ready_;
    ready_ = nullptr;
    return f;
  }
  void make_ready(frame& f) noexcept { ready_ = &f; }

 private:
  void park(group& g, std::uint64_t mine) noexcept;
  [[nodiscard]] bool ends_soon(group const& g, std::uint64_t mine) const noexcept;

  runtime::slot_front* slot_;
  stop_node const* stop_ = nullptr;
  task_tag tag_;
  frame* ready_ = nullptr;
  mutable stolen_joins<> stolen_;  ///< what note_steals has seen
  std::int64_t base_ = 0;          ///< entries of the lane before this place are below an interlude
  bool tied_ = false;
};

}  // namespace skua::runtime
