// SPDX-License-Identifier: MIT
// What should happen? The interface of a policy: it answers questions and remembers events; it never acts. Order of the
// calls, tags and allowed answers: protocol.md.
// A policy's calls use no thread, lock, clock, heap or MPI: the same object serves threads and the simulator.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "skua/parts/base/ids.hpp"
#include "skua/parts/topology/layout.hpp"
#include "skua/policy/call_choice.hpp"
#include "skua/policy/known_time.hpp"
#include "skua/policy/needs.hpp"
#include "skua/policy/vocabulary.hpp"
#include "skua/program/hint.hpp"

namespace skua { inline namespace v0 { namespace policies {

/// What a machine tells a policy.
using event = std::variant<probed, begun, returned, waiting, ended, part_ended, team_ended, ordered_here, spawning,
                           found_beside, rested>;

/// One worker's share of a policy. Only that worker calls it (any thread may call `is_choosy`), off the hot path; no call
/// allocates. Same layout, seed and events give the same answers.
class worker_policy {
 public:
  virtual ~worker_policy() = default;

  /// While `sees_forks`: the running task opens a group of n children, which is exposed to the policy. Their works sum to
  /// `total_work` (0: unknown). Returns the group's tag. The machine marks the children from it and places them, in order,
  /// until this worker keeps one and calls it; what is left of the tag belongs to the children after that one.
  /// May write on the task's own tag.
  /// n = 0: a scope is about to fork its first child; its children are not exposed one by one.
  virtual task_tag meet(task_tag& task, double total_work, std::uint64_t n) noexcept {
    static_cast<void>(total_work);
    static_cast<void>(n);
    return task;
  }

  /// Returns the tag of a child with this hint. The child belongs to an exposed group with the tag `parent`, or was just
  /// stolen from a task with that tag.
  virtual task_tag mark(task_tag& parent, hint const& hint) noexcept = 0;

  /// A task is ready, for this cause: returns where to run it. May write on its tag.
  virtual placement place(task_tag& task, cause why) noexcept = 0;

  /// An exposed group has ended; `task` goes on, here or where it is placed next (resumed).
  virtual void leave(task_tag const& task, task_tag const& group) noexcept {
    static_cast<void>(task);
    static_cast<void>(group);
  }

  /// The worker is idle: returns what to try next. The policies here choose it in `learn` of the last probe
  /// (search_round.hpp).
  virtual probe next_probe() noexcept = 0;

  /// What happened: a probe's outcome, or an event of a task.
  virtual void learn(event const& seen) noexcept = 0;

  /// The workers whose cache lines the last `learn` has read to choose the next probe, one entry per line that had
  /// changed since the last read. A simulated machine charges for them.
  [[nodiscard]] virtual std::span<worker_id const> lines_read() const noexcept { return {}; }

  /// True if the machine must expose forks on this worker now (`meet`, `mark`, `place`). False costs the fork nothing.
  [[nodiscard]] virtual bool sees_forks() const noexcept { return false; }

  /// True if a spawn of this weight should run inline, given that its strategy allows it and `queued` tasks wait in
  /// this worker's `ordered` lane. [strategies-2013 2]
  [[nodiscard]] virtual bool calls_instead(std::uint64_t weight, std::uint64_t queued) const noexcept {
    static_cast<void>(weight);
    static_cast<void>(queued);
    return false;
  }

  /// True if a task in this worker's mailbox preempts the running task at its next fork. The machine then places the
  /// preempted task in a lane of this worker (cause: preempted).
  [[nodiscard]] virtual bool preempts() const noexcept { return false; }

  /// True if this policy skips entries that a worker could take, because they are not for it (yet). A rest then does
  /// not mean that there is nothing to do, and one searching worker does not excuse the others from searching. May become true
  /// when tasks of another kind begin to be spawned, before the first of them is in a lane.
  [[nodiscard]] virtual bool is_choosy() const noexcept { return false; }

