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

namespace skua {

/// What a policy writes on a task that it was shown; opaque to machines, copied with the task.
struct tag {
  std::uint64_t words[4] = {};
  friend constexpr bool operator==(tag const&, tag const&) = default;
};

/// One worker's share of a policy. Its verbs are called by that worker only, off the hot path, and never allocate.
/// Same layout, seed and events give the same answers.
class mind {
 public:
  virtual ~mind() = default;

  /// A child with this hint is born of a task with this tag (only while `sees_forks`).
  virtual tag mark(tag& parent, hint const& known) noexcept = 0;

  /// A task is ready, and why: whose is it?
  virtual placement place(tag const& task, cause why) noexcept = 0;

  /// I am idle: what shall I try next?
  virtual probe hunt() noexcept = 0;

  /// This came of it.
  virtual void learn(event const& seen) noexcept = 0;

  /// Must forks on this worker be shown to `mark` and `place` now? False costs the fork nothing.
  [[nodiscard]] virtual bool sees_forks() const noexcept { return false; }
};

/// A scheduler, as decisions only. One object per region; it outlives its minds' last verb.
class policy {
 public:
  virtual ~policy() = default;
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;

  /// The mind of one worker; all are made when the region starts.
  virtual mind& mind_of(worker_id w) noexcept = 0;
};

}  // namespace skua
