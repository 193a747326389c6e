// SPDX-License-Identifier: MIT
// How a fiber waits and goes on: its frame is saved on its own stack, its worker goes on elsewhere, and whoever finds
// the frame ready continues it. Steps and proof: group.md, "parking" and "without a stack".
#include <exception>
#include <utility>

#include "skua/machine/threads/placement/moving.hpp"
#include "skua/machine/threads/pool/pool_core.hpp"
#include "skua/machine/threads/worker/worker.hpp"
#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/context/sanitizer.hpp"

namespace skua::runtime {

bool worker::park(here& waiting, group& g, std::uint64_t mine) noexcept {
  tsan::unseen const scheduling;
  // The fiber may wait for something else than its innermost join.
  if (!moving::clear_lanes(waiting)) return false;
  stack* const fresh = take_stack();
  if (fresh == nullptr) return false;
  frame f{waiting, current_stack_, true};
  g.wait_in(f);
  parking_ = {&g, mine};
  counts_.parked.add(1);
  pause_work(waiting.at());
  current_stack_ = fresh;
  skua::runtime::start(next_, *fresh, &worker::fiber_main, this);
  switch_to(f.saved, next_, &worker::commit_park, this);
  // From here on `this` is perhaps not our worker any more.
  f.resumed();
  return true;
}

stack* worker::take_stack() noexcept {
  try {
    return stacks_.take();
  } catch (std::exception const&) {
    return nullptr;
  }
}

/// The frame is saved: subtract its share. From then on it may be resumed elsewhere. Returns it if nobody else will.
frame* worker::commit_share() noexcept { return static_cast<frame*>(parking_.waits_for->park(parking_.mine)); }

void worker::commit_park(void* self) noexcept {
  auto& me = *static_cast<worker*>(self);
  if (frame* const f = me.commit_share()) me.ready_ = f;
}

void worker::commit_exchange(void* self) noexcept {
  if (frame* const f = static_cast<worker*>(self)->commit_share()) send_home(*f);
}

void worker::wait_in_place(here& waiting, group& g, std::uint64_t mine) noexcept {
  waiting.at().who.counts_.waited_in_place.add(1);
  while (!g.left_only(mine)) {
    worker& me = waiting.at().who;
    me.refresh_slots();
    found const f = me.probe_everywhere();
    if (f.at == nullptr) {
      me.core_.back_off();
      me.note_vain_round(now_ns());
      continue;
    }
    if (frame* const ready = f.what.as_frame()) return me.exchange_for(*ready, waiting, g, mine);
    run_on_top(waiting, f);
    waiting.at().who.pause_work(waiting.at());
  }
  waiting.at().who.begin(activity::working);
}

void worker::run_on_top(here& fiber, found const& f) noexcept {
  worker_slot& below = fiber.at();
  bool const tied = fiber.tie(true);
  {
    fiber::nested_task const its_own{fiber, nullptr};
    start_work(fiber, f);
    task& t = *f.what.what;
    t.is->run(t, f.what.extra, fiber);
  }
  if (frame* const ready = fiber.take_ready()) send_home(*ready);
  fiber.tie(tied);
  fiber.run_in(below);
  fiber.begins(fiber.tag(), true);
}

void worker::exchange_for(frame& next, here& waiting, group& g, std::uint64_t mine) noexcept {
  tsan::unseen const scheduling;
  frame f{waiting, current_stack_, true};
  g.wait_in(f);
  parking_ = {&g, mine};
  counts_.parked.add(1);
  pause_work(waiting.at());
  return_to(next);
  switch_to(f.saved, next.saved, &worker::commit_exchange, this);
  f.resumed();
}

/// Parking and resuming cost about as much as looking this often: whoever looks first and parks then loses at most
/// twice what the better choice would have cost, and siblings that end together do not park at all. While something that
/// was placed here waits for this worker (perhaps a child of this very group), looking only keeps it waiting.
bool fiber::ends_soon(group const& g, std::uint64_t mine) const noexcept {
  if (!at().migrated.looks_empty()) return false;
  for (int looks = 0; looks < 24; ++looks) {
    if (g.left_only(mine)) return true;
    relax();
  }
  return false;
}

void fiber::park(group& g, std::uint64_t mine) noexcept {
  at().who.begin(activity::scheduling);
  if (ends_soon(g, mine)) {
    relocate();
    at().who.begin(activity::working);
    return;
  }
  {
    tsan::unseen const scheduling;
    at().policy.learn(waiting{});
    at().update_exposure();
  }
  if (at().who.park(static_cast<here&>(*this), g, mine)) {
    static_cast<void>(g.left_only(0));  // our resumer has acquired, but TSan orders flows, not threads
    return;
  }
  worker::wait_in_place(static_cast<here&>(*this), g, mine);
}

void worker::continue_with(frame& f) noexcept {
  prepare_to_leave(&f);
  leave_to(ended_, f.saved, &worker::recycle_stack, this);
}

void worker::end_thread() noexcept {
  prepare_to_leave(nullptr);
  leave_to(ended_, native_, &worker::recycle_stack, this);
}

/// The running fiber ends; `next` (null: the thread's own flow) will run on this worker.
void worker::prepare_to_leave(frame* next) noexcept {
  tsan::unseen const scheduling;
  ended_stack_ = std::exchange(current_stack_, nullptr);
  if (next != nullptr) return_to(*next);
}

/// This worker's running fiber is the frame's from now on.
void worker::return_to(frame& f) noexcept {
  current_stack_ = f.on;
  if (!f.is_open) f.call();
  here& resumed = *f.fiber;
  worker_slot& mine = *resumed.at().in.slot_for(*this);
  resumed.run_in(mine);
  resumed.begins(resumed.tag(), f.is_open);
  resumed.forget_places();
  if (resumed.watching() != nullptr) mine.request_attention();  // what it watches may have been stopped meanwhile
  fiber_ = &resumed;
  begin(activity::working);
}

void worker::recycle_stack(void* self) noexcept {
  auto& me = *static_cast<worker*>(self);
  me.stacks_.give(me.ended_stack_);
  me.ended_stack_ = nullptr;
}

task_kind const frame::kind{
    .run = [](task&, std::uint64_t, here&) noexcept { broken("protocol", "frames are resumed by the worker loop"); }};

}  // namespace skua::runtime
