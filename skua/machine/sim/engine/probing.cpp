// SPDX-License-Identifier: MIT
// The simulator's idle workers: the probes that they execute, what they do with an entry that they find, and where
// tasks go.
#include "skua/machine/sim/engine/engine.hpp"

namespace skua { inline namespace v0 { namespace sim {
namespace {

/// The owner takes its own newest forks, and the oldest entry that others have placed.
end owner_end(lane l) {
  return l == lane::forks || l == lane::spawned || l == lane::local || l == lane::next ? end::newest : end::oldest;
}
end thief_end(lane l) { return l == lane::migrated || l == lane::nodes ? end::newest : end::oldest; }

/// Entries of the other lanes are closures in their parents' frames, without room for a tag.
bool has_tags(lane l) { return l != lane::forks && l != lane::spawned && l != lane::ordered; }
bool admits(worker_policy const& m, lane l, item const& it, std::uint64_t published) {
  if (policies::is_of_nodes(l)) return m.admits_node(it.tag.node[0]);
  return m.admits(has_tags(l) ? it.tag.words[0] : published);
}

}  // namespace

void engine::next_probe(worker_id w) {
  if (!delayed_.empty() && delayed_[index(w)].now != delayed_steal::stage::none) return continue_steal(w);
  if (continues_member(w)) return;
  worker_policy& m = of_worker(w);
  probe const p = m.next_probe();
  if (!validator_.content()) return;
  if (p.kind == action::rest) return rest(w, m, p);
  lanes_.fetch(p.victim);
  cached_lines_.fetch(w, p.victim, p.lane);
  ++result_.workers[index(w)].probes;
  if (!delays(w, m, p)) finish_probe(w, m, p, 0);
}

/// True if there is an entry that the worker could have found.
inline bool engine::has_in_reach(worker_id w, worker_policy const& m) {
  bool const choosy = m.is_choosy();
  bool const in_reach = choosy ? lanes_.at_hand_of(w) : lanes_.in_reach_of(w);
  return in_reach && validator_.is_out_of_patience_with(w) && !choosy ? finds_something_for(w) : in_reach;
}

void engine::rest(worker_id w, worker_policy const& m, probe const& p) {
  bool const in_reach = has_in_reach(w, m);
  ++result_.workers[index(w)].rests;
  acts(w, trace::kind::idling, now_);
  spent_ += prices_.price(now_, operation::rest, w, w);
  validator_.answered(w, p, outcome::empty, in_reach);
  watcher_.after_probe(now_, w, p, outcome::empty, lanes_);
  if (needs_.rests) tell(w, policies::rested{touches_first()});
  keep_searching(w);
}

/// True while a leaf touches new memory, or did so within the last period; false before the run.
bool engine::touches_first() const {
  tick const until = prices_.first_touches_until();
  return until > 0 && now_ < until + policies::first_touches_period_ns(layout_.workers()) * rules_.ticks_per_ns;
}

/// The price of an attempt includes the worker's own lanes that it looks into before it, and one line of the victim.
/// For each further lane of the victim that it finds empty, it reads another line, unless it has a current copy.
tick engine::price_of_look(worker_id w, probe const& p) {
  if (p.kind == action::pop) return prices_.price(now_, operation::pop, w, w);
  bool const has_line = cached_lines_.look(w, p.victim, p.lane, lanes_.changes(p.victim, p.lane));
  if (of(w).last_victim != p.victim) return prices_.price(now_, operation::miss, w, p.victim);
  return prices_.price(now_, has_line ? operation::pop : operation::look, w, p.victim);
}

/// Executes a probe; a steal has `waited` this long for fences.
void engine::finish_probe(worker_id w, worker_policy const& m, probe const& p, tick waited) {
  worker_counters& t = result_.workers[index(w)];
  bool const in_reach = has_in_reach(w, m);
  auto const [how, taken] = execute(w, p);
  acts(w, taken ? trace::kind::scheduling : trace::kind::idling, now_ - waited);
  if (how == outcome::lost) ++t.lost;
  if (how == outcome::barred) ++t.barred;
  if (taken) {
    pay(w, p.kind == action::steal ? operation::steal : operation::pop, p.victim);
  } else {
    spent_ += how == outcome::empty ? price_of_look(w, p) : prices_.price(now_, operation::miss, w, p.victim);
  }
  of(w).last_victim = p.victim;
  if (trace_ != nullptr && p.kind == action::steal) note_attempt(w, p, how, taken ? &*taken : nullptr);
  tell(w, probed{p, how});
  for (worker_id const read : m.lines_read()) spent_ += prices_.price(now_, operation::look, w, read);
  validator_.answered(w, p, how, in_reach);
  watcher_.after_probe(now_, w, p, how, lanes_);
  if (!taken) return;
  if (p.kind == action::steal) {
    ++t.steals;
    of(w).scheduling += waited;
    count_steal(layout_.distance(w, p.victim));
  }
  found(w, leaves_more(p, *taken));
  receive(w, *taken, p);
}

// ---- searching and sleeping ----------------------------------------------------------------------------------------

/// The policy rests: the worker keeps searching, or falls asleep.
void engine::keep_searching(worker_id w) {
  if (!idle_.searches(w)) idle_.search(w, now_);
  if (now_ - idle_.since(w) >= rules_.spin_ticks && nothing_in_reach_of(w)) {
    ++result_.workers[index(w)].naps;
    idle_.sleep(w);
    acts(w, trace::kind::sleeping, now_ + spent_);
    calendar_.set(w, {});
  }
}

/// An entry that a choosy policy does not admit now may be admitted later, so the worker does not sleep beside it.
bool engine::nothing_in_reach_of(worker_id w) const { return !lanes_.in_reach_of(w); }

/// A searching worker has found work. If it was the last searcher, a sleeper must take over the search. One that was woken and leaves more wakes
/// two. (machine/threads/engine/sleep/sleep.md, F1)
void engine::found(worker_id w, bool leaves_more) {
  if (!idle_.searches(w)) return;
  bool const doubles = idle_.was_woken(w) && leaves_more;
  idle_.found(w);
  if (!doubles) return offered(w);
  for (int woken = 0; woken < 2 && idle_.asleep() > 0; ++woken) wake(w, *idle_.first_sleeper());
}

/// As worker::found::leaves_more.
bool engine::leaves_more(probe const& p, item const& taken) const {
  if (taken.content == item::kind::rest && program_[taken.node].next != no_tree_node) return true;
  return p.kind == action::steal && !lanes_.empty(p.victim, p.lane);
}

/// There is an entry to take: wakes a sleeper if no worker searches.
void engine::offered(worker_id by) {
  if (idle_.asleep() == 0 || idle_.searching() > 0) return;
  if (auto const whom = idle_.first_sleeper()) wake(by, *whom);
}

void engine::wake(worker_id by, worker_id whom) {
  pay(by, operation::notify, whom);
  tick const at = now_ + spent_ + prices_.price(now_, operation::wake_up, by, whom);
  heavy_fences_.wakes(whom, at);
  idle_.wake(whom, at);
  acts(whom, trace::kind::idling, at);
  schedule(whom, at);
}

void engine::count_steal(std::uint32_t distance) {
  std::vector<std::uint64_t>& by_distance = result_.steals_by_distance;
  if (distance >= by_distance.size()) by_distance.resize(distance + 1);
  ++by_distance[distance];
}

std::pair<outcome, std::optional<item>> engine::execute(worker_id w, probe const& p) {
  if (p.kind == action::pop && p.lane == lane::ordered) bring_urgent(w);
  if (lanes_.empty(p.victim, p.lane)) return {outcome::empty, {}};
  if (p.kind == action::pop && p.lane != lane::ordered) {
    if (p.lane == lane::spawned) pops_own(w, p.lane, true);
    item const taken = lanes_.take(w, p.lane, owner_end(p.lane));
    if (lanes_.empty(w, lane::local) && lanes_.empty(w, lane::next)) of(w).keeps_next = false;
    return {outcome::got, taken};
  }
  bool const is_lost = p.kind == action::steal && roll_.below(1000) < rules_.lost_per_mille;
  if (is_lost || is_being_revoked(p)) return {outcome::lost, {}};
  if (p.lane == lane::ordered) return take_ordered(w, p);
  std::uint64_t const published = published_by(p.victim);
  auto taken = lanes_.take(p.victim, p.lane, thief_end(p.lane),
                           [&](item const& it) { return admits(of_worker(w), p.lane, it, published); });
  if (!taken) return {outcome::barred, {}};
  if (has_tags(p.lane)) return {outcome::got, taken};
  taken_from_top(p.victim, p.lane);
  taken->tag = {{published}};
  return {outcome::got, taken};
}

/// The first tag word of the task that a worker runs, or ran last; a thief sees nothing else of it.
std::uint64_t engine::published_by(worker_id w) const {
  fiber_id const f = of(w).stack;
  return f == no_fiber ? of(w).last : fibers_[f].tag.words[0];
}

/// An item taken from a lane gets a stack of its own, here or where the policy places it.
void engine::receive(worker_id w, item taken, probe const& by) {
  split_off(taken);
  if (!has_tags(by.lane)) {
    if (by.kind == action::pop) taken.tag = {{of(w).last}};
    taken.tag = of_worker(w).mark(taken.tag, hint_of(taken.node));
  }
  bool const is_new = by.kind == action::steal || by.lane == lane::injected;
  bool const asks_again =
      by.kind == action::pop && taken.content != item::kind::frame && policies::chooses_from(needs_.chosen, by.lane);
  if (is_new || asks_again) {
    cause const why = by.kind == action::steal ? cause::stolen : asks_again ? cause::chosen : cause::injected;
    placement const to = place(w, taken.tag, why, is_moldable(taken));
    if (to.width > 1) return form_team(w, taken, to, why);
    if (to.worker != w) return send(w, taken, to, why);
  }
  begin(w, taken, by.lane);
}

/// A continuation leaves the lane of its owner, which will find it gone: the group waits for one more share.
void engine::split_off(item const& it) {
  if (it.content == item::kind::frame || program_[it.node].parent == no_tree_node) return;
  group_state& g = group_of(it.node);
  g.stolen = true;
  if (it.content != item::kind::rest || std::exchange(away_[it.node], true)) return;
  ++g.outstanding;
}

/// Entries in other workers' lanes are in reach only if the policy admits them.
bool engine::finds_something_for(worker_id w) const {
  if (lanes_.at_hand_of(w)) return true;
  worker_policy const& m = scheduler_.of_worker(w);
  for (std::uint32_t v = 0; v < workers_.size(); ++v) {
    if (!lanes_.empty(worker_id{v}, lane::ordered) && m.admits(published_by(worker_id{v}))) return true;
    for (lane const open : {lane::forks, lane::spawned, lane::local, lane::migrated, lane::next, lane::nodes}) {
      for (item const& it : lanes_.items_of(worker_id{v}, open)) {
        if (admits(m, open, it, published_by(worker_id{v}))) return true;
      }
    }
  }
  return false;
}

/// The hints of a child; it inherits the place hint of its nearest ancestor. A stack has none. [numa-ws-2018 III-A]
hint engine::hint_of(tree_node_id child) {
  if (child == no_tree_node) return {};
  hint hints = program_[child].hints;
  if (!hints.place) hints.place = places_.of(child);
  return hints;
}

/// Asks the policy, and asks again while it names an occupied mailbox, or a team for a task that cannot run as one.
placement engine::place(worker_id w, task_tag& task, cause why, bool may_be_team) {
  placement to = of_worker(w).place(task, why);
  if (to.width > 1) {
    bool const fits = index(to.worker) + to.width <= layout_.workers();
    if (may_be_team && fits && validator_.content()) return to;
    ++result_.workers[index(w)].refused;
    to = of_worker(w).place(task, cause::refused);
    to.width = 1;
  }
  while (to.worker != w && to.lane == lane::mailbox && !lanes_.empty(to.worker, lane::mailbox)) {
    ++result_.workers[index(w)].refused;
    to = of_worker(w).place(task, cause::refused);
  }
  return to;
}

void engine::put(worker_id w, item const& what, placement const& to, cause why) {
  lanes_.push(to.worker, to.lane, what);
  watcher_.put(now_, w, to, what, why);
  if (idle_.asleep() == 0) return;
  if (to.worker != w && idle_.sleeps(to.worker)) return wake(w, to.worker);
  offered(w);
}

void engine::send(worker_id w, item const& what, placement const& to, cause why) {
  ++result_.workers[index(w)].sent;
  pay(w, operation::send, to.worker);
  note(w, {.what = trace::kind::sent,
           .detail = static_cast<std::uint8_t>(to.lane),
           .other = index(to.worker),
           .id = run_trace::id_of(what)});
  put(w, what, to, why);
}

void engine::tell(worker_id w, event const& what) {
  of_worker(w).learn(what);
  watcher_.learned(w, what);
}

}}}  // namespace skua::v0::sim
