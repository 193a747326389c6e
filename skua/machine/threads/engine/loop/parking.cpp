// SPDX-License-Identifier: MIT
// How a worker's fibers park, resume and move. A fiber that waits leaves its frame on its own stack, its worker continues
// with other work, and a worker that finds the frame ready resumes it. Steps and proof: group.md, "Parking" and "Without a
// stack"; exposed_group.md, "Moving".
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <utility>

#include "skua/machine/threads/engine/core/parked_frames.hpp"
#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/machine/threads/engine/core/worker.hpp"
#include "skua/machine/threads/engine/loop/work_search.hpp"
#include "skua/machine/threads/engine/team/team_of_workers.hpp"
#include "skua/machine/threads/fork/fiber/moving.hpp"
#include "skua/parts/context/sanitizer.hpp"

namespace skua { inline namespace v0 { namespace runtime {

namespace {

/// How long a fiber that waits in place may be idle before it looks for the reason.
constexpr std::uint64_t patience_ns = 1'000'000'000;

void say_out_of_stacks(stack_pool const& stacks, char const* what) noexcept {
  try {
    std::fprintf(stderr, "skua: out of stacks: %s; %s\n", what, stacks.refusal(ENOMEM).c_str());
  } catch (std::exception const&) {  // no memory for the text, either
    std::fprintf(stderr,
                 "skua: out of stacks: %s; raise ulimit -v or vm.max_map_count, or choose a smaller stack"
                 " (SKUA_STACK)\n",
                 what);
  }
}

}  // namespace

bool worker::park(fiber& waiting, group& g, std::uint64_t mine) noexcept {
  tsan::unseen const scheduling;
  // The fiber may wait for something other than its innermost join, and so may have open joins.
  if (!moving::clear_lanes(waiting) || !waiting.leaves_joins()) return false;
  stack* const fresh = flows_.stacks.try_take();
  if (fresh == nullptr) return false;
  frame f{waiting, flows_.current_stack, true};
  prepare_to_park(f, g, mine);
  flows_.current_stack = fresh;
  runtime::start(flows_.next, *fresh, &worker::fiber_main, this);
  switch_to(f.saved, flows_.next, &worker::commit_park, this);
  // From here on `this` may no longer be the fiber's worker.
  f.resumed();
  return true;
}

void worker::wait_in_place(fiber& waiting, group& g, std::uint64_t mine) noexcept {
  slot_of(waiting).worker.counts_.waited_in_place.add(1);
  waiting.clock().stop();
  fiber::buried const myself{g, mine, waiting.watching(), waiting.beneath()};
  std::uint64_t idle_since = 0;
  wait_reason const reason = slot_of(waiting).worker.take_reason();
  for (unsigned rounds = 1; !g.left_only(mine); ++rounds) {
    // Other workers may have given stacks back. Asking costs a system call.
    if (rounds % 16 == 0) {
      slot_of(waiting).worker.in_place_for_.store(nullptr,
                                                  std::memory_order_relaxed);  // relaxed: a literal, said below again
      slot_of(waiting).worker.keep_reason(reason);
      if (slot_of(waiting).worker.park(waiting, g, mine)) {
        static_cast<void>(g.left_only(0));  // as in fiber::park
        return;
      }
      static_cast<void>(slot_of(waiting).worker.take_reason());
    }
    worker& me = slot_of(waiting).worker;
    me.refresh_regions();
    if (me.turns_from_finish(waiting)) me.leave_finish();  // as next_step
    found const f = work_search::find(me);
    if (f.slot == nullptr) {
      me.in_place_for_.store(reason.text, std::memory_order_relaxed);  // relaxed: a literal
      me.leave_finish();
      std::uint64_t const now = now_ns();
      static_cast<void>(me.back_off(now));
      me.note_failed_round(now);
      if (idle_since == 0) idle_since = now;
      if (now - idle_since > patience_ns) me.report_buried(waiting);
      continue;
    }
    idle_since = 0;
    me.in_place_for_.store(nullptr, std::memory_order_relaxed);  // relaxed: as above
    if (frame* const ready = f.taken.as_frame()) {
      if (!waiting.leaves_joins()) {  // no memory
        send_home(*ready);
        continue;
      }
      me.keep_reason(reason);
      return me.exchange_for(*ready, waiting, g, mine);
    }
    waiting.lie_on(&myself);
    run_on_top(waiting, f);
    waiting.lie_on(myself.below);
    slot_of(waiting).worker.pause_work();
  }
  // As return_to: the fiber that resumes may be a caller that leaves, and a waiter for tasks that ran on top would wait for this worker's next task.
  slot_of(waiting).worker.leave_finish();
  waiting.clock().go();
  slot_of(waiting).worker.goes_on();
}

/// The fiber on top continues after a wait without a frame.
void worker::goes_on() noexcept {
  in_place_for_.store(nullptr, std::memory_order_relaxed);  // relaxed: as where it is set
  serves(&slot_of(*running()).region);
  begin(activity::working);
}

void worker::report_buried(fiber const& waiting) noexcept {
  fiber::buried const* ready = waiting.beneath();
  while (ready != nullptr && !ready->is_ready()) ready = ready->below;
  if (ready == nullptr || !core_.report_once()) return;
  say_out_of_stacks(core_.stacks(),
                    "a task could continue, but lies under a waiting one on the same stack. If the waiting task"
                    " waits for it, the program hangs");
}

void worker::expect_none_beneath(fiber const& waiting, wait_group const& tasks) noexcept {
  for (fiber::buried const* b = waiting.beneath(); b != nullptr; b = b->below) {
    if (!b->belongs_to(tasks)) continue;
    say_out_of_stacks(slot_of(waiting).worker.core_.stacks(),
                      "a task waits for a task_group, one of whose tasks lies under it on the same stack and"
                      " therefore cannot end");
    std::abort();
  }
}

void worker::wait_alone(fiber& waiting, group const& g, std::uint64_t mine) noexcept {
  std::uint64_t const began = now_ns();
  waiting.clock().stop();
  leave_finish();
  in_place_for_.store(take_reason().text, std::memory_order_relaxed);  // relaxed: a literal
  while (!g.left_only(mine)) {
    if (waiting.forks().may_have_stolen()) waiting.note_steals();
    short_sleep(now_ns() - began);
  }
  waiting.clock().go();
  goes_on();
}

void worker::run_on_top(fiber& on, found const& f) noexcept {
  worker_slot& below = slot_of(on);
  bool const tied = on.tie(true);
  task_clock const waits = on.clock();
  fiber_forks* const has = on.forks_in(*f.slot);
  fiber_forks& forks = has != nullptr ? *has : f.slot->unused_forks.take();
  {
    fiber::nested_task const nested{on, nullptr, forks};
    start_work(on, f);
    task& t = *f.taken.item;
    t.kind->run(t, f.taken.extra, on);
    note_task_end(on);
  }
  if (has == nullptr) f.slot->unused_forks.give(forks);
  if (worker& me = slot_of(on).worker; me.kept_.in() != nullptr)
    me.bypass_next();  // the fiber beneath may go on at once
  if (frame* const ready = on.take_ready()) send_home(*ready);
  on.tie(tied);
  on.run_in(below);
  below.worker.serves(&below.region);
  on.clock() = waits;
  on.begins(on.tag(), true);
}

void worker::exchange_for(frame& next, fiber& waiting, group& g, std::uint64_t mine) noexcept {
  tsan::unseen const scheduling;
  frame f{waiting, flows_.current_stack, true};
  prepare_to_park(f, g, mine);
  return_to(next);
  switch_to(f.saved, next.saved, &worker::commit_exchange, this);
  f.resumed();
}

/// Records that the running fiber, whose frame is `f`, waits for `g` and accounts for `mine` of its children. A switch must
/// follow.
void worker::prepare_to_park(frame& f, group& g, std::uint64_t mine) noexcept {
  g.wait_in(f);
  flows_.parking = {&g, mine};
  counts_.parked.add(1);
  if (f.is_tied_to_thread()) departure_.ties();
  f.suspended->clock().stop();
  f.suspended->front().release_id();
  trace_.parks(f);
  pause_work();
  note_parked(f, &g);
}

/// Records the frame for the report of a stall, if the user asks for it. Call it before other workers can resume the frame.
void worker::note_parked(frame& f, group const* g) noexcept {
  wait_reason const reason = take_reason();
  parked_frames* const all = core_.parked();
  if (all == nullptr) [[likely]]
    return;
  f.noted = {.earlier = nullptr, .later = nullptr, .waits_for = g, .reason = reason, .since_ns = now_ns()};
  all->add(f);
}

/// Runs once the frame is saved, and subtracts its share; from then on another worker may resume it. Returns the frame
/// if all other children have ended: then the caller must resume it.
frame* worker::commit_share() noexcept {
  return static_cast<frame*>(flows_.parking.waits_for->park(flows_.parking.mine));
}

void worker::commit_park(void* self) noexcept {
  auto& me = *static_cast<worker*>(self);
  if (frame* const f = me.commit_share()) me.flows_.ready = f;
}

void worker::commit_exchange(void* self) noexcept {
  if (frame* const f = static_cast<worker*>(self)->commit_share()) send_home(*f);
}

void worker::continue_with(frame& f) noexcept {
  prepare_to_leave(&f);
  leave_to(flows_.ended, f.saved, &worker::recycle_stack, this);
}

void worker::end_thread() noexcept {
  {
    tsan::unseen const scheduling;  // also what an observer does here, as in fall_asleep
    leave_observed();
  }
  prepare_to_leave(nullptr);
  leave_to(flows_.ended, flows_.native, &worker::recycle_stack, this);
}

/// The running fiber ends; `next` (null: the thread's own flow) will run on this worker.
void worker::prepare_to_leave(frame* next) noexcept {
  tsan::unseen const scheduling;
  invariant(running()->holds_nothing() && flows_.ready == nullptr,
            "a fiber that ends holds no ready frame (next_step.md)");
  flows_.ended_stack = std::exchange(flows_.current_stack, nullptr);
  if (next != nullptr) return_to(*next);
}

/// Makes the fiber of frame `f` this worker's running fiber.
void worker::return_to(frame& f) noexcept {
  leave_finish();
  if (parked_frames* const all = core_.parked()) [[unlikely]]
    all->remove(f);
  flows_.current_stack = f.stack;
  if (!f.is_open) f.call();
  fiber& resumed = *f.suspended;
  if (resumed.is_tied()) departure_.unties();
  worker_slot& mine = *slot_of(resumed).region.slot_for(*this);
  resumed.run_in(mine);
  serves(&mine.region);
  resumed.begins(resumed.tag(), f.is_open);
  if (resumed.watching() != nullptr) mine.request_attention();  // a node that it watches may have been stopped
  run_from_now_on(&resumed);
  resumed.clock().go();
  begin(activity::working);
  trace_.resumes(f);
}

void worker::recycle_stack(void* self) noexcept {
  auto& me = *static_cast<worker*>(self);
  me.flows_.stacks.give(me.flows_.ended_stack);
  me.flows_.ended_stack = nullptr;
}

bool worker::send_one(worker_slot& from, tagged_entry& entry, placement const& to) noexcept {
  std::uint64_t const id = worker_trace::id_of(entry);  // the entry may be gone once it is sent
  placement went;
  if (!moving::send(from, entry, to, &went)) return false;
  from.worker.trace_.sends(id, {from.neighbour(went.worker).worker.number(), went.lane, 1});
  return true;
}

bool worker::send(worker_slot& from, tagged_entry& entry, placement const& to) noexcept {
  if (to.width == 1 && to.worker == from.id) [[likely]]
    return false;
  tsan::unseen const scheduling;
  if (to.width == 1) return send_one(from, entry, to);
  return team_of_workers::form(from, *entry.item, entry.tag, to) || send_one(from, entry, from.place_alone(entry.tag));
}

/// Moves the running fiber to another worker between two groups. Without a stack or memory for that, it stays.
void worker::move(fiber& on, placement const& to, task_tag const& tag) noexcept {
  tsan::unseen const scheduling;
  stack* const fresh = moving::clear_lanes(on) && on.leaves_joins() ? flows_.stacks.try_take() : nullptr;
  if (fresh == nullptr) return;
  frame f{on, flows_.current_stack, false};
  flows_.leaving = {&f, to, tag};
  on.clock().stop();
  on.front().release_id();
  trace_.moves(f, slot_of(on).neighbour(to.worker).worker.number());
  pause_work();
  note_parked(f, nullptr);
  flows_.current_stack = fresh;
  runtime::start(flows_.next, *fresh, &worker::fiber_main, this);
  switch_to(f.saved, flows_.next, &worker::commit_move, this);
  f.resumed();
}

/// Runs once the frame is saved: from here on another worker may run it.
void worker::commit_move(void* self) noexcept {
  tsan::unseen const scheduling;
  auto& me = *static_cast<worker*>(self);
  frame& f = *me.flows_.leaving.saved;
  if (!moving::hand_over(slot_of(*f.suspended), tagged_entry{&f, 1, me.flows_.leaving.tag},
                         me.flows_.leaving.destination))
    me.flows_.ready = &f;
}

void worker::preempt(fiber& on) noexcept {
  tsan::unseen const scheduling;
  task_tag tag = on.tag();
  placement const to = on.slot().place(tag, cause::preempted);
  if (to.worker == on.slot().id && to.lane == lane::local) move(on, to, tag);
}

}}}  // namespace skua::v0::runtime
