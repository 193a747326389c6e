// SPDX-License-Identifier: MIT
// The loop of a worker, and its thread. How its fibers park, resume and move: parking.cpp.
#include "skua/machine/threads/worker/worker.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#include "skua/machine/threads/pool/pool_core.hpp"
#include "skua/machine/threads/team/team_of_workers.hpp"
#include "skua/machine/threads/worker/next_step.hpp"
#include "skua/machine/threads/worker/should_yield.hpp"
#include "skua/machine/threads/worker/turns.hpp"
#include "skua/machine/threads/worker/work_search.hpp"
#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/memory_limits.hpp"
#include "skua/parts/context/overflow.hpp"
#include "skua/parts/context/sanitizer.hpp"
#include "skua/parts/topology/affinity.hpp"

namespace skua::inline v0::runtime {

namespace {

/// How long a worker sleeps between two looks at tasks that its policies keep from it, once it has used up its spin
/// budget.
constexpr std::chrono::microseconds barred_sleep{20};

}  // namespace

// ---- the loop --------------------------------------------------------------------------------------------------

/// The bottom of every fiber's stack, below its tasks. After each task the fiber may be on another worker.
void worker::run_loop(here& fiber) noexcept {
  for (;;) {
    step const next = next_step_of(fiber);
    if (next.resume == nullptr && next.run.at == nullptr) next.on->end_thread();
    next.on->enter_observed();
    if (next.resume != nullptr) next.on->continue_with(*next.resume);
    start_work(fiber, next.run);
    task& t = *next.run.taken.item;
    t.is->run(t, next.run.taken.extra, fiber);
    note_task_end(fiber);
  }
}

void worker::note_task_end(here const& fiber) noexcept {
  tsan::unseen const scheduling;
  fiber.at().who.trace_.task_ends();
}

/// Finish what has begun before taking something new: a ready frame goes before anything that a search could find.
worker::step worker::next_step_of(here& fiber) noexcept {
  tsan::unseen const scheduling;
  worker& me = fiber.at().who;
  fiber.front().release_id();
  me.end_work(fiber.at());
  return next_step::of(me, fiber);
}

/// While a task of the region comes first here, leaving would end nothing, and cost one word that all workers share. Else the
/// owner may wait for nothing but us.
bool worker::turns_from_finish(here const& fiber) const noexcept {
  finish_region const* const inside = share_.inside_of();
  return inside != nullptr && (departure_.is_waited_for() || !fiber.at().next_is_of(*inside));
}

worker::step worker::search() noexcept {
  found const f = work_search::find_work(*this);
  if (f.at != nullptr) core_.look_after_enqueued(core_.first_region());
  frame* const moved = f.at == nullptr ? nullptr : f.taken.as_frame();
  return moved != nullptr ? step{this, moved, {}} : step{this, nullptr, f};
}

void worker::start_work(here& fiber, found const& f) noexcept {
  tsan::unseen const scheduling;
  worker& me = f.at->who;
  fiber.run_in(*f.at);
  fiber.watch(nullptr);
  fiber.begins_task(f.taken.tag);
  me.counts_.tasks.add(1);
  if (me.share_.inside_of() != finish_region::of(*f.taken.item)) me.leave_finish();
  if (me.counts_.times.current() != activity::working) me.begin(activity::working);
  me.trace_.task_begins(f.taken, f.from, f.at->in.number());
}

/// Brings time and counters up to date, because a task has ended or its fiber parks.
void worker::pause_work(worker_slot& s) noexcept {
  begin(activity::scheduling);
  counts_.forks.add(s.forks.take_pushes());
}

/// As pause_work, when a task has ended. If more tasks are at hand the worker goes on working, and reads no clock: the
/// 100 ns in between count as work.
void worker::end_work(worker_slot& s) noexcept {
  if (!s.own_tasks_look_empty() || s.in.has_injected()) {
    counts_.forks.add(s.forks.take_pushes());
  } else {
    pause_work(s);
  }
}

/// A guest has nobody to leave a frame to.
bool worker::may_depart() const noexcept { return departure_.is_due() && !fiber_->at().in.is_of_guest(); }

bool worker::has(frame const& tied) const noexcept { return &tied.fiber->at().who == this; }

bool worker::is_of_region(frame const& f, here const& fiber) noexcept { return &f.fiber->at().in == &fiber.at().in; }

/// The policy says who continues it.
bool worker::is_sent_elsewhere(frame& f, here& fiber) noexcept {
  task_tag used;
  placement const to = f.fiber->place_again(fiber.at(), used);
  tagged_entry entry{&f, 1, used};
  return send(fiber.at(), entry, to);
}

void worker::send_home(frame& f) noexcept {
  tsan::unseen const scheduling;  // TSan does not see that the frame is ours until the push: it follows flows
  worker_slot& home = f.fiber->at();
  if (!f.is_tied()) return home.in.make_ready(f);
  pool_core& of = home.who.of();
  pool_core::visit const inside{of};
  worker_id const only = home.who.number();
  home.who.tied_ready_.push(f);
  of.sleep().wake(only);
}

/// A frame that is tied to this thread, else one of a region, in turn. The policy may send the latter on.
worker::found worker::take_ready() noexcept {
  if (auto* const tied = static_cast<frame*>(static_cast<handed*>(tied_ready_.pop()))) {
    tsan::unseen const scheduling;
    ++tied_taken_;
    return {&tied->fiber->at(), {tied, 1, {}}, lane::inbox};
  }
  for (auto const& r : regions()) {
    worker_slot* const s = r->slot_for(*this);
    if (s == nullptr) continue;
    while (frame* const f = r->take_ready()) {
      tagged_entry entry{f, 1, {}};
      placement const to = f->fiber->place_again(*s, entry.tag);
      if (!send(*s, entry, to)) return {s, entry, lane::injected};
    }
  }
  return {};
}

/// Regions take turns: the one where something was found last comes first again, but not more than tasks_per_turn times.
worker::found worker::probe_everywhere() noexcept {
  region_list const& all = regions();
  for (std::size_t tried = 0; tried < all.size(); ++tried) {
    worker_slot* const s = all[turn_of_]->slot_for(*this);
    found const f = s == nullptr ? found{} : probe_in(*s);
    bool const ends_turn = f.at == nullptr || ++tasks_of_turn_ == tasks_per_turn;
    if (ends_turn) {
      tasks_of_turn_ = 0;
      turn_of_ = turn_of_ + 1 < all.size() ? turn_of_ + 1 : 0;
    }
    if (f.at != nullptr) return f;
  }
  return {};
}

bool worker::other_regions_wait(region const& mine) const noexcept {
  tsan::unseen_accesses const of_the_worker;
  return turns::others_wait(*this, mine);
}

bool worker::turns_away(worker_slot const& s) const noexcept { return turns::turns_away(*this, s); }

/// Ask, act, report; until a task is found or the policy rests.
worker::found worker::probe_in(worker_slot& s) noexcept {
  for (;;) {
    probe const next = s.policy.next_probe();
    if (next.what == action::rest) {
      if (s.needs.rests) s.policy.learn(policies::rested{core_.touches().seen(now_ns())});
      return {};
    }
    tagged_entry taken;
    outcome const how = execute(s, next, taken);
    s.policy.learn(probed{next, how});
    if (how == outcome::got && !is_sent_on(s, next, taken)) return {&s, taken, next.where};
  }
}

/// The policy may send what was just taken to another worker. A task from the worker's own lanes is already where it
/// belongs.
bool worker::is_sent_on(worker_slot& s, probe const& p, tagged_entry& taken) noexcept {
  frame* const f = taken.as_frame();
  bool const is_own_task =
      f == nullptr && (p.where == lane::spawned || p.where == lane::local || p.where == lane::migrated);
  bool const asks_again = is_own_task && s.needs.chosen;
  if (p.what == action::pop && p.where != lane::injected && !asks_again) return false;
  if (f != nullptr && p.what == action::pop) {
    placement const to = f->fiber->place_again(s, taken.tag);
    return send(s, taken, to);
  }
  if (f == nullptr && (p.where != lane::local && p.where != lane::migrated && p.where != lane::mailbox)) {
    taken.tag = s.policy.mark(taken.tag, taken.item->hint_for(taken.extra));
  }
  cause const why = p.what == action::steal ? cause::stolen : asks_again ? cause::chosen : cause::injected;
  placement const to = s.place(taken.tag, why, f == nullptr && finish_region::is_moldable(*taken.item));
  return send(s, taken, to);
}

outcome worker::execute(worker_slot& s, probe const& p, tagged_entry& out) noexcept {
  if (p.what == action::steal) return steal(s, p, out);
  constexpr auto any = [](tagged_entry const&) { return true; };
  switch (p.where) {
    case lane::forks:
      return outcome::empty;  // empty: the joins of a worker that probes have all been stolen (group.md, "Nesting")
    case lane::spawned: {
      entry newest;
      if (!s.spawned.pop(newest)) return outcome::empty;
      out = {static_cast<task*>(newest.task), newest.extra, {{s.published_tag()}}};
      return outcome::got;
    }
    case lane::mailbox: return s.mailbox.take_oldest(out, any);
    case lane::local: return s.local.take_newest(out, any);
    case lane::migrated: return s.migrated.take_oldest(out, any);
    case lane::ordered: return pop_ordered(s, out);
    case lane::injected: return take_injected(s, p.many, out);
    case lane::inbox: break;
  }
  return pop_inbox(s, out);
}

/// What waits on top of a member of a team, on the same stack, takes no member of another one: that might wait for this one's
/// team. (team.md, "Without a stack")
outcome worker::pop_inbox(worker_slot& s, tagged_entry& out) noexcept {
  if (fiber_->is_in_team()) return outcome::empty;
  auto* const mine = static_cast<handed*>(s.inbox.pop());
  if (mine == nullptr) return outcome::empty;
  task_tag const* const of_member = team_of_workers::tag_of(*mine);
  out = {mine, 1, of_member == nullptr ? task_tag{} : *of_member};
  return outcome::got;
}

outcome worker::pop_ordered(worker_slot& s, tagged_entry& out) noexcept {
  taken_task t;
  if (s.ordered == nullptr || s.ordered->pop(t) != outcome::got) return outcome::empty;
  out = {static_cast<task*>(t.task), t.is_dead ? finish_region::dead : 0, {{s.published_tag()}}};
  return outcome::got;
}

outcome worker::steal_ordered(worker_slot& s, worker_slot& victim, policies::amount many, tagged_entry& out) noexcept {
  if (s.ordered == nullptr || victim.ordered == nullptr) return outcome::empty;
  std::uint64_t const published = victim.published_tag();
  if (!s.policy.admits(published)) return outcome::barred;
  taken_task t;
  outcome const how = many == policies::amount::half_work ? s.ordered->steal_half(victim.id, *victim.ordered, t)
                                                          : s.ordered->steal(victim.id, *victim.ordered, t);
  if (how != outcome::got) return how;
  out = {static_cast<task*>(t.task), t.is_dead ? finish_region::dead : 0, {{published}}};
  if (!s.ordered->looks_empty()) s.notify_work();
  return outcome::got;
}

outcome worker::take_injected(worker_slot& s, policies::amount many, tagged_entry& out) noexcept {
  revocation_count spent;
  outcome const how = s.in.take_injected(s, many, out, spent);
  count(spent);
  return how;
}

void worker::count(revocation_count const& spent) noexcept {
  if (spent.revocations == 0) return;
  counts_.revocations.add(spent.revocations);
  counts_.heavy_fences.add(spent.heavy_fences);
}

outcome worker::steal_from(worker_slot& s, worker_slot& victim, probe const& p, tagged_entry& out) noexcept {
  auto const wanted = [&s](tagged_entry const& f) { return s.policy.admits(f.tag.words[0]); };
  switch (p.where) {
    case lane::local: return victim.local.take_oldest(out, wanted);
    case lane::migrated: return victim.migrated.take_newest(out, wanted);
    case lane::mailbox: return victim.mailbox.take_oldest(out, wanted);
    case lane::ordered: return steal_ordered(s, victim, p.many, out);
    case lane::forks:
    case lane::spawned:
    case lane::inbox:
    case lane::injected: break;
  }
  return p.where == lane::spawned ? steal_untagged(s, victim, victim.spawned.outside(), out)
                                  : steal_untagged(s, victim, victim.forks.outside(), out);
}

/// From a lane whose entries have the tag of what runs there.
template <class Lane>
outcome worker::steal_untagged(worker_slot& s, worker_slot const& victim, Lane from, tagged_entry& out) noexcept {
  if (from.looks_empty()) return outcome::empty;
  std::uint64_t const published = victim.published_tag();
  if (!s.policy.admits(published)) return outcome::barred;
  entry oldest;
  revocation_count spent;
  outcome const how = from.steal(oldest, spent);
  count(spent);
  if (how == outcome::got) out = {static_cast<task*>(oldest.task), oldest.extra, {{published}}};
  return how;
}

outcome worker::steal(worker_slot& s, probe const& p, tagged_entry& out) noexcept {
  invariant(p.whom != s.id && index(p.whom) < s.in.workers(), "a policy's victim is another worker of the region");
  worker_slot& victim = s.in.slot_of(p.whom);
  counts_.attempts.add(1);
  outcome const how = steal_from(s, victim, p, out);
  if (how == outcome::lost) {
    counts_.lost.add(1);
    trace_.loses(victim.who.number());
  }
  if (how == outcome::got) {
    auto const d = s.in.map().distance(s.id, p.whom);
    counts_.steals[d < distance_classes_max ? d : distance_classes_max - 1].add(1);
    trace_.steals(out, p.where, victim.who.number(), d);
  }
  return how;
}

/// True if tasks are visible that the policies do not let this worker take. Others may come for them; this worker looks
/// again soon. (exposed_group.md, "Barred workers")
bool worker::is_barred() noexcept {
  for (auto const& r : regions()) {
    worker_slot* const s = r->slot_for(*this);
    if (s != nullptr && s->policy.is_choosy() && !r->looks_empty_to(s)) return true;
  }
  return false;
}

void worker::short_sleep(std::uint64_t since) noexcept {
  if (since < core_.spin_ns()) return core_.back_off();
  begin(activity::idling);
  std::this_thread::sleep_for(barred_sleep);
  begin(activity::scheduling);
}

bool worker::has_room_for_calls() const noexcept {
  if (current_stack_ != nullptr) return current_stack_->has_room_for_calls();
  auto const used = callers_frame_ - reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  // A call begins on its thread's own stack only where 7/8 of a stack of ours are left: this leaves half of one, as on ours.
  return used < core_.stacks().stack_bytes() / 8 * 3;
}

// ---- sleep -----------------------------------------------------------------------------------------------------

void worker::fall_asleep() noexcept {
  if (!is_lent_)
    leave_observed();  // ThreadSanitizer sees nothing of what an observer does here, which hides a race and makes none
  core_.oversubscribed().look_again(now_ns());
  begin(activity::idling);
  trace_.sleeps(counts_.attempts.read());
  home_processor::saved_mask const own = home_.before_sleep();
  bool const slept = core_.sleep().fall_asleep(
      number_, [this] { core_.request_attention(); }, [this] { return work_search::anything_to_do(*this); },
      is_lent_ ? sleep_state<>::thread::callers : sleep_state<>::thread::own);
  home_.after_sleep(own);
  if (slept) counts_.sleeps.add(1);
  begin(activity::scheduling);
}

bool worker::was_woken() noexcept { return std::exchange(was_woken_, false); }

bool worker::has_new_regions() const noexcept { return regions_seen_ != core_.regions_version(); }

void worker::refresh_regions() noexcept {
  if (!has_new_regions()) [[likely]]
    return;
  tsan::unseen const of_the_worker;
  regions_seen_ = core_.share_regions(regions_);
  turn_of_ = 0;
}

// ---- the thread ------------------------------------------------------------------------------------------------

worker::worker(pool_core& c, worker_id number, worker_record& record)
    : core_(c), number_(number), stacks_(c.stacks()), blocks_(c.blocks()), observers_(*c.observers()), record_(record) {
  thread_record::worker = index(number);
  thread_record::blocks = &blocks_;
  owner = this;
}

void worker::trace_to(trace::track const& to) noexcept {
  trace_.write_to(to);
  leaves_.trace_to(trace_.track());
}

void worker::start() {
  current_stack_ = stacks_.take();
  try {
    thread_ = std::thread([this] { thread_main(); });
  } catch (std::exception const& e) {
    stacks_.give(current_stack_);
    throw resource_error(
        "cannot start worker " + std::to_string(index(number_)) + ": " + e.what() +
        "; ask for fewer workers (SKUA_WORKERS) or smaller stacks (SKUA_STACK), or raise the limits of "
        "threads (ulimit -u) and memory: " +
        memory_limits());
  }
}

void worker::await_ready() { is_ready_.get_future().get(); }

void worker::join() noexcept {
  if (thread_.joinable()) thread_.join();
}

/// A caller's record lies on the caller's stack, and every flow of its thread reads it: no edge orders their reads before
/// the caller's next use of that stack.
worker* worker::current() noexcept {
  tsan::unseen_accesses const of_the_thread;
  thread_record* const r = current_thread();
  return r == nullptr ? nullptr : static_cast<worker*>(r->owner);
}

void worker::thread_main() noexcept {
  set_current_thread(this);
  bool has_begun = false;
  try {
    overflow_watch const watch{*this};
    pin_report_ = core_.pin(number_);
    thread_number_ = number_of_this_thread();
    home_.begin(core_.stays_pinned());
    thread_options const& wanted = core_.options_of_threads();
    name_this_thread(wanted.name_of(std::to_string(index(number_))));
    if (wanted.begins) wanted.begins(number_);
    has_begun = true;
    counts_.times.open(now_ns());
    is_ready_.set_value();
    sleep_at_first();
    runtime::start(next_, *current_stack_, &worker::fiber_main, this);
    switch_to(native_, next_, nullptr, nullptr);
  } catch (...) {
    stacks_.give(current_stack_);
    is_ready_.set_exception(std::current_exception());
  }
  give_stacks_back();
  set_current_thread(nullptr);
  if (has_begun && core_.options_of_threads().ends) core_.options_of_threads().ends(number_);
}

/// A new pool has no work. If thousands of workers each searched to find that out, they would slow each other down.
/// (sleep.md, "The first sleep")
void worker::sleep_at_first() noexcept {
  begin(activity::idling);
  trace_.sleeps(0);
  if (core_.sleep().sleep_until_woken(number_)) counts_.sleeps.add(1);
  home_.after_first_sleep(core_.allowed());
  was_woken_ = true;
  begin(activity::scheduling);
}

worker_slot& worker::first_slot() noexcept {
  tsan::unseen const scheduling;
  return *core_.first_region().slot_for(*this);
}

void worker::adopt(here& fiber) noexcept {
  tsan::unseen const scheduling;
  fiber_ = &fiber;
}

void worker::fiber_main(void* self) noexcept {
  auto& me = *static_cast<worker*>(self);
  here fiber{me.first_slot()};
  me.adopt(fiber);
  run_loop(fiber);
}

}  // namespace skua::inline v0::runtime
