// SPDX-License-Identifier: MIT
// How the tasks of a finish region run, and how it ends.
#include "skua/machine/threads/fork/finish/finish_region.hpp"

#include <algorithm>
#include <optional>

#include "skua/machine/threads/fork/fiber/call_in_group.hpp"
#include "skua/machine/threads/fork/fiber/fiber_at.hpp"
#include "skua/machine/threads/fork/fiber/frame.hpp"
#include "skua/machine/threads/fork/fiber/moving.hpp"
#include "skua/machine/threads/fork/fiber/should_yield.hpp"
#include "skua/machine/threads/fork/finish/ordered_tasks.hpp"
#include "skua/machine/threads/lane/counters.hpp"
#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

/// Sends the frame of an owner whose region has ended, if there is one, to where it belongs.
void send_if_ready(parked<>* f) noexcept {
  if (f != nullptr) [[unlikely]]
    fiber_slot::send_home(static_cast<frame&>(*f));
}

/// False: no memory.
bool push_own(fiber_slot& s, offered_task const& t) noexcept {
  tsan::unseen const of_the_worker;  // as in take_own
  return s.ordered->push(t);
}

/// For a task, or a member of one, that is about to begin: true if the region ends early. The region then counts it as dropped.
bool is_dropped(finish_region& region, fiber& on) noexcept {
  if (on.forks().may_have_stolen()) [[unlikely]]
    on.note_steals();
  if (!region.inside().requested(on.slot().failures)) return false;
  region.raise(finish_region::dropped);
  return true;
}

}  // namespace

bool next_unplaced_is_of(fiber_slot& s, finish_region const& one) noexcept {
  if (s.ordered != nullptr && s.ordered->first_is_of(&one)) return true;
  if (s.ordered != nullptr && !s.needs.declared_only) return false;
  entry newest;
  return s.spawned.peek(newest) && newest.extra == one.key();
}

/// Approximates the order of the policies: the task that a policy would take first may be of another region.
bool next_is_of(fiber_slot& s, finish_region const& one) noexcept {
  auto const is_of_one = [&one](tagged_entry const& e) { return finish_region::of(*e.item) == &one; };
  if (next_unplaced_is_of(s, one)) return true;
  if (!s.spawned.outside().looks_empty()) return false;
  if (!s.next.looks_empty()) return s.next.newest_is(is_of_one);
  if (!s.nodes.looks_empty()) return s.nodes.oldest_is(is_of_one);
  return s.local.looks_empty() ? s.migrated.oldest_is(is_of_one) : s.local.newest_is(is_of_one);
}

finish_region::finish_region(fiber& owner) noexcept
    : group(nullptr, 2), owner_(owner), inside_(owner.watching(), this), registered_(owner, *this) {}

void finish_region::add(fiber& on, task& t, spawn_options const& how) {
  on.expect_running();
  note(on, *this, 1);
  fiber_slot& s = on.slot();
  s.counts.spawns.add(1);
  if (on.is_isolated()) return run_inside(on, t);  // the worker takes nothing until the isolated call returns
  bool const is_first_of_order = how.is_declared && s.needs.declared_only;
  if (!is_first_of_order && policies::asks_about(s.needs.released, t.address.has_value(), is_moldable(t)))
    return release(on, t, how);
  if (s.ordered == nullptr || (s.needs.declared_only && !how.is_declared)) return push_spawned(on, t);
  offered_task const offered{.task = static_cast<runtime::task*>(&t),
                             .group = this,
                             .kind = how.kind,
                             .value = how.value,
                             .value_size = how.value_size,
                             .weight = how.weight,
                             .place = worker_of(s, t.place)};
  if (s.needs.declared_only) {  // before the push: whoever sees the task sees what the policy notes now
    tsan::unseen const scheduling;
    s.policy.learn(policies::ordered_here{});
  }
  if (!push_own(s, offered)) return run_inside(on, t);
  s.notify_work();
}

void finish_region::add_beside(fiber& on, task& t) {
  on.expect_running();
  note(on, *this, 1);
  fiber_slot const& s = on.slot();
  s.counts.spawns.add(1);
  on.is_isolated() ? run_inside(on, t) : push_spawned(on, t);
}

/// A task without data is at home everywhere: if a thief released it again, two workers would steal it from each other for each task.
bool finish_region::is_at_home(fiber const& on, gathered_task const& t) noexcept {
  return on.slot().id == t.home || (!t.address && t.place == no_place_hint);
}

void finish_region::push_spawned(fiber& on, task& t) noexcept {
  fiber_slot& s = on.slot();
  std::uint64_t const key = t.region.key();
  if (!s.spawned.push(static_cast<runtime::task*>(&t), key) || on.make_room()) return;
  // No memory for another push: runs the newest task at once. A thief that takes it instead makes room, too.
  if (runtime::task* const newest = s.take_newest_spawned(key)) {
    static_cast<task&>(*newest).region.run_inside(on, static_cast<task&>(*newest));
  }
}

