// SPDX-License-Identifier: MIT
// The slow paths of a fiber: polls, stolen joins, parking, the end of a stolen piece, and its messages to the policy.
#include "skua/machine/threads/fork/fiber/fiber.hpp"

#include "skua/machine/threads/fork/fiber/fiber_at.hpp"
#include "skua/machine/threads/fork/fiber/frame.hpp"
#include "skua/machine/threads/lane/counters.hpp"
#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/context/sanitizer.hpp"

namespace skua { inline namespace v0 { namespace runtime {

inline bool stop_node::has_failed(std::uint64_t epoch) const noexcept {
  return watched != nullptr && watched->wants_end(epoch);
}

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
    if (stop_node::inside(n->watched_, tasks)) return true;
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
  auto const link = [this](void* entry, std::int64_t place) { return link_stolen(entry, place); };
  if (note_stolen(*forks_, link)) pass_failure_on();
}

void fiber::note_steal_of(group& g) const noexcept {
  note_steals();
  if (stolen_.link_ended(g, place())) pass_failure_on();
}

/// After a group was linked.
void fiber::pass_failure_on() const noexcept {
  std::uint64_t const epoch = slot().failures.latest();
  bool failed = stolen_.want_end(epoch);
  for (nested_task const* n = nested_; n != nullptr && !failed; n = n->below_) {
    failed = n->forks_ == forks_ && n->stolen_.want_end(epoch);
  }
  // The group that was just linked lies in a join that has failed already. Its children may have been found clean since, and
  // may have polled without seeing the failure.
  if (failed) raise_alarm();
}

/// Links a stolen join of the task that runs here, or of a task below it. Returns false for another fiber's group, of
/// which a piece runs here.
bool fiber::link_stolen(void* entry, std::int64_t place) const noexcept {
  auto& g = static_cast<group&>(*static_cast<task*>(entry));
  auto const link_in = [&](stolen_joins<>& stolen) {
    if (stolen.runs_piece_of(g)) return false;
    stolen.link(g, place);
    return true;
  };
  if (place >= base_) return link_in(stolen_);
  nested_task* n = nested_;
  while (n != nullptr && (n->forks_ != forks_ || place < n->base_)) n = n->below_;
  return n != nullptr && link_in(n->stolen_);
}

bool fiber::leaves_joins() const noexcept {
  if (!slot().unused_forks.reserve()) return false;
  fiber_forks const* above = forks_;
  for (nested_task const* n = nested_; n != nullptr; n = n->below_) {
    if (n->forks_ != above && !static_cast<fiber_slot&>(*n->slot_).unused_forks.reserve()) return false;
    above = n->forks_;
  }
  return true;
}

fiber_forks* fiber::forks_in(fiber_slot const& s) const noexcept {
  if (slot_ == &s) return forks_;
  for (nested_task const* n = nested_; n != nullptr; n = n->below_) {
    if (n->slot_ == &s) return n->forks_;
  }
  return nullptr;
}

tagged_entry fiber::as_published(entry const& e) const noexcept {
  return {static_cast<task*>(e.task), e.extra, {{tag_.words[0]}}};
}

bool fiber::make_room() noexcept {
  fiber_slot& s = slot();
  bool const room = s.make_room([this] { note_steals(); });
  if (s.notify_work()) s.counts.wakeups_sent.add(1);
  // The request stays until a fork finds no stop: there may be two stops, and this caller may ignore the one that it sees.
  if (stop_requested()) s.request_attention();
  if (s.exposes_groups())
    s.forks().request_attention();  // also for callers that spawn: their next join must be exposed
  return room;
}

advice fiber::poll(fork_slot<>& at) noexcept {
  slot().counts.forks.add(1);
  return forks_->is_calm(at) ? advice::go_on : answer();
}

advice fiber::answer() noexcept {
  bool const room = make_room();
  if (stop_requested()) return advice::stop;
  if (!room) return advice::full;
  if (is_preempted()) slot().preempt(*this);
  return slot().exposes_groups() ? advice::expose : advice::go_on;
}

advice fiber::poll_for_join(fork_slot<>& at) noexcept {
  if (!slot().exposes_groups() || is_preempted()) return poll(at);
  slot().counts.forks.add(1);
  bool const room = forks_->make_room_and_keep_request();
  note_steals();
  if (stop_requested()) return advice::stop;
  return room ? advice::expose : advice::full;
}

/// Another worker has put something into the mailbox that the policy may let run first.
bool fiber::is_preempted() const noexcept {
  return !stays_on_worker() && !slot().mailbox.looks_empty() && slot().policy.preempts();
}

double fiber::speed_of_worker() const noexcept { return slot().map.speed_of(worker()); }

bool fiber::is_stopped() const noexcept {
  failure_epoch<> const& failures = slot().failures;
  stop_node const* const n = watching();
  return (n != nullptr && n->requested(failures)) || stolen_.want_end(failures.now());
}

void fiber::raise_alarm() const noexcept {
  slot().failures.begin_next();
  slot().ask_all_to_poll();
}

void fiber::know(task_tag const& t) noexcept {
  // This may be the fiber's last access, and TSan knows no edge from it to the end of the pool.
  tsan::unseen_accesses const scheduling;
  tag_ = t;
  slot().publish_tag(t.words[0]);
}

void fiber::begins_task(task_tag const& t) noexcept {
  begins(t, false);
  clock_.begin(slot().is_timed(t));
}

void fiber::next_part(bool failed) noexcept {
  if (!slot().is_timed(tag_)) return;
  tsan::unseen const scheduling;
  slot().policy.learn(part_ended{.task = tag_, .duration_ns = clock_.lap(), .failed = failed});
}

void fiber::team_ends(std::uint64_t placed_at_ns) noexcept {
  if (!slot().is_timed(tag_)) return;
  tsan::unseen const scheduling;
  slot().policy.learn(policies::team_ended{.task = tag_, .duration_ns = clock_ns() - placed_at_ns});
}

void fiber::begins(task_tag const& t, bool open) noexcept {
  tsan::unseen const scheduling;
  know(t);
  slot().policy.learn(begun{t, open});
  slot().update_exposure();
}

void fiber::spawns() const noexcept {
  tsan::unseen const scheduling;
  slot().policy.learn(policies::spawning{});
  slot().update_exposure();
}

void fiber::task_ends(bool failed) noexcept {
  tsan::unseen const scheduling;
  slot().policy.learn(ended{.task = tag_, .duration_ns = clock_.read(), .failed = failed});
  slot().update_exposure();
}

void fiber::task_ends_before(task_tag const& next) noexcept {
  tsan::unseen const scheduling;
  // Of the same kind for the policy, which runs it alone or elsewhere.
  bool const is_alike = next.words[0] == tag_.words[0] && next.node[0] == tag_.node[0];
  if (!slot().is_timed(tag_) || !slot().is_timed(next)) [[unlikely]] {
    slot().policy.learn(ended{.task = tag_, .duration_ns = clock_.read()});
    return clock_.begin(slot().is_timed(next));
  }
  slot().policy.learn(ended{.task = tag_, .duration_ns = clock_.lap(is_alike, policies::unmeasured_ns)});
}

placement fiber::place_again(fiber_slot& resumer, task_tag& used) noexcept {
  tsan::unseen const scheduling;
  hint const hinted = stop_node::inherited(watching());
  used = hinted.place ? resumer.policy.mark(tag_, hinted) : tag_;
  placement const to = resumer.place(used, cause::resumed);
  if (!hinted.place)
    tag_ = used;  // a hinted place holds only inside its task, so it does not become the fiber's own tag
  return to;
}

void fiber::relocate() noexcept {
  if (stays_on_worker()) return;
  fiber_slot& now = slot();
  task_tag used;
  placement const to = place_again(now, used);
  if (to.worker != now.id) now.move(*this, to, used);
}

void fiber::park(group& g, std::uint64_t mine) noexcept {
  slot().begin(activity::scheduling);
  if (isolated_) return slot().wait_alone(*this, g, mine);
  if (ends_soon(g, mine)) {
    relocate();
    slot().begin(activity::working);
    return;
  }
  leave_worker(g, mine);
}

void fiber::wait_for_own(group& g, std::uint64_t mine) noexcept {
  slot().begin(activity::scheduling);
  leave_worker(g, mine);
}

void fiber::leave_worker(group& g, std::uint64_t mine) noexcept {
  {
    tsan::unseen const scheduling;
    slot().policy.learn(waiting{});
    slot().update_exposure();
  }
  if (slot().park(*this, g, mine)) {
    static_cast<void>(g.left_only(0));  // the resuming worker has acquired it, but TSan follows flows, not threads
    return;
  }
  slot().wait_in_place(*this, g, mine);
}

/// Spins for a microsecond, about what parking adds to the end of a join: 0.4 us, and up to 2 if the tasks have used the
/// caches. So spinning first costs at most twice the better choice, and siblings that end together do not park at all. It does
/// not spin if a policy has placed tasks here: one may be a child of this group, which spinning would only delay.
bool fiber::ends_soon(group const& g, std::uint64_t mine) const noexcept {
  if (!slot().nodes.looks_empty()) return false;
  if (!slot().migrated.looks_empty() || (slot().ordered != nullptr && !slot().ordered->looks_empty())) return false;
  std::uint64_t const began = processor_ticks();
  while (!g.left_only(mine)) {
    if (processor_ticks() - began > ticks_per_us()) return false;
    relax();
  }
  return true;
}

frame::frame(fiber& f, runtime::stack* s, bool waits) noexcept
    : handed(kind), suspended(&f), stack(s), is_open(waits) {}

bool frame::is_tied() const noexcept { return suspended->stays_on_worker(); }
bool frame::is_tied_to_thread() const noexcept { return suspended->is_tied(); }

task_kind const frame::kind{
    .run = [](task&, std::uint64_t, fiber&) noexcept { broken("protocol", "frames are resumed by the worker loop"); }};

}}}  // namespace skua::v0::runtime
