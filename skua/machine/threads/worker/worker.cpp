// SPDX-License-Identifier: MIT
#include "skua/machine/threads/worker/worker.hpp"

#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#include "skua/machine/threads/pool/pool_core.hpp"
#include "skua/machine/threads/worker/work_search.hpp"
#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/context/overflow.hpp"
#include "skua/parts/context/sanitizer.hpp"
#include "skua/parts/topology/pin.hpp"

namespace skua::runtime {

namespace {

/// How soon a worker that policies keep from tasks that it sees looks again, once it has spun in vain.
constexpr std::chrono::microseconds barred_sleep{20};

}  // namespace

// ---- the loop --------------------------------------------------------------------------------------------------

/// Runs on every fiber's own stack, under the tasks it runs. The fiber may be on another worker after each of them.
void worker::life(here& fiber) noexcept {
  for (;;) {
    step const next = next_step(fiber);
    if (next.resume != nullptr) next.on->continue_with(*next.resume);
    if (next.run.at == nullptr) next.on->end_thread();
    start_work(fiber, next.run);
    task& t = *next.run.what.what;
    t.is->run(t, next.run.what.extra, fiber);
  }
}

/// A task has ended, or the fiber begins: a ready frame goes first, then whatever can be found.
worker::step worker::next_step(here& fiber) noexcept {
  tsan::unseen const scheduling;
  worker& me = fiber.at().who;
  me.pause_work(fiber.at());
  frame* const ready = fiber.take_ready();
  if (ready != nullptr && me.is_mine(fiber, *ready)) return {&me, ready, {}};
  if (me.ready_ != nullptr) {
    frame* const parked = std::exchange(me.ready_, nullptr);
    if (!parked->is_open || me.is_mine(fiber, *parked)) return {&me, parked, {}};
  }
  found const f = work_search::find_work(me);
  frame* const moved = f.at == nullptr ? nullptr : f.what.as_frame();
  return moved != nullptr ? step{&me, moved, {}} : step{&me, nullptr, f};
}

void worker::start_work(here& fiber, found const& f) noexcept {
  tsan::unseen const scheduling;
  worker& me = f.at->who;
  fiber.run_in(*f.at);
  fiber.watch(nullptr);
  fiber.begins(f.what.tag, false);
  me.counts_.tasks.add(1);
  me.begin(activity::working);
}

/// A task has ended or its fiber parks: bring the books up to date.
void worker::pause_work(worker_slot& s) noexcept {
  begin(activity::scheduling);
  counts_.forks.add(std::exchange(s.pushes, 0));
}

/// A frame's last child has ended here: whose is it now? If not mine, it is sent to its worker or its region.
bool worker::is_mine(here& fiber, frame& f) noexcept {
  region& home = f.fiber->at().in;
  if (&home != &fiber.at().in || f.fiber->is_tied()) {
    send_home(f);
    return false;
  }
  task_tag used;
  placement const to = f.fiber->place_again(fiber.at().policy, used);
  return !send(fiber.at(), {&f, 1, used}, to);
}

void worker::send_home(frame& f) noexcept {
  worker_slot& its = f.fiber->at();
  if (!f.fiber->is_tied()) {
    its.in.inject(f);
    return;
  }
  pool_core& of = its.who.of();
  pool_core::visit const inside{of};
  worker_id const only = its.who.number();
  its.inbox.push(f);
  of.sleep().wake(only);
}

worker::found worker::probe_everywhere() noexcept {
  for (worker_slot* const s : slots_) {
    if (found const f = probe_in(*s); f.at != nullptr) return f;
  }
  return {};
}

/// Ask, act, tell; until a task is found or the policy wants to rest.
worker::found worker::probe_in(worker_slot& s) noexcept {
  for (;;) {
    probe const next = s.policy.next_probe();
    if (next.what == action::rest) return {};
    tagged_entry taken;
    outcome const how = execute(s, next, taken);
    s.policy.learn(probed{next, how});
    if (how == outcome::got && !is_sent_on(s, next, taken)) return {&s, taken};
  }
}

/// What was just taken may belong elsewhere, or to a fiber that knows better.
bool worker::is_sent_on(worker_slot& s, probe const& p, tagged_entry& what) noexcept {
  frame* const f = what.as_frame();
  if (p.what == action::pop && p.where != lane::injected) return false;
  if (f != nullptr && p.what == action::pop) {
    placement const to = f->fiber->place_again(s.policy, what.tag);
    return send(s, what, to);
  }
  if (f == nullptr && (p.where != lane::local && p.where != lane::migrated && p.where != lane::mailbox)) {
    what.tag = s.policy.mark(what.tag, what.what->hint_for(what.extra));
  }
  cause const why = p.what == action::steal ? cause::stolen : cause::injected;
  placement const to = s.policy.place(what.tag, why);
  return send(s, what, to);
}

outcome worker::execute(worker_slot& s, probe const& p, tagged_entry& out) noexcept {
  if (p.what == action::steal) return steal(s, p, out);
  constexpr auto any = [](tagged_entry const&) { return true; };
  handed* mine = nullptr;
  switch (p.where) {
    case lane::forks: return outcome::empty;  // an idle worker's joins have all been stolen (group.md, "nesting")
    case lane::spawned: {
      entry newest;
      if (!s.spawned.pop(newest)) return outcome::empty;
      out = {static_cast<task*>(newest.task), newest.extra, {{s.published_tag()}}};
      return outcome::got;
    }
    case lane::mailbox: return s.mailbox.take_oldest(out, any);
    case lane::local: return s.local.take_newest(out, any);
    case lane::migrated: return s.migrated.take_oldest(out, any);
    case lane::inbox: mine = static_cast<handed*>(s.inbox.pop()); break;
    case lane::injected: mine = s.in.take_injected(); break;
  }
  if (mine == nullptr) return outcome::empty;
  out = {mine, 1, {}};
  return outcome::got;
}

outcome worker::steal_from(worker_slot& s, worker_slot& victim, lane where, tagged_entry& out) noexcept {
  auto const wanted = [&s](tagged_entry const& f) { return s.policy.admits(f.tag.words[0]); };
  switch (where) {
    case lane::local: return victim.local.take_oldest(out, wanted);
    case lane::migrated: return victim.migrated.take_newest(out, wanted);
    case lane::mailbox: return victim.mailbox.take_oldest(out, wanted);
    case lane::forks:
    case lane::spawned:
    case lane::inbox:
    case lane::injected: break;
  }
  deque<>& from = where == lane::spawned ? victim.spawned : victim.forks;
  if (from.outside().looks_empty()) return outcome::empty;
  std::uint64_t const shown = victim.published_tag();
  if (!s.policy.admits(shown)) return outcome::barred;
  entry oldest;
  outcome const how = from.outside().steal(oldest);
  if (how == outcome::got) out = {static_cast<task*>(oldest.task), oldest.extra, {{shown}}};
  return how;
}

outcome worker::steal(worker_slot& s, probe const& p, tagged_entry& out) noexcept {
  invariant(p.whom != s.id && index(p.whom) < s.in.workers(), "a policy's victim is another worker of the region");
  worker_slot& victim = s.in.slot_of(p.whom);
  counts_.attempts.add(1);
  outcome const how = steal_from(s, victim, p.where, out);
  if (how == outcome::lost) counts_.lost.add(1);
  if (how == outcome::got) {
    auto const d = s.in.map().distance(s.id, p.whom);
    counts_.steals[d < distance_classes_max ? d : distance_classes_max - 1].add(1);
  }
  return how;
}

/// The policies have nothing for this worker, though something lies about: others may be called, this one looks again
/// soon.
bool worker::is_barred() noexcept {
  for (worker_slot* const s : slots_) {
    if (s->policy.is_choosy() && !s->in.looks_empty_to(s)) return true;
  }
  return false;
}

void worker::short_sleep(std::uint64_t since) noexcept {
  if (since < core_.spin_ns()) return core_.back_off();
  begin(activity::idling);
  std::this_thread::sleep_for(barred_sleep);
  begin(activity::scheduling);
}

// ---- sleep -----------------------------------------------------------------------------------------------------

void worker::fall_asleep(bool was_searching) noexcept {
  begin(activity::idling);
  bool const slept = core_.sleep().fall_asleep(
      number_, was_searching, [this] { core_.request_attention(); },
      [this] { return work_search::anything_to_do(*this); });
  if (slept) counts_.sleeps.add(1);
  begin(activity::scheduling);
}

bool worker::was_woken() noexcept { return std::exchange(was_woken_, false); }

bool worker::has_new_regions() const noexcept { return regions_seen_ != core_.regions_version(); }

void worker::refresh_slots() noexcept {
  if (!has_new_regions()) return;
  regions_seen_ = core_.copy_regions(regions_);
  slots_.clear();
  for (auto const& r : regions_) {
    if (worker_slot* const s = r->slot_for(*this)) slots_.push_back(s);
  }
}

// ---- the thread ------------------------------------------------------------------------------------------------

worker::worker(pool_core& c, worker_id number) noexcept : core_(c), number_(number), stacks_(c.stacks()) {
  thread_record::worker = index(number);
  owner = this;
}

void worker::start() {
  refresh_slots();
  current_stack_ = stacks_.take();
  try {
    thread_ = std::thread([this] { thread_main(); });
  } catch (std::exception const& e) {
    stacks_.give(current_stack_);
    throw resource_error(
        "cannot start worker " + std::to_string(index(number_)) + ": " + e.what() +
        "; ask for fewer workers (SKUA_WORKERS) or smaller stacks (SKUA_STACK), or raise the limits of "
        "threads (ulimit -u) and of address space (ulimit -v)");
  }
}

void worker::await_ready() { is_ready_.get_future().get(); }

void worker::join() noexcept {
  if (thread_.joinable()) thread_.join();
}

worker* worker::current() noexcept {
  thread_record* const r = current_thread();
  return r == nullptr ? nullptr : static_cast<worker*>(r->owner);
}

void worker::thread_main() noexcept {
  set_current_thread(this);
  try {
    overflow_watch const watch{*this};
    pin_report_ = core_.pin(number_);
    counts_.times.open(now_ns());
    is_ready_.set_value();
    sleep_at_first();
    skua::runtime::start(next_, *current_stack_, &worker::fiber_main, this);
    switch_to(native_, next_, nullptr, nullptr);
  } catch (...) {
    stacks_.give(current_stack_);
    is_ready_.set_exception(std::current_exception());
  }
  stacks_.flush();
  set_current_thread(nullptr);
}

/// There is nothing to do yet. Thousands of workers that found that out each by itself would keep each other from it.
void worker::sleep_at_first() noexcept {
  begin(activity::idling);
  if (core_.sleep().sleep_until_first_woken(number_)) counts_.sleeps.add(1);
  was_woken_ = true;
  begin(activity::scheduling);
}

worker_slot& worker::first_slot() noexcept {
  tsan::unseen const scheduling;
  return *slots_.front();
}

void worker::adopt(here& fiber) noexcept {
  tsan::unseen const scheduling;
  fiber_ = &fiber;
}

void worker::fiber_main(void* self) noexcept {
  auto& me = *static_cast<worker*>(self);
  here fiber{me.first_slot()};
  me.adopt(fiber);
  life(fiber);
}

}  // namespace skua::runtime
