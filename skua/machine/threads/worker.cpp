// SPDX-License-Identifier: MIT
#include "skua/machine/threads/worker.hpp"

#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#include "skua/machine/threads/crew.hpp"
#include "skua/machine/threads/work_search.hpp"
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
  if (f.what.what != nullptr && f.what.what->is == &frame::kind) return {&me, static_cast<frame*>(f.what.what), {}};
  return {&me, nullptr, f};
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
  return !send(strand.at(), {&f, 1, used}, to, cause::resumed);
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
  bool const is_frame = what.what->is == &frame::kind;
  if (p.what == verb::pop && p.where != lane::injected) return false;
  if (is_frame && p.what == verb::pop) {
    frame& f = static_cast<frame&>(*what.what);
    placement const to = f.strand->place_again(s.thinks, what.known);
    return send(s, what, to, cause::resumed);
  }
  if (!is_frame && (p.where != lane::kept && p.where != lane::migrated && p.where != lane::slot)) {
    what.known = s.thinks.mark(what.known, what.what->known(what.extra));
  }
  cause const why = p.what == verb::steal ? cause::stolen : cause::injected;
  placement const to = s.thinks.place(what.known, why);
  return send(s, what, to, why);
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

bool worker::has_new_regions() const noexcept { return regions_seen_ != crew_.regions_version(); }

void worker::refresh_seats() noexcept {
  if (!has_new_regions()) return;
  regions_seen_ = crew_.copy_regions(regions_);
  seats_.clear();
  for (auto const& r : regions_) {
    if (seat* const s = r->seat_for(*this)) seats_.push_back(s);
  }
}

// ---- waiting and resuming --------------------------------------------------------------------------------------

bool worker::park(here& waiting, group& g, std::uint64_t mine) noexcept {
  tsan::unseen const scheduling;
  // The strand may wait for something else than its innermost join.
  bool const offered = waiting.at().offer_open_joins([&] { static_cast<void>(waiting.make_room()); });
  waiting.note_thefts();
  if (!offered) return false;
  tag_offers(waiting);
  stack* const fresh = take_stack();
  if (fresh == nullptr) return false;
  frame f{waiting, current_stack_, true};
  g.wait_in(f);
  parking_ = {&g, mine};
  counts_.parked.add(1);
  pause_work(waiting.at());
  current_stack_ = fresh;
  skua::start(next_, *fresh, &worker::strand_main, this);
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
    me.refresh_seats();
    found const f = me.hunt_everywhere();
    if (f.at == nullptr) {
      me.crew_.breathe();
      me.note_vain_round(now_ns());
      continue;
    }
    task& t = *f.what.what;
    if (t.is == &frame::kind) return me.exchange_for(static_cast<frame&>(t), waiting, g, mine);
    run_on_top(waiting, f);
    waiting.at().who.pause_work(waiting.at());
  }
  waiting.at().who.begin(doing::working);
}

void worker::run_on_top(here& strand, found const& f) noexcept {
  seat& below = strand.at();
  bool const tied = strand.tie(true);
  {
    strand::interlude const its_own{strand, nullptr};
    start_work(strand, f);
    task& t = *f.what.what;
    t.is->run(t, f.what.extra, strand);
  }
  if (frame* const ready = strand.take_ready()) send_home(*ready);
  strand.tie(tied);
  strand.sit(below);
  strand.begins(strand.known(), true);
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

void strand::finish(group& g, std::uint64_t children, std::uint64_t flags) noexcept {
  if (parked<>* const f = g.finish(children, flags, [this] { raise_alarm(); })) ready_ = static_cast<frame*>(f);
}

/// Parking and resuming cost about as much as looking this often: whoever looks first and parks then loses at most
/// twice what the better choice would have cost, and siblings that end together do not park at all.
bool strand::ends_soon(group const& g, std::uint64_t mine) const noexcept {
  for (int looks = 0; looks < 24; ++looks) {
    if (g.left_only(mine)) return true;
    relax();
  }
  return false;
}

void strand::park(group& g, std::uint64_t mine) noexcept {
  seat_->who.begin(doing::scheduling);
  if (ends_soon(g, mine)) {
    settle();
    seat_->who.begin(doing::working);
    return;
  }
  {
    tsan::unseen const scheduling;
    seat_->thinks.learn(waiting{});
    seat_->ask_whether_to_show();
  }
  if (seat_->who.park(static_cast<here&>(*this), g, mine)) {
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

/// The running strand ends; `next` (null: the thread's own flow) will run on this worker.
void worker::prepare_to_leave(frame* next) noexcept {
  tsan::unseen const scheduling;
  ended_stack_ = std::exchange(current_stack_, nullptr);
  if (next != nullptr) return_to(*next);
}

/// This worker's running strand is the frame's from now on.
void worker::return_to(frame& f) noexcept {
  current_stack_ = f.on;
  if (!f.is_open) f.call();
  here& resumed = *f.strand;
  seat& mine = *resumed.at().in.seat_for(*this);
  resumed.sit(mine);
  resumed.begins(resumed.known(), f.is_open);
  resumed.forget_places();
  if (resumed.watching() != nullptr) mine.poke();  // what it watches may have been stopped meanwhile
  strand_ = &resumed;
  begin(doing::working);
}

void worker::recycle_stack(void* self) noexcept {
  auto& me = *static_cast<worker*>(self);
  me.stacks_.give(me.ended_stack_);
  me.ended_stack_ = nullptr;
}

void strand::note_thefts() const noexcept {
  robbed_.note(*seat_, base_, [this](void* what) -> group* {
    auto& g = static_cast<group&>(*static_cast<task*>(what));
    for (stop_node const* n = stop_; n != nullptr; n = n->outer) {
      if (n->of == &g) return nullptr;  // another strand's group, of which a piece runs here
    }
    return &g;
  });
}

bool strand::make_room() noexcept {
  seat& s = *seat_;
  bool const room = s.make_room([this] { note_thefts(); });
  if (s.in.call_help()) s.who.counts().wakeups_sent.add(1);
  if (stop_requested())
    s.poke();  // the mark stays until a fork sees no stop: there may be two, or a caller may not care
  return room;
}

advice strand::attend() noexcept {
  bool const room = make_room();
  if (stop_requested()) return advice::stop;
  if (!room) return advice::full;
  if (!tied_ && !seat_->slot.looks_empty() && seat_->thinks.gives_way())
    seat_->who.lay_aside(static_cast<here&>(*this));
  if (!seat_->shows_groups()) return advice::go_on;
  seat_->ask_whether_to_show();  // the mark was used up
  return advice::show;
}

void strand::raise_alarm() noexcept { seat_->in.poke(); }

task_kind const frame::kind{
    .run = [](task&, std::uint64_t, here&) noexcept { broken("protocol", "frames are resumed by the worker loop"); }};

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
    throw resource_error("cannot start worker " + std::to_string(index(number_)) + ": " + e.what() +
                         "; ask for fewer workers (SKUA_WORKERS) or raise the limit of threads (ulimit -u)");
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
    skua::start(next_, *current_stack_, &worker::strand_main, this);
    switch_to(native_, next_, nullptr, nullptr);
  } catch (...) {
    stacks_.give(current_stack_);
    is_ready_.set_exception(std::current_exception());
  }
  stacks_.flush();
  set_current_thread(nullptr);
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
