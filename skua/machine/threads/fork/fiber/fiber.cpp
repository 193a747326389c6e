// SPDX-License-Identifier: MIT
// The slow paths of a fiber: polls, stolen joins, parking, the end of a stolen piece, and what it tells the policy.
#include "skua/machine/threads/fork/fiber/fiber.hpp"

#include "skua/machine/threads/fork/fiber/fiber_at.hpp"
#include "skua/machine/threads/fork/fiber/frame.hpp"
#include "skua/machine/threads/lane/counters.hpp"
#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/context/sanitizer.hpp"

namespace skua { inline namespace v0 { namespace runtime {

inline bool stop_node::has_failed(std::uint64_t epoch) const noexcept { return of != nullptr && of->wants_end(epoch); }

bool stop_node::look(failure_epoch<> const& failures) const noexcept {
  for (stop_node const* n = asked_; n != nullptr; n = asked_in(n->outer)) {
    if (n->token != nullptr && n->token->stop_requested()) return true;
    if (n->tasks != nullptr && n->tasks->stop_requested()) return true;
  }
  return any_failed(this, failures);
}

void fiber::check_running() const noexcept {
  if (fiber_slot::running_fiber() == this) return;
  broken("precondition",
         "a task uses the `here` of another task; a child takes its own, [&](auto& here) {..}, and uses that one");
}

bool fiber::is_inside(wait_group const& tasks) const noexcept {
  if (stop_node::inside(watching(), tasks)) return true;
  for (nested_task const* n = nested_; n != nullptr; n = n->below_) {
    if (stop_node::inside(n->fork_word_.watched(), tasks)) return true;
  }
  return false;
}

bool fiber::buried::belongs_to(wait_group const& tasks) const noexcept { return stop_node::inside(watching, tasks); }

void fiber::finish_piece(group& g, std::uint64_t children, std::uint64_t flags) noexcept {
  parked<>* const f = g.finish(children, flags, [this] { raise_alarm(); });
  if (f == nullptr) return;
  invariant(ready_ == nullptr, "a fiber's task makes one frame ready, at its end (next_step.md)");
  ready_ = static_cast<frame*>(f);
}

void fiber::note_steals() const noexcept {
  auto const link = [this](void* what, std::int64_t place) { return link_stolen(what, place); };
  if (!note_stolen(at(), link)) return;
  std::uint64_t const epoch = at().failures.latest();
  bool failed = stolen_.want_end(epoch);
  for (nested_task const* n = nested_; n != nullptr && !failed; n = n->below_) {
    failed = n->slot_ == slot_ && n->stolen_.want_end(epoch);
  }
  // What has just been linked lies in a join that has failed already. Children of it may have been found clean since, and
  // may have polled in vain.
  if (failed) raise_alarm();
}

/// Links a stolen join of what runs here, or of what lies below it. False if it is another fiber's group, of which a
/// piece runs here.
bool fiber::link_stolen(void* what, std::int64_t place) const noexcept {
  auto& g = static_cast<group&>(*static_cast<task*>(what));
  auto const link_in = [&](stolen_joins<>& stolen) {
    if (stolen.runs_piece_of(g)) return false;
    stolen.link(g, place);
    return true;
  };
  if (place >= base_) return link_in(stolen_);
  nested_task* n = nested_;
  while (n != nullptr && (n->slot_ != slot_ || place < n->base_)) n = n->below_;
  return n != nullptr && link_in(n->stolen_);
}

void fiber::forget_places() noexcept {
  base_ = 0;
  stolen_.forget_places();
  for (nested_task* n = nested_; n != nullptr; n = n->below_) {
    if (n->slot_ != slot_) continue;
    n->base_ = 0;
    n->stolen_.forget_places();
  }
}

tagged_entry fiber::as_published(entry const& e) const noexcept {
  return {static_cast<task*>(e.task), e.extra, {{tag_.words[0]}}};
}

bool fiber::make_room() noexcept {
  fiber_slot& s = at();
  bool const room = s.make_room([this] { note_steals(); });
  if (s.notify_work()) s.counts.wakeups_sent.add(1);
  // The request stays until a fork sees no stop: there may be two stops, and this caller may ignore the one it sees.
  if (stop_requested()) s.request_attention();
  if (s.exposes_groups()) s.forks.request_attention();  // also for callers that spawn: their next join is to be seen
  return room;
}

advice fiber::poll() noexcept {
  bool const room = make_room();
  if (stop_requested()) return advice::stop;
  if (!room) return advice::full;
  if (is_preempted()) at().preempt(*this);
  return at().exposes_groups() ? advice::expose : advice::go_on;
}

advice fiber::poll_for_join() noexcept {
  if (!at().exposes_groups() || is_preempted()) return poll();
  bool const room = at().forks.make_room_and_keep_request();
  note_steals();
  if (stop_requested()) return advice::stop;
  return room ? advice::expose : advice::full;
}

/// Another worker has put something into the mailbox that the policy may let run first.
bool fiber::is_preempted() const noexcept {
  return !stays_on_worker() && !at().mailbox.looks_empty() && at().policy.preempts();
}

bool fiber::is_stopped() const noexcept {
  failure_epoch<> const& failures = at().failures;
  stop_node const* const n = watching();
  return (n != nullptr && n->requested(failures)) || stolen_.want_end(failures.now());
}

void fiber::raise_alarm() const noexcept {
  at().failures.begin_next();
  at().ask_all_to_poll();
}

void fiber::know(task_tag const& t) noexcept {
  // Perhaps the last that the fiber does, and TSan knows no edge from there to the end of the pool.
  tsan::unseen_accesses const scheduling;
  tag_ = t;
  at().publish_tag(t.words[0]);
}

void fiber::begins_task(task_tag const& t) noexcept {
  begins(t, false);
  clock_.begin(at().needs.times);
}

void fiber::next_part() noexcept {
  if (!at().needs.times) return;
  tsan::unseen const scheduling;
  at().policy.learn(part_ended{.task = tag_, .duration_ns = clock_.lap()});
}

void fiber::begins(task_tag const& t, bool open) noexcept {
  tsan::unseen const scheduling;
  know(t);
  at().policy.learn(begun{t, open});
  at().update_exposure();
}

void fiber::task_ends() noexcept {
  tsan::unseen const scheduling;
  at().policy.learn(ended{.task = tag_, .duration_ns = clock_.read()});
  at().update_exposure();
}

placement fiber::place_again(fiber_slot& by, task_tag& used) noexcept {
  tsan::unseen const scheduling;
  hint const hinted = stop_node::inherited(watching());
  used = hinted.place ? by.policy.mark(tag_, hinted) : tag_;
  placement const to = by.place(used, cause::resumed);
  if (!hinted.place)
    tag_ = used;  // a hinted place holds only inside its task, so it does not become the fiber's own tag
  return to;
}

void fiber::relocate() noexcept {
  if (stays_on_worker()) return;
  fiber_slot& now = at();
  task_tag used;
  placement const to = place_again(now, used);
  if (to.worker != now.id) now.move(*this, to, used);
}

void fiber::park(group& g, std::uint64_t mine) noexcept {
  at().begin(activity::scheduling);
  if (isolated_) return at().wait_alone(*this, g, mine);
  if (ends_soon(g, mine)) {
    relocate();
    at().begin(activity::working);
    return;
  }
  leave_worker(g, mine);
}

void fiber::wait_for_own(group& g, std::uint64_t mine) noexcept {
  at().begin(activity::scheduling);
  leave_worker(g, mine);
}

void fiber::leave_worker(group& g, std::uint64_t mine) noexcept {
  {
    tsan::unseen const scheduling;
    at().policy.learn(waiting{});
    at().update_exposure();
  }
  if (at().park(*this, g, mine)) {
    static_cast<void>(g.left_only(0));  // the worker that resumed us has acquired, but TSan follows flows, not threads
    return;
  }
  at().wait_in_place(*this, g, mine);
}

/// Looks for a microsecond, about what parking adds to the end of a join: 0.4 us, and up to 2 where the tasks have used the
/// caches. So looking first costs at most twice the better choice, and siblings that end together do not park at all. If a
/// policy placed something here, perhaps a child of this very group, looking would only delay it.
bool fiber::ends_soon(group const& g, std::uint64_t mine) const noexcept {
  if (!at().migrated.looks_empty() || (at().ordered != nullptr && !at().ordered->looks_empty())) return false;
  std::uint64_t const began = processor_ticks();
  while (!g.left_only(mine)) {
    if (processor_ticks() - began > ticks_per_us()) return false;
    relax();
  }
  return true;
}

frame::frame(fiber& f, stack* o, bool waits) noexcept
    : handed(kind), suspended(&f), on(o), is_open(waits), left_at(f.front().forks.bottom()) {}

bool frame::is_tied() const noexcept { return suspended->stays_on_worker(); }
bool frame::is_tied_to_thread() const noexcept { return suspended->is_tied(); }

task_kind const frame::kind{
    .run = [](task&, std::uint64_t, fiber&) noexcept { broken("protocol", "frames are resumed by the worker loop"); }};

}}}  // namespace skua::v0::runtime
