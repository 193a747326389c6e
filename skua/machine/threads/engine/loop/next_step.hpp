// SPDX-License-Identifier: MIT
// What a fiber does when its task has ended: it resumes a frame, begins a task that a search finds, or ends with its thread.
// States and invariants: next_step.md. Generic in the worker, so that next_step_model.cpp can supply its own.
#pragma once

namespace skua { inline namespace v0 { namespace runtime {

struct next_step {
  /// Asks each source in turn (next_step.md, "Sources"). The first one that has a frame or a task for this worker decides.
  template <class Worker, class Fiber>
  [[nodiscard]] static typename Worker::step of(Worker& me, Fiber& fiber) noexcept {
    if (auto* const ready = fiber.take_ready(); ready != nullptr && is_mine(me, fiber, *ready)) return {&me, ready, {}};
    if (auto* const parked = me.take_parked(); parked != nullptr && (!parked->is_open || is_mine(me, fiber, *parked))) {
      return {&me, parked, {}};
    }
    if (me.turns_from_finish(fiber)) {
      if (auto* const ended = me.leave_share(); ended != nullptr && is_mine(me, fiber, *ended)) return {&me, ended, {}};
    }
    if (auto* const caller = me.take_departure()) return {&me, caller, {}};
    return me.search();
  }

  /// For a frame that has become ready here. True: it resumes here. False: it was sent to its own worker or region.
  template <class Worker, class Fiber, class Frame>
  [[nodiscard]] static bool is_mine(Worker& me, Fiber& fiber, Frame& f) noexcept {
    if (f.is_tied()) {
      if (me.has(f)) return true;
    } else if (!me.may_depart() && me.is_of_region(f, fiber)) {  // a caller that may leave begins no long work
      return !me.is_sent_elsewhere(f, fiber);
    }
    Worker::send_home(f);
    return false;
  }
};

}}}  // namespace skua::v0::runtime