/// The policy chooses the lane. While `spawned` has tasks of this region, this worker runs those first, on top of this fiber: so a
/// node that has returned is not the last thing that runs here.
void finish_region::release(fiber& on, task& t, spawn_options const& how) noexcept {
  fiber_slot& s = on.slot();
  {
    tsan::unseen const scheduling;
    placed answer;
    if (how.answer != nullptr && *how.answer) {
      answer = **how.answer;
      how.answer->reset();
    } else {
      bool const is_last_act = how.is_last_act && !next_unplaced_is_of(s, *this);
      answer = ask(on, hint_of(t, 0), is_moldable(t), is_last_act ? cause::unblocked : cause::released);
    }
    tagged_entry entry{&t, 0, answer.tag};
    placement const& to = answer.to;
    if (t.operations().is_gathered) static_cast<gathered_task&>(t).home = to.worker;
    if (s.send(entry, to)) return;
    if (to.worker == s.id && to.lane == lane::migrated && moving::keep(s, s.migrated, entry)) return;
    if (to.worker == s.id && to.lane == lane::nodes && moving::keep(s, s.nodes, entry)) return;
    // Wakes no sleeper: this worker takes the task as soon as it can, and under some policies no other worker may. If it begins
    // something else first, worker::bypass_next offers the task.
    if (to.worker == s.id && to.lane == lane::next && s.next.push(entry)) return s.kept.keep(s);
    if (to.worker == s.id && to.lane == lane::local && s.local.push(entry)) return s.kept.keep(s);
    if (t.operations().is_gathered) static_cast<gathered_task&>(t).home = s.id;
  }
  push_spawned(on, t);
}

finish_region::placed finish_region::ask(fiber& on, hint const& hinted, bool is_team, cause why) noexcept {
  fiber_slot& s = on.slot();
  task_tag parent = on.tag();
  placed answer{s.policy.mark(parent, hinted), {}};
  answer.to = s.place(answer.tag, why, is_team);
  s.update_exposure();  // a spawn may end a search
  return answer;
}

/// Not if the worker loop did not begin `self`, or has told its end; and not if a task in `spawned` comes first.
std::optional<finish_region::placed> finish_region::place_next(fiber& on, task const& self, hint const& hinted,
                                                               bool is_team) noexcept {
  fiber_slot& s = on.slot();
  if (!policies::asks_about(s.needs.released, hinted.address.has_value(), is_team)) return {};
  if (on.owes_end_of() != &self || on.is_isolated()) return {};
  if (place_of(on, hinted) != self.place || !s.spawned.outside().looks_empty()) return {};
  tsan::unseen const scheduling;
  hint all{.address = hinted.address, .type = hinted.type};
  if (is_team) all.type = as_team(hinted.type.value_or(task_type{0}));
  if (self.place != no_place_hint) all.place = self.place;
  return ask(on, all, is_team, cause::unblocked);
}

bool finish_region::is_next(fiber const& on, placed const& answer) noexcept {
  return answer.to.worker == on.slot().id && answer.to.width == 1 &&
         (answer.to.lane == lane::local || answer.to.lane == lane::next);
}

bool finish_region::goes_on(fiber& on, placed& next, bool is_team) noexcept {
  fiber_slot& s = on.slot();
  tsan::unseen const scheduling;
  on.task_ends_before(next.tag);
  if (!s.may_go_on()) {
    on.owes_end_of(nullptr);
    return false;
  }
  next.to = s.place(next.tag, cause::next, is_team);
  if (next.to.worker != s.id || next.to.width != 1) {
    on.owes_end_of(nullptr);
    return false;
  }
  s.counts.spawns.add(1);
  s.counts.tasks.add(1);
  on.begins(next.tag, false);
  return true;
}

place_id finish_region::place_of(fiber const& on, hint const& hinted) noexcept {
  return hinted.place ? *hinted.place : stop_node::inherited(on.watching()).place.value_or(no_place_hint);
}

bool finish_region::calls_instead(fiber& on, place_id place, std::uint64_t weight) noexcept {
  fiber_slot& s = on.slot();
  if (worker_of(s, place).value_or(s.id) != s.id) return false;
  return s.ordered != nullptr && s.needs.strategies && s.policy.calls_instead(weight, s.ordered->size()) &&
         s.has_room_for_calls();
}

