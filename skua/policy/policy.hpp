// SPDX-License-Identifier: MIT
// What should happen? The interface of a policy: asked, it answers; told, it remembers; it never acts.
// No thread, lock, clock, heap use or MPI in a policy's verbs: the same object serves threads and the simulator.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "skua/parts/base/ids.hpp"
#include "skua/parts/topology/layout.hpp"
#include "skua/policy/vocabulary.hpp"
#include "skua/program/hint.hpp"

namespace skua::policies {

/// One worker's share of a policy. Its verbs are called by that worker only, off the hot path, and never allocate.
/// Same layout, seed and events give the same answers.
class worker_policy {
 public:
  virtual ~worker_policy() = default;

  /// While `sees_forks`: the running task opens a group of n children, whose works sum to `total_work` (0: nothing is
  /// known of them). Returns the tag from which the children are marked, in order; they are placed until one is kept by
  /// this worker, which calls it. What is left of the tag then belongs to the children after it. n = 0: a scope; it is
  /// about to fork its first child, and its children are not shown one by one.
  virtual task_tag meet(task_tag const& task, double total_work, std::uint64_t n) noexcept {
    static_cast<void>(total_work);
    static_cast<void>(n);
    return task;
  }

  /// A child with this hint: of a group that was met, or one that has just been stolen from a task with this tag.
  virtual task_tag mark(task_tag& parent, hint const& hint) noexcept = 0;

  /// A task is ready, and why: whose is it? May write on it.
  virtual placement place(task_tag& task, cause why) noexcept = 0;

  /// The group that was met has ended; `task` goes on, here or where it is placed next (resumed).
  virtual void leave(task_tag const& task, task_tag const& group) noexcept {
    static_cast<void>(task);
    static_cast<void>(group);
  }

  /// I am idle: what shall I try next?
  virtual probe next_probe() noexcept = 0;

  /// This came of it.
  virtual void learn(event const& seen) noexcept = 0;

  /// Must forks on this worker be shown to `meet`, `mark` and `place` now? False costs the fork nothing.
  [[nodiscard]] virtual bool sees_forks() const noexcept { return false; }

  /// When something lies in my slot, shall what runs here be laid aside for it at its next fork? It is placed then
  /// (preempted), in a lane of mine.
  [[nodiscard]] virtual bool preempts() const noexcept { return false; }

  /// Entries may lie where I could take them that I do not ask for, because they are not for me (yet): that `hunt` rests
  /// does not mean that there is nothing to do, and that I search does not mean that others need not.
  [[nodiscard]] virtual bool is_choosy() const noexcept { return false; }

  /// May I take something of a task, or from a lane of tagged entries, whose tag begins with this word?
  [[nodiscard]] virtual bool admits(std::uint64_t first_word) const noexcept {
    static_cast<void>(first_word);
    return true;
  }
};

/// A scheduler, as decisions only. One object per region; it outlives its policies' last verb.
class policy {
 public:
  virtual ~policy() = default;
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;

  /// The policy of one worker; all are made when the region starts.
  virtual worker_policy& of_worker(worker_id w) noexcept = 0;
};

}  // namespace skua::policies
