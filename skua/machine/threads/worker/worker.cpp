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

namespace skua::threads {

namespace {

/// How soon a worker that policies keep from tasks that it sees looks again, once it has spun in vain.
constexpr std::chrono::microseconds barred_nap{20};

}  // namespace

// ---- the loop --------------------------------------------------------------------------------------------------

/// Runs on every strand's own stack, under the tasks it runs. The strand may be on another worker after each of them.
void worker::life(here& strand) noexcept {
  for (;;) {
    step const next = next_step(strand);
    if (next.resume != nullptr) next.on->continue_with(*next.resume);
    if (next.run.at == nullptr) next.on->end_thread();
    start_work(strand, next.run);
    task& t = *next.run.what.what;
    t.is->run(t, next.run.what.extra, strand);
  }
}

/// A task has ended, or the strand begins: a ready frame goes first, then whatever can be found.
worker::step worker::next_step(here& strand) noexcept {
  tsan::unseen const scheduling;
  worker& me = strand.at().who;
  me.pause_work(strand.at());
  frame* const ready = strand.take_ready();
  if (ready != nullptr && me.is_mine(strand, *ready)) return {&me, ready, {}};
  if (me.ready_ != nullptr) {
    frame* const parked = std::exchange(me.ready_, nullptr);
    if (!parked->is_open || me.is_mine(strand, *parked)) return {&me, parked, {}};
  }
  found const f = work_search::find_work(me);
  frame* const moved = f.at == nullptr ? nullptr : f.what.as_frame();
  return moved != nullptr ? step{&me, moved, {}} : step{&me, nullptr, f};
}

void worker::start_work(here& strand, found const& f) noexcept {
  tsan::unseen const scheduling;
  worker& me = f.at->who;
  strand.sit(*f.at);
  strand.watch(nullptr);
  strand.begins(f.what.known, false);
  me.counts_.tasks.add(1);
  me.begin(doing::working);
}

/// A task has ended or its strand parks: bring the books up to date.
void worker::pause_work(seat& s) noexcept {
  begin(doing::scheduling);
  counts_.forks.add(std::exchange(s.pushes, 0));
}

/// A frame's last child has ended here: whose is it now? If not mine, it is sent to its worker or its region.
bool worker::is_mine(here& strand, frame& f) noexcept {
  region& home = f.strand->at().in;
  if (&home != &strand.at().in || f.strand->is_tied()) {
    send_home(f);
    return false;
  }
  tag used;
  placement const to = f.strand->place_again(strand.at().thinks, used);
  return !send(strand.at(), {&f, 1, used}, to);
}

void worker::send_home(frame& f) noexcept {
  seat& its = f.strand->at();
  if (!f.strand->is_tied()) {
    its.in.inject(f);
    return;
  }
  crew& of = its.who.of();
  crew::visit const inside{of};
  worker_id const only = its.who.number();
  its.inbox.push(f);
  of.beds().wake(only);
}

worker::found worker::hunt_everywhere() noexcept {
  for (seat* const s : seats_) {
    if (found const f = hunt_in(*s); f.at != nullptr) return f;
  }
  return {};
}

/// Ask, act, tell; until a task is found or the mind wants to rest.
worker::found worker::hunt_in(seat& s) noexcept {
  for (;;) {
    probe const next = s.thinks.hunt();
    if (next.what == verb::rest) return {};
    filed taken;
    outcome const how = carry_out(s, next, taken);
    s.thinks.learn(probed{next, how});
    if (how == outcome::got && !is_sent_on(s, next, taken)) return {&s, taken};
  }
}

/// What was just taken may belong elsewhere, or to a strand that knows better.
bool worker::is_sent_on(seat& s, probe const& p, filed& what) noexcept {
  frame* const f = what.as_frame();
  if (p.what == verb::pop && p.where != lane::injected) return false;
  if (f != nullptr && p.what == verb::pop) {
    placement const to = f->strand->place_again(s.thinks, what.known);
    return send(s, what, to);
  }
  if (f == nullptr && (p.where != lane::kept && p.where != lane::migrated && p.where != lane::slot)) {
    what.known = s.thinks.mark(what.known, what.what->known(what.extra));
  }
  cause const why = p.what == verb::steal ? cause::stolen : cause::injected;
  placement const to = s.thinks.place(what.known, why);
  return send(s, what, to);
}

outcome worker::carry_out(seat& s, probe const& p, filed& out) noexcept {
  if (p.what == verb::steal) return rob(s, p, out);
  constexpr auto any = [](filed const&) { return true; };
  handed* mine = nullptr;
  switch (p.where) {
    case lane::forks: return outcome::empty;  // an idle worker's joins have all been robbed (group.md, "nesting")
    case lane::spawned: {
      entry newest;
      if (!s.spawned.pop(newest)) return outcome::empty;
      out = {static_cast<task*>(newest.task), newest.extra, {{s.shown_tag()}}};
      return outcome::got;
    }
    case lane::slot: return s.slot.take_oldest(out, any);
    case lane::kept: return s.kept.take_newest(out, any);
    case lane::migrated: return s.migrated.take_oldest(out, any);
    case lane::inbox: mine = static_cast<handed*>(s.inbox.pop()); break;
    case lane::injected: mine = s.in.take_injected(); break;
  }
  if (mine == nullptr) return outcome::empty;
  out = {mine, 1, {}};
  return outcome::got;
}

outcome worker::steal_from(seat& s, seat& victim, lane where, filed& out) noexcept {
  auto const wanted = [&s](filed const& f) { return s.thinks.admits(f.known.words[0]); };
  switch (where) {
    case lane::kept: return victim.kept.take_oldest(out, wanted);
    case lane::migrated: return victim.migrated.take_newest(out, wanted);
    case lane::slot: return victim.slot.take_oldest(out, wanted);
    case lane::forks:
    case lane::spawned:
    case lane::inbox:
    case lane::injected: break;
  }
  deque<>& from = where == lane::spawned ? victim.spawned : victim.forks;
  if (from.outside().looks_empty()) return outcome::empty;
  std::uint64_t const shown = victim.shown_tag();
  if (!s.thinks.admits(shown)) return outcome::barred;
  entry oldest;
  outcome const how = from.outside().steal(oldest);
  if (how == outcome::got) out = {static_cast<task*>(oldest.task), oldest.extra, {{shown}}};
  return how;
}

outcome worker::rob(seat& s, probe const& p, filed& out) noexcept {
  invariant(p.whom != s.id && index(p.whom) < s.in.workers(), "a policy's victim is another worker of the region");
  seat& victim = s.in.seat_of(p.whom);
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
  for (seat* const s : seats_) {
    if (s->thinks.is_choosy() && !s->in.looks_empty_to(s)) return true;
  }
  return false;
}

void worker::nap(std::uint64_t since) noexcept {
  if (since < crew_.spin_ns()) return crew_.breathe();
  begin(doing::idling);
  std::this_thread::sleep_for(barred_nap);
  begin(doing::scheduling);
}

// ---- sleep -----------------------------------------------------------------------------------------------------

void worker::doze(bool was_searching) noexcept {
  begin(doing::idling);
  bool const slept = crew_.beds().doze(
      number_, was_searching, [this] { crew_.poke(); }, [this] { return work_search::anything_to_do(*this); });
  if (slept) counts_.sleeps.add(1);
  begin(doing::scheduling);
}

bool worker::was_woken() noexcept { return std::exchange(was_woken_, false); }

bool worker::has_new_regions() const noexcept { return regions_seen_ != crew_.regions_version(); }

void worker::refresh_seats() noexcept {
  if (!has_new_regions()) return;
  regions_seen_ = crew_.copy_regions(regions_);
  seats_.clear();
  for (auto const& r : regions_) {
    if (seat* const s = r->seat_for(*this)) seats_.push_back(s);
  }
}

// ---- the thread ------------------------------------------------------------------------------------------------

worker::worker(crew& c, worker_id number) noexcept : crew_(c), number_(number), stacks_(c.stacks()) {
  thread_record::worker = index(number);
  owner = this;
}

void worker::start() {
  refresh_seats();
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
    pin_report_ = crew_.pin(number_);
    counts_.times.open(now_ns());
    is_ready_.set_value();
    sleep_at_first();
    skua::start(next_, *current_stack_, &worker::strand_main, this);
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
  begin(doing::idling);
  if (crew_.beds().stay_in_bed(number_)) counts_.sleeps.add(1);
  was_woken_ = true;
  begin(doing::scheduling);
}

seat& worker::first_seat() noexcept {
  tsan::unseen const scheduling;
  return *seats_.front();
}

void worker::welcome(here& strand) noexcept {
  tsan::unseen const scheduling;
  strand_ = &strand;
}

void worker::strand_main(void* self) noexcept {
  auto& me = *static_cast<worker*>(self);
  here strand{me.first_seat()};
  me.welcome(strand);
  life(strand);
}

}  // namespace skua::threads
