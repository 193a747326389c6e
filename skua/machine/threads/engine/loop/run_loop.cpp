// SPDX-License-Identifier: MIT
// The loop of a worker: what it runs next, and how it falls asleep. How it searches: search.cpp. How its fibers park, resume and
// move: parking.cpp.
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/machine/threads/engine/core/worker.hpp"
#include "skua/machine/threads/engine/loop/next_step.hpp"
#include "skua/machine/threads/engine/loop/work_search.hpp"
#include "skua/machine/threads/fork/fiber/moving.hpp"
#include "skua/machine/threads/lane/turns.hpp"
#include "skua/parts/base/interruptible_sleep.hpp"
#include "skua/parts/context/sanitizer.hpp"

namespace skua { inline namespace v0 { namespace runtime {

namespace {

/// How long a worker sleeps between two searches while its policies bar it from the visible tasks, once its spin budget is used
/// up.
constexpr std::chrono::microseconds barred_sleep{20};

}  // namespace

/// The bottom of every fiber's stack, below its tasks. After each task the fiber may be on another worker.
void worker::run_loop(fiber& on) noexcept {
  for (;;) {
    step const next = next_step_of(on);
    if (next.resume == nullptr && next.run.slot == nullptr) next.runner->end_thread();
    next.runner->enter_observed();
    if (next.resume != nullptr) next.runner->continue_with(*next.resume);
    start_work(on, next.run);
    task& t = *next.run.taken.item;
    t.kind->run(t, next.run.taken.extra, on);
    note_task_end(on);
  }
}

void worker::note_task_end(fiber& on) noexcept {
  tsan::unseen const scheduling;
  slot_of(on).worker.trace_.task_ends();
  if (!on.runs_nested()) on.end_in(slot_of(on));
}

/// Finish what has begun before taking something new: a ready frame goes before anything that a search could find.
worker::step worker::next_step_of(fiber& on) noexcept {
  tsan::unseen const scheduling;
  worker& me = slot_of(on).worker;
  on.front().release_id();
  me.end_work(slot_of(on));
  step const next = next_step::of(me, on);
  if (me.kept_.in() != nullptr) [[unlikely]]
    me.bypass_next();
  return next;
}

/// This worker begins something else than what it keeps in a lane `local` or `next`: others may take that now.
void worker::bypass_next() noexcept {
  fiber_slot const* const kept = kept_.in();
  kept_.taken();
  auto const is_released = [](tagged_entry const& e) {
    return e.as_frame() == nullptr && finish_region::of(*e.item) != nullptr;
  };
  auto const offer = [&](worker_slot& s, auto& from, auto& to) {
    for (tagged_entry next; from.take_newest(next, is_released) == outcome::got;) {
      placement const asked = s.place(next.tag, cause::bypassed);
      bool const is_offered = asked.lane == lane::migrated || asked.lane == lane::nodes;
      if (is_offered && moving::keep(s, to, next)) continue;
      static_cast<void>(moving::keep(s, from, next));  // needs no memory: it was there
      return;
    }
  };
  for (auto const& r : regions()) {
    worker_slot* const s = r->slot_for(*this);
    if (s != kept) continue;
    return offer(*s, s->local, s->migrated), offer(*s, s->next, s->nodes);
  }
}

/// While a task of the region comes first here, leaving the region could not end it, and would write a word that all workers share.
/// Otherwise this worker's count may be all that the owner waits for.
bool worker::turns_from_finish(fiber const& on) const noexcept {
  finish_region const* const inside = share_.inside_of();
  return inside != nullptr && (departure_.is_waited_for() || !next_is_of(on.slot(), *inside));
}

worker::step worker::search() noexcept {
  found const f = work_search::find_work(*this);
  if (f.slot != nullptr) core_.look_after_enqueued(core_.first_region());
  frame* const moved = f.slot == nullptr ? nullptr : f.taken.as_frame();
  return moved != nullptr ? step{this, moved, {}} : step{this, nullptr, f};
}

void worker::start_work(fiber& on, found const& f) noexcept {
  tsan::unseen const scheduling;
  worker& me = f.slot->worker;
  on.runs_nested() ? on.run_in(*f.slot) : on.begin_in(*f.slot);
  me.serves(&f.slot->region);
  on.watch(nullptr);
  on.begins_task(f.taken.tag);
  me.counts_.tasks.add(1);
  if (me.share_.inside_of() != finish_region::of(*f.taken.item)) me.leave_finish();
  if (me.counts_.times.current() != activity::working) me.begin(activity::working);
  me.trace_.task_begins(f.taken, f.lane, f.slot->region.number());
}

/// Brings the time account up to date, because a task has ended or its fiber parks.
void worker::pause_work() noexcept {
  serves(nullptr);
  begin(activity::scheduling);
}

/// As pause_work, when a task has ended. If the worker's own lanes hold more tasks it keeps the activity `working`, and does not read
/// the clock: the 100 ns in between count as work.
void worker::end_work(worker_slot& s) noexcept {
  if (s.own_tasks_look_empty() && !s.region.has_injected()) pause_work();
}

/// False for a guest: it has no worker to which it could leave a frame.
bool worker::may_depart() const noexcept { return departure_.is_due() && !slot_of(*running()).region.is_of_guest(); }

bool worker::has(frame const& tied) const noexcept { return &slot_of(*tied.suspended).worker == this; }

bool worker::is_of_region(frame const& f, fiber const& on) noexcept {
  return &slot_of(*f.suspended).region == &slot_of(on).region;
}

/// Sends the frame on if the policy chooses another worker for it.
bool worker::is_sent_elsewhere(frame& f, fiber& on) noexcept {
  task_tag used;
  placement const to = f.suspended->place_again(on.slot(), used);
  tagged_entry entry{&f, 1, used};
  return send(slot_of(on), entry, to);
}

void worker::send_home(frame& f) noexcept {
  tsan::unseen const scheduling;  // TSan does not see that the frame is ours until the push: it follows flows
  worker_slot& home = slot_of(*f.suspended);
  if (!f.is_tied()) return home.region.make_ready(f);
  pool_core& pool = home.worker.pool();
  pool_core::visit const inside{pool};
  worker_id const only = home.worker.number();
  home.worker.tied_ready_.push(f);
  pool.sleep().wake(only);
}

/// Takes a frame that is tied to this thread, else one of a region, in turn. The policy may send the latter on.
worker::found worker::take_ready() noexcept {
  if (auto* const tied = static_cast<frame*>(static_cast<handed*>(tied_ready_.pop()))) {
    tsan::unseen const scheduling;
    ++tied_taken_;
    return {&slot_of(*tied->suspended), {tied, 1, {}}, lane::inbox};
  }
  for (auto const& r : regions()) {
    worker_slot* const s = r->slot_for(*this);
    if (s == nullptr) continue;
    while (frame* const f = r->take_ready()) {
      tagged_entry entry{f, 1, {}};
      placement const to = f->suspended->place_again(*s, entry.tag);
      if (!send(*s, entry, to)) return {s, entry, lane::injected};
    }
  }
  return {};
}

bool worker::other_regions_wait(region const& mine) const noexcept {
  tsan::unseen_accesses const of_the_worker;
  return turns::others_wait(*this, mine);
}

bool worker::turns_away(worker_slot const& s) const noexcept { return turns::turns_away(*this, s); }

void worker::short_sleep(std::uint64_t since) noexcept {
  if (since < core_.spin_ns()) return static_cast<void>(back_off(now_ns()));
  begin(activity::idling);
  interruptible_sleep(barred_sleep);
  begin(activity::scheduling);
}

std::uint64_t worker::back_off(std::uint64_t now) noexcept {
  if (!core_.offers_processor(now)) {
    core_.back_off();
    return 0;
  }
  ::sched_yield();
  return core_.sleep().anyone_runs() ? 0 : now_ns() - now;
}

/// The rest of a worker's own tasks comes first, and callers never stand down: nobody else would end their calls.
bool worker::stands_down(bool searches) noexcept {
  if (!core_.sleep().is_over_limit() || is_lent_ || work_search::anything_for_it_alone(*this)) return false;
  core_.look_after_enqueued(core_.first_region());
  leave_observed();
  begin(activity::idling);
  trace_.sleeps(counts_.attempts.read());
  leave_permit();
  home_processor::saved_mask const own = home_.before_sleep();
  bool const stood_down =
      core_.sleep().stand_down(number_, searches, [this] { return work_search::anything_for_it_alone(*this); });
  home_.after_sleep(own);
  enter_permit();
  if (stood_down) counts_.sleeps.add(1);
  begin(activity::scheduling);
  return stood_down;
}

void worker::leave_permit() noexcept {
  if (std::exchange(is_in_permit_, false)) core_.permit().leave_thread();
}

void worker::enter_permit() noexcept { is_in_permit_ = core_.permit().enter_thread(); }

bool worker::fall_asleep() noexcept {
  if (!is_lent_) {
    leave_observed();  // ThreadSanitizer ignores what an observer does here, which can hide a race but report no false one
    leave_permit();
  }
  core_.oversubscribed().look_again(now_ns());
  begin(activity::idling);
  trace_.sleeps(counts_.attempts.read());
  home_processor::saved_mask const own = home_.before_sleep();
  bool const slept = core_.sleep().fall_asleep(
      number_, [this] { core_.request_attention(); }, [this](reach r) { return work_search::anything_to_do(*this, r); },
      is_lent_ ? sleep_state<>::thread::callers : sleep_state<>::thread::own);
  home_.after_sleep(own);
  if (!is_lent_) enter_permit();
  if (slept) counts_.sleeps.add(1);
  begin(activity::scheduling);
  return slept;
}

void worker::request_attention_of_own() noexcept {
  tsan::unseen const scheduling;
  refresh_regions();  // those of who was here before may be gone
  for (auto const& r : regions()) {
    worker_slot* const s = r->slot_for(*this);
    if (s != nullptr) s->request_own_attention();
  }
}

bool worker::was_woken() noexcept { return std::exchange(was_woken_, false); }

bool worker::has_new_regions() const noexcept { return turns_.are_old(core_); }

void worker::refresh_regions() noexcept {
  if (!has_new_regions()) [[likely]]
    return;
  tsan::unseen const of_the_worker;
  turns_.renew(core_);
}

worker_slot& worker::first_slot() noexcept {
  tsan::unseen const scheduling;
  return *core_.first_region().slot_for(*this);
}

void worker::adopt(fiber& on) noexcept {
  tsan::unseen const scheduling;
  run_from_now_on(&on);
}

void worker::fiber_main(void* self) noexcept {
  auto& me = *static_cast<worker*>(self);
  fiber on{me.first_slot()};
  me.adopt(on);
  run_loop(on);
}

}}}  // namespace skua::v0::runtime