/// False if the policy places tasks when they are released, or if the place is another one. Regions take turns.
bool finish_region::keeps(fiber& on, hint const& hinted, bool may_be_team) noexcept {
  fiber_slot& s = on.slot();
  if (policies::asks_about(s.needs.released, hinted.address.has_value(), may_be_team) || s.other_regions_wait())
    return false;
  place_id const there = place_of(on, hinted);
  return there == no_place_hint || worker_of(s, there).value_or(s.id) == s.id;
}

/// False if all tasks have an order, and in an isolated task, which would run them all on top of each other.
bool finish_region::gathers(fiber const& on, hint const& hinted) noexcept {
  fiber_slot const& s = on.slot();
  return policies::asks_about(s.needs.released, hinted.address.has_value(), false) &&
         (s.ordered == nullptr || s.needs.declared_only) && !on.is_isolated();
}

/// As in ARMS a worker has at least four keys.
std::uint32_t finish_region::address_keys(fiber const& on) noexcept {
  fiber_slot const& s = on.slot();
  if (!s.needs.addresses || on.is_isolated() || policies::knows_data(s.needs, on.tag())) [[likely]]
    return 0;
  return place_of(on, {}) == no_place_hint ? 4 * s.map.workers() : 0;
}

bool finish_region::wants_critical_path(fiber const& on) noexcept { return on.slot().needs.critical; }

void finish_region::call_now(fiber& on, task& t) noexcept {
  on.expect_running();
  on.slot().counts.conversions.add(1);
  stop_node const* const outside = on.watching();
  on.watch(&inside_);
  static_cast<void>(call(on, t));
  on.watch(outside);
}

/// Runs it on top of the running code, which is the body or a task of this region. Returns false if it threw or was
/// dropped.
bool finish_region::returns_inside(fiber& on, task& t) noexcept {
  stop_node const* const outside = on.watching();
  on.watch(&inside_);
  bool const returned = call(on, t);
  on.watch(outside);
  end_task(on, t);
  return returned;
}

void finish_region::run_inside(fiber& on, task& t) noexcept { static_cast<void>(returns_inside(on, t)); }

void finish_region::drop_task(runtime::task& t, fiber& on) noexcept {
  on.slot().counts.dead.add(1);
  end_task(on, static_cast<task&>(t));
}

/// For a fiber that watches inside_. Returns false if the task threw or was dropped.
bool finish_region::call(fiber& on, task& t) noexcept {
  return !is_dropped(*this, on) && call_at_its_place(on, t, [&] { t.operations().call(t, on); });
}

bool finish_region::call_member(fiber& on, task& t, team_state& team, std::uint32_t member) noexcept {
  if (is_dropped(*this, on)) return false;
  return call_at_its_place(on, t, [&] { t.operations().call_member(t, on, team, member); });
}

void finish_region::end_team(fiber& on, task& t) noexcept {
  static_cast<void>(call_at_its_place(on, t, [&] { t.operations().after_team(t, on); }));
}

void finish_region::end_task(fiber& on, task& t) noexcept {
  finish_region& region = t.region;
  t.operations().end(&t);
  note(on, region, -1);
}

/// Calls f(), which is the task or a part of it, for a fiber that watches inside_. Returns false if f threw.
template <class F>
bool finish_region::call_at_its_place(fiber& on, task& t, F&& f) noexcept {
  if (stop_node::adds_nothing(&inside_, t.place)) return call_in_group(*this, first_, on, f);
  stop_node const placed{&inside_, nullptr, nullptr, nullptr, t.place};
  on.watch(&placed);
  bool const returned = call_in_group(*this, first_, on, f);
  on.watch(&inside_);
  return returned;
}

void finish_region::run_task(runtime::task& t, std::uint64_t extra, fiber& on) noexcept {
  auto& self = static_cast<task&>(t);
  finish_region& region = self.region;
  runtime::task const* const below = on.owes_end_of(&self);
  bool returned = true;
  on.watch(&region.inside_);
  if (extra == found_dead) {
    returned = false;
    on.slot().counts.dead.add(1);
    drop_swept(on);
  } else if (&self.operations() == &rest_of_tasks) {  // never dropped: it would count as a dropped task
    region.run_own_tasks(on);
  } else {
    returned = region.call(on, self);
    if (self.operations().is_gathered) returned = region.run_gathered(on, self, returned);
  }
  self.operations().end(&self);
  on.watch(nullptr);
  if (on.owes_end_of(below) == &self) on.task_ends(!returned);
  note(on, region, -1);
}

hint finish_region::hint_of(runtime::task const& t, std::uint64_t) noexcept {
  auto const& self = static_cast<task const&>(t);
  hint all{.address = self.address, .type = self.type};
  if (self.place != no_place_hint) all.place = self.place;
  return all;
}

void finish_region::note(fiber& on, finish_region& region, std::int64_t tasks) noexcept {
  tsan::unseen const of_the_worker;
  send_if_ready(on.slot().share.add(region, tasks));
}