  /// True if this worker may take an entry of `nodes` or `next` whose tag has this first word of a node.
  [[nodiscard]] virtual bool admits_node(std::uint64_t first_word) const noexcept {
    static_cast<void>(first_word);
    return true;
  }

  /// True if this worker may steal from a task, or take an entry of another lane, whose tag begins with this word.
  [[nodiscard]] virtual bool admits(std::uint64_t first_word) const noexcept {
    static_cast<void>(first_word);
    return true;
  }
};

/// What a machine shows to its policy, beside events. Any of it may be old when it is read.
class machine_view {
 public:
  /// True if tasks of this region wait in the lanes of worker `w`, its inbox aside. A hint. Called on any worker.
  [[nodiscard]] virtual bool has_tasks(worker_id w) const noexcept {
    static_cast<void>(w);
    return false;
  }
  /// True if worker `w` runs a task of another region. A hint. Called on any worker.
  [[nodiscard]] virtual bool works_elsewhere(worker_id w) const noexcept {
    static_cast<void>(w);
    return false;
  }
  /// True if what runs on worker `w`, which asks, is a task on top of another one, which waits: it has that one's tag, and forgets
  /// what `meet` writes on it.
  [[nodiscard]] virtual bool runs_nested(worker_id w) const noexcept {
    static_cast<void>(w);
    return false;
  }
  /// The time that has passed since some moment, for worker `w`, which asks: virtual time in a simulator.
  [[nodiscard]] virtual std::uint64_t now_ns(worker_id w) const noexcept {
    static_cast<void>(w);
    return 0;
  }
  /// The code of a task from outside.
  struct called_code {
    std::uint64_t number = 0;    ///< different code may have the same one
    char const* name = nullptr;  ///< for reports. Null: none
    bool is_enqueued = false;    ///< nobody waits for it
  };
  /// Called on worker `w` while it asks for `place(injected)` or `place(called)`.
  [[nodiscard]] virtual called_code code_of_call(worker_id w) const noexcept {
    static_cast<void>(w);
    return {};
  }
  /// Called on worker `w`. The note's texts are gone afterwards.
  virtual void note(worker_id w, scheduler_note const& done) const noexcept {
    static_cast<void>(w);
    static_cast<void>(done);
  }
  /// For a policy that checks the machine (protocol_checker.hpp).
  /// The frame that worker `w` must continue next, and that no other worker may: a number that no other frame had since
  /// `w` last began something; 0: none is ready. Called on that worker.
  [[nodiscard]] virtual std::uint64_t ready_frame(worker_id w) const noexcept = 0;

 protected:
  machine_view() = default;
  machine_view(machine_view const&) = default;
  machine_view& operator=(machine_view const&) = default;
  ~machine_view() = default;
};

/// A scheduler, as decisions only. One object per region; it outlives the last call of its workers' policies.
class policy {
 public:
  virtual ~policy() = default;
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;

  /// What the machine must build and do for this policy. Always the same answer; asked when the region opens.
  [[nodiscard]] virtual policy_needs needs() const noexcept { return {}; }

  /// One worker's share; all are made when the region starts.
  virtual worker_policy& of_worker(worker_id w) noexcept = 0;

  /// Called before the first call of a worker's policy. The machine outlives the last one.
  virtual void watch(machine_view const& machine) noexcept { static_cast<void>(machine); }

  /// What it has decided for this program and why, as lines of text, if the user has asked for them; empty: nothing. Any thread.
  [[nodiscard]] virtual std::string report() const { return {}; }

  /// The scheduler of each call site, if it chooses one, those with the most time first; for reports, and for a later run's setup. Any
  /// thread; empty while a task from outside runs.
  [[nodiscard]] virtual std::vector<call_choice> choices() const { return {}; }

  /// The times that it has measured, for a later run's setup. Any thread.
  [[nodiscard]] virtual std::vector<known_time> known() const { return {}; }
};

}}}  // namespace skua::v0::policies
