// SPDX-License-Identifier: MIT
// Which of a worker's `local` lanes holds the task that it takes next, and for which it has woken nobody. If it begins something
// else first, it offers that task (policy/protocol.md, "bypassed").
#pragma once

#include "skua/parts/context/sanitizer.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class fiber_slot;

/// Used by the thread in the worker's place only. The slot may be gone if a thief took the task: compare, do not follow.
class kept_next {
 public:
  void keep(fiber_slot const& of) noexcept { set(&of); }
  /// The worker has emptied a `local` lane.
  void taken() noexcept { set(nullptr); }
  /// Null: none is kept.
  [[nodiscard]] fiber_slot const* in() const noexcept {
    tsan::unseen_accesses const of_the_worker;
    return in_;
  }

 private:
  void set(fiber_slot const* to) noexcept {
    tsan::unseen_accesses const of_the_worker;
    in_ = to;
  }
  fiber_slot const* in_ = nullptr;
};

}}}  // namespace skua::v0::runtime