void finish_region::finish() {
  end_tasks();
  rethrow_failure();
  if ((flags() & dropped) != 0) throw cancelled{};
}

/// Runs tasks on top of `on`, as a scope does, while one of this region comes first here: of the ordered store in its
/// order, else the newest. Leaves them to the worker's search if a frame is ready, which the search resumes first, or if
/// another region of the pool waits, with which they take turns.
void finish_region::run_own_tasks(fiber& on) noexcept {
  for (std::uint32_t ran = 0; !should_yield(on.slot(), ran); ++ran) {
    taken_task const first = take_own(on.slot());
    bool const has_swept = on.slot().ordered != nullptr && drop_swept(on);
    if (first.task == nullptr) {
      if (has_swept) continue;
      return;
    }
    auto& t = static_cast<task&>(*static_cast<runtime::task*>(first.task));
    first.is_dead ? drop_task(t, on) : run_inside(on, t);
  }
}

/// As run_own_tasks, for the parts that lie beside a gathered task that has run. Worker and hints are the same, so its parts have the
/// tag and the times of the task, which has returned or not. Returns whether the last part has.
bool finish_region::run_gathered(fiber& on, task const& first, bool returned) noexcept {
  fiber_slot const& began_at = on.slot();
  for (std::uint32_t ran = 0; &on.slot() == &began_at && !should_yield(on.slot(), ran); ++ran) {
    runtime::task* const newest = on.slot().take_newest_spawned(key());
    if (newest == nullptr) break;
    auto& t = static_cast<task&>(*newest);
    bool const is_alike =
        t.operations().is_gathered && t.place == first.place && t.address == first.address && t.type == first.type;
    if (!is_alike) {
      push_spawned(on, t);
      break;
    }
    on.next_part(!returned);
    returned = returns_inside(on, t);
  }
  return returned;
}

/// Returns null if another task comes first, or there is none.
taken_task finish_region::take_own(fiber_slot& s) noexcept {
  tsan::unseen const of_the_worker;  // other fibers of this worker use its store, too; TSan follows fibers
  taken_task first;
  if (s.ordered != nullptr) {
    std::uint32_t const brought = s.calls_in_turn;
    if (handed* const refused = bring_calls(s)) s.calls.push(*refused);  // a search can run it without an entry
    // Whoever looked for them too early looks again: no worker sleeps beside them.
    if (s.needs.declared_only && s.calls_in_turn != brought) s.policy.learn(policies::ordered_here{});
    bring_urgent(s);
    if (s.ordered->pop_of(this, first) == outcome::got) return first;
    if (!s.needs.declared_only) return {};
  }
  first.task = s.take_newest_spawned(key());
  return first;
}

/// Runs the region's tasks on a stack of its own, where no thread ties them. Counts as a task.
finish_region::task_operations const finish_region::rest_of_tasks{
    {.run = &finish_region::run_task, .hint_of = &finish_region::hint_of},
    [](task& self, fiber& on) { self.region.run_own_tasks(on); },
    [](task*) noexcept {}};

/// For an owner that is tied to its thread: tasks on top of it would be tied, too, and could resume on that thread only. So it leaves
/// them to this worker's search, and in front of those in `spawned` it puts a task that runs them. Returns false if that does not pay,
/// or is impossible. (finish.md, "Waiting")
bool finish_region::leaves_tasks_to(task& rest) noexcept {
  fiber_slot& s = owner_.slot();
  if (!owner_.is_tied() || owner_.is_isolated() || s.in_workers == 1) return false;
  if (s.policy.preempts() || !next_unplaced_is_of(s, *this)) return false;
  if (s.ordered != nullptr && (!s.needs.declared_only || s.ordered->first_is_of(this))) return true;
  note(owner_, *this, 1);
  if (!s.spawned.push(static_cast<runtime::task*>(&rest), key()) || owner_.make_room()) return true;
  if (s.take_newest_spawned(key()) == nullptr) return true;  // a thief made room
  note(owner_, *this, -1);
  return false;
}

void finish_region::abandon() noexcept {
  raise(abandoned);
  owner_.raise_alarm();
  end_tasks();
}

void finish_region::end_tasks() noexcept {
  task rest{rest_of_tasks, *this, {}, no_place_hint};
  bool const has_left_tasks = leaves_tasks_to(rest);
  if (!has_left_tasks) run_own_tasks(owner_);
  note(owner_, *this, -1);
  {
    tsan::unseen const of_the_worker;
    send_if_ready(owner_.slot().share.leave());
  }
  waits_for const why{owner_, {"the tasks of a finish region"}};
  has_left_tasks ? owner_.wait_for_own(*this, 1) : owner_.wait(*this, 1);
}

}}}  // namespace skua::v0::runtime
