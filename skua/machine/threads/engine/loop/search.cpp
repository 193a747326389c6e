// SPDX-License-Identifier: MIT
// How a worker searches: it asks the policy of each of its regions, in turn, executes the probe, and reports the outcome.
#include <algorithm>

#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/machine/threads/engine/core/worker.hpp"
#include "skua/machine/threads/engine/team/team_of_workers.hpp"
#include "skua/machine/threads/fork/finish/ordered_tasks.hpp"
#include "skua/parts/base/assert.hpp"
#include "skua/parts/context/sanitizer.hpp"

namespace skua { inline namespace v0 { namespace runtime {

namespace {

/// Entries of these lanes get their tags when they are taken.
constexpr bool has_no_tags(lane l) noexcept {
  return l == lane::forks || l == lane::spawned || l == lane::ordered || l == lane::injected || l == lane::inbox;
}

/// True if the policy sends the taken entry on to another worker. A task from the worker's own lanes has its placement
/// already.
bool is_sent_on(worker_slot& s, probe const& p, tagged_entry& taken) noexcept {
  frame* const f = taken.as_frame();
  bool const asks_again = f == nullptr && p.kind == action::pop && policies::chooses_from(s.needs.chosen, p.lane);
  if (p.kind == action::pop && p.lane != lane::injected && !asks_again) return false;
  if (f != nullptr && p.kind == action::pop) {
    placement const to = f->suspended->place_again(s, taken.tag);
    return worker::send(s, taken, to);
  }
  if (f == nullptr && has_no_tags(p.lane)) {
    taken.tag = s.policy.mark(taken.tag, taken.item->hint_for(taken.extra));
  }
  cause const why = p.kind == action::steal ? cause::stolen : asks_again ? cause::chosen : cause::injected;
  s.placed_call = why == cause::injected ? taken.item : nullptr;
  placement const to = s.place(taken.tag, why, f == nullptr && finish_region::is_moldable(*taken.item));
  return worker::send(s, taken, to);
}

/// A fiber that waits on top of a team's member, on the same stack, takes no member of another team, which might wait for this
/// one. (team.md, "Without a stack")
outcome pop_inbox(worker_slot& s, tagged_entry& out) noexcept {
  if (s.worker.running_fiber().is_in_team()) return outcome::empty;
  auto* const mine = static_cast<handed*>(s.inbox.pop());
  if (mine == nullptr) return outcome::empty;
  task_tag const* const of_member = team_of_workers::tag_of(*mine);
  out = {mine, 1, of_member == nullptr ? task_tag{} : *of_member};
  return outcome::got;
}

void count(worker& me, revocation_count const& spent) noexcept {
  if (spent.revocations == 0) return;
  me.counts().revocations.add(spent.revocations);
  me.counts().heavy_fences.add(spent.heavy_fences);
}

outcome take_injected(worker_slot& s, policies::amount many, tagged_entry& out) noexcept {
  revocation_count spent;
  outcome const how = s.region.take_injected(s, many, out, spent);
  count(s.worker, spent);
  return how;
}

/// How many calls with a strategy a worker brings to its lane until it takes another task from outside, if one waits.
constexpr std::uint32_t calls_per_turn = 64;

outcome pop_ordered(worker_slot& s, tagged_entry& out) noexcept {
  if (s.ordered == nullptr) return outcome::empty;
  if (handed* const refused = bring_calls(s)) {
    out = {refused, 1, {}};
    return outcome::got;
  }
  if (s.calls_in_turn >= calls_per_turn && take_injected(s, policies::amount::one, out) == outcome::got)
    return outcome::got;
  bring_urgent(s);
  taken_task t;
  if (s.ordered->pop(t) != outcome::got) return outcome::empty;
  out = {static_cast<task*>(t.task), t.is_dead ? found_dead : 0, {{s.published_tag()}}};
  return outcome::got;
}

outcome steal_ordered(worker_slot& s, worker_slot& victim, policies::amount many, tagged_entry& out) noexcept {
  if (s.ordered == nullptr || victim.ordered == nullptr) return outcome::empty;
  std::uint64_t const published = victim.published_tag();
  if (!s.policy.admits(published)) return outcome::barred;
  taken_task t;
  outcome const how = many == policies::amount::half_work ? s.ordered->steal_half(victim.id, *victim.ordered, t)
                                                          : s.ordered->steal(victim.id, *victim.ordered, t);
  if (how != outcome::got) return how;
  out = {static_cast<task*>(t.task), t.is_dead ? found_dead : 0, {{published}}};
  if (!s.ordered->looks_empty()) s.notify_work();
  return outcome::got;
}

/// Steals from a lane whose entries have the tag of the task that runs there.
template <class Lane>
outcome steal_untagged(worker_slot& s, worker_slot const& victim, Lane from, tagged_entry& out) noexcept {
  if (from.looks_empty()) return outcome::empty;
  std::uint64_t const published = victim.published_tag();
  if (!s.policy.admits(published)) return outcome::barred;
  entry oldest;
  revocation_count spent;
  outcome const how = from.steal(oldest, spent);
  count(s.worker, spent);
  if (how == outcome::got) out = {static_cast<task*>(oldest.task), oldest.extra, {{published}}};
  return how;
}

outcome steal_from(worker_slot& s, worker_slot& victim, probe const& p, tagged_entry& out) noexcept {
  auto const wanted = [&s](tagged_entry const& f) { return s.policy.admits(f.tag.words[0]); };
  auto const wanted_node = [&s](tagged_entry const& f) { return s.policy.admits_node(f.tag.node[0]); };
  switch (p.lane) {
    case lane::local: return victim.local.take_oldest(out, wanted);
    case lane::migrated: return victim.migrated.take_newest(out, wanted);
    case lane::mailbox: return victim.mailbox.take_oldest(out, wanted);
    case lane::next: return victim.next.take_oldest(out, wanted_node);
    case lane::nodes: return victim.nodes.take_newest(out, wanted_node);
    case lane::ordered: return steal_ordered(s, victim, p.amount, out);
    case lane::forks:
    case lane::spawned:
    case lane::inbox:
    case lane::injected: break;
  }
  return p.lane == lane::spawned ? steal_untagged(s, victim, victim.spawned.outside(), out)
                                 : steal_untagged(s, victim, victim.forks_outside(), out);
}

outcome steal(worker_slot& s, probe const& p, tagged_entry& out) noexcept {
  invariant(p.victim != s.id && index(p.victim) < s.region.workers(),
            "a policy's victim is another worker of the region");
  worker_slot& victim = s.region.slot_of(p.victim);
  s.worker.counts().attempts.add(1);
  outcome const how = steal_from(s, victim, p, out);
  if (how == outcome::lost) {
    s.worker.counts().lost.add(1);
    s.worker.traced().loses(victim.worker.number());
  }
  if (how == outcome::got) {
    auto const d = s.region.map().distance(s.id, p.victim);
    s.worker.counts().steals[d < worker_counters::distance_classes ? d : worker_counters::distance_classes - 1].add(1);
    s.worker.traced().steals(out, p.lane, victim.worker.number(), d);
  }
  return how;
}

/// `from`: `local` or `next`.
template <class Lane>
outcome pop_kept(worker_slot& s, Lane& from, tagged_entry& out) noexcept {
  outcome const how = from.take_newest(out, [](tagged_entry const&) { return true; });
  if (s.kept.in() == &s && s.local.looks_empty() && s.next.looks_empty()) s.kept.taken();
  return how;
}

outcome execute(worker_slot& s, probe const& p, tagged_entry& out) noexcept {
  if (p.kind == action::steal) return steal(s, p, out);
  constexpr auto any = [](tagged_entry const&) { return true; };
  switch (p.lane) {
    case lane::forks:
      return outcome::empty;  // empty: the joins of a worker that probes have all been stolen (group.md, "Nesting")
    case lane::spawned: {
      entry newest;
      if (!s.spawned.pop(newest)) return outcome::empty;
      out = {static_cast<task*>(newest.task), newest.extra, {{s.published_tag()}}};
      return outcome::got;
    }
    case lane::mailbox: return s.mailbox.take_oldest(out, any);
    case lane::local: return pop_kept(s, s.local, out);
    case lane::migrated: return s.migrated.take_oldest(out, any);
    case lane::next: return pop_kept(s, s.next, out);
    case lane::nodes: return s.nodes.take_oldest(out, any);
    case lane::ordered: return pop_ordered(s, out);
    case lane::injected: return take_injected(s, p.amount, out);
    case lane::inbox: break;
  }
  return pop_inbox(s, out);
}

/// Asks the policy, executes the probe, reports the outcome; until a task is found or the policy rests.
worker::found probe_in(worker_slot& s) noexcept {
  for (;;) {
    probe const next = s.policy.next_probe();
    if (next.kind == action::rest) {
      if (s.needs.rests) s.policy.learn(policies::rested{s.worker.pool().touches().seen(clock_ns())});
      return {};
    }
    tagged_entry taken;
    outcome const how = execute(s, next, taken);
    s.policy.learn(probed{next, how});
    if (how == outcome::got && !is_sent_on(s, next, taken))
      return {&s, taken, next.lane, next.kind == action::steal ? &s.region.slot_of(next.victim) : nullptr};
  }
}

}  // namespace

bool worker::found::leaves_more() const noexcept {
  if (taken.as_frame() == nullptr && taken.item->has_more(taken.extra)) return true;
  if (victim != nullptr) return !offers_nothing(*victim);
  return lane == lane::injected && slot->region.has_injected();
}

/// Regions take turns: the region where a task was found last comes first again, but at most tasks_per_turn times.
worker::found worker::probe_everywhere() noexcept {
  for (std::size_t tried = 0; tried < regions().size(); ++tried) {
    worker_slot* const s = turns_.first().slot_for(*this);
    found const f = s == nullptr ? found{} : probe_in(*s);
    turns_.searched(f.slot != nullptr);
    if (f.slot != nullptr) return f;
  }
  return {};
}

/// True if tasks are visible that the policies bar this worker from. Other workers may take them; this worker searches again
/// soon. (exposed_group.md, "Barred workers")
bool worker::is_barred() noexcept {
  for (auto const& r : regions()) {
    worker_slot* const s = r->slot_for(*this);
    if (s != nullptr && s->policy.is_choosy() && !r->looks_empty_to(s)) return true;
  }
  return false;
}

}}}  // namespace skua::v0::runtime
