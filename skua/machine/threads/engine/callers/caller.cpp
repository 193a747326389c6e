// SPDX-License-Identifier: MIT
#include "skua/machine/threads/engine/callers/caller.hpp"

#include <sched.h>

#include <algorithm>
#include <cstddef>

#include "skua/machine/threads/engine/callers/place.hpp"
#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/machine/threads/engine/core/region.hpp"
#include "skua/machine/threads/engine/core/worker.hpp"
#include "skua/machine/threads/engine/outside/root.hpp"
#include "skua/parts/base/assert.hpp"
#include "skua/parts/context/context.hpp"
#include "skua/parts/context/overflow.hpp"
#include "skua/parts/context/sanitizer.hpp"

namespace skua { inline namespace v0 { namespace runtime {

worker* caller::borrow(region& where) noexcept {
  int patience = 100;  // about as many switches of threads as a worker needs to fall asleep
  for (std::uint32_t i = 0; i < where.workers(); ++i) {
    if (worker* const lent = borrow(where.slot_of(worker_id{i}).worker, patience)) return lent;
  }
  return nullptr;
}

worker* caller::borrow(worker& w, int& patience) noexcept {
  if (take_open_place(w.pool(), w.number())) return &w;
  loan answer = loan::soon;
  do {
    answer = take_place(w.pool().sleep(), w.number(), w.departure_, [&w]() noexcept { w.request_attention_of_own(); });
    if (answer == loan::soon) ::sched_yield();
  } while (answer == loan::soon && --patience > 0);
  return answer == loan::given ? &w : nullptr;
}

bool caller::run(region& where, root& call) noexcept {
  worker* const lent = borrow(where);
  if (lent == nullptr) return false;
  run_in(*lent, where, call);
  return true;
}

bool caller::run_in_place_of(region& where, worker_id w, root& call) noexcept {
  int patience = 100;
  worker* const lent = borrow(where.slot_of(w).worker, patience);
  if (lent == nullptr) return false;
  run_in(*lent, where, call);
  return true;
}

void caller::run_in(worker& me, region& where, root& call) noexcept {
  outside_watch const& own = watch_thread_from_outside();
  thread_record* const outside = current_thread();
  thread_record record;
  record.worker = index(me.number());
  record.owner = &me;
  record.blocks = &me.blocks_;
  set_current_thread(&record);
  // The state with which the worker's own thread continues. The rest of it is unused while that thread sleeps.
  fiber* const slept_fiber = me.running();
  stack* const slept_stack = me.flows_.current_stack;
  worker_slot& slot = move_in(me, where);
  me.home_.come();
  std::size_t const wanted = me.core_.stacks().stack_bytes() / 8 * 7;
  stack* const larger = own.left_below(__builtin_frame_address(0)) >= wanted ? nullptr : larger_stack(me, outside);
  if (larger == nullptr) [[likely]] {
    run_as(me, slot, call);
  } else {
    run_on(*larger, me, slot, call);
  }
  me.home_.leave();
  tsan::unseen const scheduling;
  me.run_from_now_on(slept_fiber);
  me.flows_.current_stack = slept_stack;
  me.is_lent_ = false;
  set_current_thread(outside);
  give_back(me);
}

worker_slot& caller::move_in(worker& me, region& where) noexcept {
  {
    tsan::unseen_accesses const scheduling;
    me.flows_.current_stack = nullptr;
    me.flows_.callers_frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    me.is_lent_ = true;
  }
  me.refresh_regions();
  return *where.slot_for(me);
}

/// A stack of the pool for a caller that has clearly less left of its own (caller.md, "Stacks"). Null: the caller keeps its own.
stack* caller::larger_stack(worker& me, thread_record const* outside) noexcept {
  tsan::unseen const scheduling;
  if (outside != nullptr && outside->running != nullptr) return nullptr;  // it runs on a pool's already
  return me.flows_.stacks.try_take();
}

namespace {

/// A call whose body runs on a stack of the pool. Lies on the caller's stack.
struct call_on_stack {
  worker& me;
  worker_slot& slot;
  root& call;
  context callers{};
};

}  // namespace

void caller::run_on(stack& s, worker& me, worker_slot& slot, root& call) noexcept {
  call_on_stack all{me, slot, call};
  {
    tsan::unseen const scheduling;
    me.flows_.current_stack = &s;
    start(me.flows_.next, s, &caller::begin_on_stack, &all);
    inherit_exceptions(me.flows_.next);
  }
  switch_to(all.callers, me.flows_.next, nullptr, nullptr);
  tsan::acquire(&all);
}

void caller::begin_on_stack(void* call) noexcept {
  auto& all = *static_cast<call_on_stack*>(call);
  worker& me = all.me;
  run_as(me, all.slot, all.call);
  disown_exceptions();
  {
    tsan::unseen const scheduling;
    me.flows_.ended_stack = me.flows_.current_stack;  // `run` makes another one current
  }
  tsan::release(&all);
  leave_to(me.flows_.ended, all.callers, &worker::recycle_stack, &me);
}

void caller::run_as(worker& me, worker_slot& slot, root& call) noexcept {
  fiber on{slot};
  on.tie(true);
  {
    tsan::unseen const scheduling;
    on.begin_in(slot);
    me.run_from_now_on(&on);
    task_tag outside;
    task_tag tag = slot.policy.mark(outside, call.hinted());
    slot.placed_call = &call;
    static_cast<void>(slot.place(tag, cause::called));
    slot.placed_call = nullptr;
    me.serves(&slot.region);
    on.begins_task(tag);
    me.counts_.tasks.add(1);
    me.calls().add(1);
    if (me.core_.times_asked()) me.begin(activity::working);
    me.trace_.call_begins(call.name());
  }
  me.enter_observed();
  call.call(on);
  await_departure(me, on);
  me.leave_observed();
  // After the wait, which is part of the call: a task that has ended must not resume.
  if (!call.reports_its_end()) on.task_ends();
  on.front().release_id();
  tsan::unseen const scheduling;
  me.serves(nullptr);
  on.end_in(slot);
  me.trace_.call_ends();
  me.calls().add(1);
  // Not traced: in a trace the call's end means that the worker sleeps again.
  if (me.counts_.times.current() != activity::idling) me.counts_.times.change_to(activity::idling, worker::now_ns());
}

/// The task is the call: the policy has placed it as one (`called`), with its hint, and is told one begin and one end.
void caller::run_submitted(fiber& on, handed& t, std::uint64_t extra) noexcept {
  t.kind->run(t, extra, on);
  if (frame* const ready = on.take_ready()) worker::send_home(*ready);
}

/// Waits for parked frames that only this thread may resume: tasks that it has begun may have left some.
void caller::await_departure(worker& me, fiber& on) noexcept {
  if (me.departure_.is_free()) return;
  group left{nullptr, 2};
  me.departure_.waits_in(left);
  waits_for const why{on, {"frames that only this thread may resume"}};
  on.wait(left, 1);
}

void caller::give_back(worker& me) noexcept {
  invariant(me.flows_.ready == nullptr && me.departure_.is_free() && !me.departure_.is_waited_for(),
            "a caller that leaves holds no ready frame (next_step.md)");
  leave_place(me);
}

}}}  // namespace skua::v0::runtime
