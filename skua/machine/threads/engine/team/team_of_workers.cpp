// SPDX-License-Identifier: MIT
#include "skua/machine/threads/engine/team/team_of_workers.hpp"

#include <new>
#include <utility>

#include "skua/machine/threads/engine/core/region.hpp"
#include "skua/machine/threads/engine/core/worker.hpp"
#include "skua/machine/threads/engine/core/worker_slot.hpp"
#include "skua/machine/threads/engine/team/enter_inboxes.hpp"
#include "skua/parts/base/clock.hpp"

namespace skua { inline namespace v0 { namespace runtime {
namespace {

/// Parking and resuming cost a few microseconds, and whatever the worker runs meanwhile may take much longer.
constexpr std::uint64_t spin_ns = 20'000;

}  // namespace

task_kind const team_of_workers::member::kind{.run = &team_of_workers::run_member};

team_of_workers::team_of_workers(finish_region::task& whole, task_tag const& tag, std::uint32_t width,
                                 std::uint64_t placed_at_ns)
    : team_state(width), whole_(whole), tag_(tag), placed_at_ns_(placed_at_ns),
      members_(std::make_unique<member[]>(width)), counts_(width) {
  for (std::uint32_t m = 0; m < width; ++m) {
    members_[m].team = this;
    members_[m].number = m;
  }
}

task_tag const* team_of_workers::tag_of(handed const& entry) noexcept {
  return entry.kind == &member::kind ? &static_cast<member const&>(entry).team->tag_ : nullptr;
}

/// A worker inside of isolate() takes nothing until its call returns, and the call may wait for the team. (team.md, "Isolated
/// workers")
bool team_of_workers::has_isolated_worker(worker_slot& from, placement const& to) noexcept {
  for (std::uint32_t m = 0; m < to.width; ++m) {
    if (from.neighbour(worker_id{index(to.worker) + m}).worker.isolation().is_set()) return true;
  }
  return false;
}

/// Invariant (one order): all teams of a region enter all inboxes in the same order.
bool team_of_workers::form(worker_slot& from, task& whole, task_tag const& tag, placement const& to) noexcept {
  if (has_isolated_worker(from, to)) return false;
  team_of_workers* made = nullptr;
  try {
    std::uint64_t const now = from.is_timed(tag) ? clock_ns() : 0;
    made = new team_of_workers(static_cast<finish_region::task&>(whole), tag, to.width, now);
  } catch (std::bad_alloc const&) {
    return false;
  }
  std::uint32_t const width = to.width;  // the team may end as soon as the last member is in an inbox
  enter_inboxes(
      from.region.order_of_teams(), width,
      [&](std::uint32_t m) -> auto& { return from.neighbour(worker_id{index(to.worker) + m}).inbox; },
      [made](std::uint32_t m) -> auto& { return made->members_[m]; });
  for (std::uint32_t m = 0; m < width; ++m) {
    worker_id const w{index(to.worker) + m};
    if (w != from.id) from.neighbour(w).notify_owner();
  }
  return true;
}

void team_of_workers::run_member(task& t, std::uint64_t, fiber& on) noexcept {
  auto& me = static_cast<member&>(static_cast<handed&>(t));
  team_of_workers& team = *me.team;
  finish_region& region = team.whole_.region;
  me.runner = &on;
  on.watch(&region.inside());
  bool const was_member = on.join_team(true);          // so this worker resumes it: its part of the data is here
  worker_trace& traced = slot_of(on).worker.traced();  // a member stays on its worker
  traced.member_begins(team.whole_, team.width(), finish_region::hint_of(team.whole_, 0), me.number);
  bool const returned = team.call_member(me);
  traced.member_ends();
  finish_region::task& whole = team.whole_;
  bool const is_last = team.leave(me);
  if (is_last) {
    if (!team.has_failed_.load(std::memory_order_relaxed)) {  // relaxed: depart orders
      region.end_team(on, whole);
      on.team_ends(
          team.placed_at_ns_);  // with the release of its successors, which a task that runs alone contains, too
    }
    delete &team;
  }
  on.join_team(was_member);
  on.watch(nullptr);
  on.task_ends(!returned);
  if (is_last) region.end_task(on, whole);
}

/// Returns false if the member threw or was dropped.
bool team_of_workers::call_member(member& me) noexcept {
  bool const returned = whole_.region.call_member(*me.runner, whole_, *this, me.number);
  if (!returned) has_failed_.store(true, std::memory_order_relaxed);  // relaxed: depart orders
  return returned;
}

/// True if this was the last member. Else the caller must not touch the team any more.
bool team_of_workers::leave(member& me) noexcept {
  me.exposed = nullptr;
  switch (counts_.depart()) {
    case team_barrier<>::departure::last: return true;
    case team_barrier<>::departure::opens:
      let_go();  // the others are at a barrier, so the team exists until they are released
      return false;
    case team_barrier<>::departure::unnoticed: return false;
  }
  return false;
}

void team_of_workers::barrier(std::uint32_t m) noexcept {
  member& me = members_[m];
  group opened{nullptr, 2};
  me.waits = &opened;
  if (counts_.arrive()) {
    me.waits = nullptr;
    return let_go();
  }
  std::uint64_t const began = clock_ns();
  while (!opened.left_only(1) && clock_ns() - began < spin_ns) {
    for (int i = 0; i < 16 && !opened.left_only(1); ++i) relax();
  }
  waits_for const reason{*me.runner, {"a team's barrier", this}};
  me.runner->wait(opened, 1);
}

/// Opens the barrier, at which all members wait that have not left. The last of them to be released may end the team.
void team_of_workers::let_go() noexcept {
  counts_.open();
  std::uint32_t const n = width();
  group* waiting = nullptr;
  auto const release = [](group& g) {
    if (parked<>* const f = g.finish(1, 0, [] {})) worker::send_home(static_cast<frame&>(*f));
  };
  for (std::uint32_t m = 0; m < n; ++m) {
    group* const next = std::exchange(members_[m].waits, nullptr);
    if (next == nullptr) continue;
    if (waiting != nullptr) release(*waiting);
    waiting = next;
  }
  if (waiting != nullptr) release(*waiting);
}

}}}  // namespace skua::v0::runtime
