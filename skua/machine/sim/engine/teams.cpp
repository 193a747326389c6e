// SPDX-License-Identifier: MIT
// The simulator's teams: one member per worker, found in its inbox; barriers in virtual time. Rules: simulator.md.
#include <algorithm>

#include "skua/machine/sim/engine/engine.hpp"
#include "skua/parts/base/assert.hpp"

namespace skua { inline namespace v0 { namespace sim {

bool engine::is_moldable(item const& it) const {
  return live_ != nullptr && it.content == item::kind::child && live_->is_moldable(it.node);
}

void engine::count_partition(worker_id leader, std::uint32_t width) {
  result_.widths.resize(std::max<std::size_t>(result_.widths.size(), width + 1));
  ++result_.widths[width];
  ++result_.partitions[{index(leader), width}];
}

/// Invariant (one order): a team enters all its inboxes in one move, so any two teams enter the inboxes that they share in the
/// same order.
void engine::form_team(worker_id w, item const& whole, placement const& to, cause why) {
  tree_node_id const first = live_->forms_team(whole.node, to.width);
  grow();
  turn& t = result_.turns[whole.node];
  ++t.times;
  t.worker = to.worker;
  t.begin = t.end = now_;
  result_.order.push_back(whole.node);
  result_.teams.push_back(whole.node);
  count_partition(to.worker, to.width);
  groups_[program_.group_of(whole.node)].outstanding += to.width - 1U;
  auto const id = static_cast<team_id>(teams_.size());
  teams_.push_back({.task = whole.node, .present = to.width, .first = to.worker, .width = to.width, .placed = now_});
  for (std::uint32_t m = 0; m < to.width; ++m) {
    item const member{.content = item::kind::child, .node = first + m, .team = id, .tag = whole.tag};
    placement const there{.worker = worker_id{index(to.worker) + m}, .lane = lane::inbox};
    there.worker == w ? put(w, member, there, why) : send(w, member, there, why);
  }
}

/// The member on this stack is at the barrier: continues if all others are, else spins, and later parks.
void engine::arrive(worker_id w, fiber_id f) {
  running_team& t = teams_[fibers_[f].team];
  if (t.waiting.size() + 1 == t.present) return open_barrier(w, t);
  t.waiting.push_back(f);
  fibers_[f].spins = true;
  fibers_[f].spins_since = now_ + spent_;
  pause_ = rules_.barrier_spin_ns * rules_.ticks_per_ns;
}

/// Releases all waiting members.
void engine::open_barrier(worker_id w, running_team& t) {
  for (fiber_id const waiting : std::exchange(t.waiting, {})) {
    fiber& member = fibers_[waiting];
    if (!member.spins) {
      ++result_.workers[index(w)].resumes;
      resume_at_home(w, waiting);
      continue;
    }
    end_spin(member);
    schedule(member.home, std::max(now_ + spent_, member.spins_since));
  }
}

/// The member's worker was busy meanwhile, but not with work.
void engine::end_spin(fiber& member) {
  tick const waited = std::max(now_ + spent_, member.spins_since) - member.spins_since;
  member.spins = false;
  member.ran += waited;
  of(member.home).busy += waited;
  of(member.home).scheduling += waited;
}

void engine::park_at_barrier(worker_id w, fiber_id f) {
  end_spin(fibers_[f]);
  fibers_[f].open = true;
  ++result_.workers[index(w)].parks;
  pay(w, operation::park);
  note(w, {.what = trace::kind::parked, .id = run_trace::id_of_frame(f)});
  tell(w, waiting{});
  leave_slot(w, f);
}

/// A member that waited continues on its own worker; the policy is not asked.
void engine::resume_at_home(worker_id w, fiber_id f) {
  item const it{.content = item::kind::frame, .fiber = f, .tag = fibers_[f].tag};
  worker_id const home = fibers_[f].home;
  home == w ? begin(w, it, lane::forks) : send(w, it, {.worker = home, .lane = lane::inbox}, cause::resumed);
}

/// Only its own worker may continue a member that has waited.
std::uint64_t engine::ready_frame(worker_id w) const noexcept {
  if (teams_.empty() || lanes_.empty(w, lane::inbox)) return 0;
  for (item const& it : lanes_.items_of(w, lane::inbox)) {
    if (is_ready_member(it)) return it.fiber + std::uint64_t{1};
  }
  return 0;
}

/// Before the worker asks its policy, as on threads (next_step.md, "Ready frames first"): other members wait for this
/// one.
bool engine::continues_member(worker_id w) {
  if (ready_frame(w) == 0) return false;
  auto const ready = lanes_.take(w, lane::inbox, end::oldest, [this](item const& it) { return is_ready_member(it); });
  acts(w, trace::kind::scheduling, now_);
  pay(w, operation::pop);
  validator_.answered(w, {.kind = action::pop, .lane = lane::inbox, .victim = w}, outcome::got, true);
  found(w);
  begin(w, *ready, lane::inbox);
  return true;
}

/// The turn of a team ends with its last member's.
void engine::end_member(fiber_id f, tree_node_id task) {
  turn& all = result_.turns[teams_[fibers_[f].team].task];
  all.end = std::max(all.end, result_.turns[task].end);
}

/// This member is about to end: if it is the last one, the team ends. Without a time if a member failed, as on threads.
void engine::tell_team_end(worker_id w, fiber_id f, bool failed) {
  running_team& t = teams_[fibers_[f].team];
  t.has_failed |= failed;
  if (t.present > 1 || needs_.times == policies::which_tasks::none || t.has_failed) return;
  tell(w,
       policies::team_ended{.task = fibers_[f].tag, .duration_ns = (now_ + spent_ - t.placed) / rules_.ticks_per_ns});
}

/// Others may wait for this member at the barrier.
void engine::leave_team(worker_id w, fiber_id f) {
  running_team& t = teams_[std::exchange(fibers_[f].team, no_team)];
  --t.present;
  if (t.present > 0 && t.waiting.size() == t.present) open_barrier(w, t);
}

}}}  // namespace skua::v0::sim
