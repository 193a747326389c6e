// SPDX-License-Identifier: MIT
// The engine of the tabletop. States and invariants: tabletop.md.
#include "skua/machine/sim/tabletop.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>

#include "skua/machine/sim/lanes.hpp"
#include "skua/machine/sim/referee.hpp"
#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::sim {
namespace {

/// One call that has not returned. A task or a scope's body: `next` is its next step. A group: `next` is the next child
/// to call, `forked` the first of those that were offered to thieves while a child runs.
struct frame {
  node_id node;
  node_id next;
  node_id forked = no_node;
  bool owner = true;  ///< false: the share of a group that a thief took
};

/// A stack of calls, and the ticks that it took so far.
struct fiber {
  std::vector<frame> frames;
  tick ran = 0;
};

/// The state of a group or scope, by its node.
struct gathering {
  std::uint32_t outstanding = 0;  ///< shares of a group, the owner's included; children of a scope
  fiber_id waiting = no_fiber;    ///< the parked stack on whose top it waits
};

class engine {
 public:
  engine(task_tree const& program, policy& players, layout const& where, rules const& by)
      : program_(program), players_(players), where_(where), by_(by), roll_(by.seed),
        referee_(where.workers(), by.most_fruitless), lanes_(where.workers()), stack_of_(where.workers(), no_fiber),
        gatherings_(program.size()), tags_(program.size()), away_(program.size(), false) {
    result_.turns.resize(program.size());
    result_.workers.resize(where.workers());
    result_.steals_by_distance.resize(1);
  }

  result play() {
    lanes_.push(worker_id{0}, lane::injected, {.what = item::kind::child, .node = 0});
    for (std::uint32_t w = 0; w < stack_of_.size(); ++w) schedule(worker_id{w}, 0);
    while (!result_.finished && referee_.content()) {
      auto const [at, order, w] = calendar_.top();
      calendar_.pop();
      now_ = at;
      schedule(worker_id{w}, move(worker_id{w}));
    }
    if (result_.finished) let_everybody_rest();
    result_.faults = referee_.take();
    return std::move(result_);
  }

 private:
  // ---- time -------------------------------------------------------------------------------------------------------

  void schedule(worker_id w, tick in) { calendar_.emplace(now_ + in, roll_.next(), index(w)); }

  /// One move of a worker; returns the ticks until its next one.
  tick move(worker_id w) {
    fiber_id const f = stack_of_[index(w)];
    if (f == no_fiber) {
      hunt(w);
      if (running_ == 0 && lanes_.all_empty()) referee_.fault("nothing runs, and nothing can");
      return by_.probe_ticks;
    }
    tick const spent = step(w, f);
    result_.workers[index(w)].busy += spent;
    fibers_[f].ran += spent;
    return spent;
  }

  // ---- hunting ----------------------------------------------------------------------------------------------------

  void hunt(worker_id w) {
    mind& m = players_.mind_of(w);
    tally& t = result_.workers[index(w)];
    probe const p = m.hunt();
    referee_.asked(w, p);
    if (!referee_.content()) return;
    bool const in_reach = lanes_.in_reach_of(w);
    if (p.what == verb::rest) {
      ++t.rests;
      referee_.answered(w, p, outcome::empty, in_reach);
      return;
    }
    ++t.probes;
    auto const [how, taken] = carry_out(p);
    if (how == outcome::lost) ++t.lost;
    m.learn(probed{p, how});
    referee_.answered(w, p, how, in_reach);
    if (!taken) return;
    if (p.what == verb::steal) {
      ++t.steals;
      count_steal(where_.distance(w, p.whom));
    }
    receive(w, *taken, p);
  }

  void count_steal(std::uint32_t distance) {
    std::vector<std::uint64_t>& by_distance = result_.steals_by_distance;
    if (distance >= by_distance.size()) by_distance.resize(distance + 1);
    ++by_distance[distance];
  }

  std::pair<outcome, std::optional<item>> carry_out(probe const& p) {
    if (lanes_.empty(p.whom, p.where)) return {outcome::empty, {}};
    if (p.what == verb::steal && roll_.below(1000) < by_.lost_per_mille) return {outcome::lost, {}};
    bool const last_in_first_out = p.what == verb::pop && (p.where == lane::spawned || p.where == lane::forks);
    return {outcome::got, lanes_.take(p.whom, p.where, last_in_first_out ? end::newest : end::oldest)};
  }

  /// What was taken from a lane becomes a stack of its own, here or where the policy wants it.
  void receive(worker_id w, item const& taken, probe const& by) {
    split_off(taken);
    bool const is_new = by.what == verb::steal || by.where == lane::injected;
    if (is_new) {
      placement const to = place(w, tag_of(taken), by.what == verb::steal ? cause::stolen : cause::injected);
      if (to.worker != w) return send(w, taken, to);
    }
    begin(w, taken);
  }

  /// A continuation leaves the lane of its owner, who will find it gone: the group waits for one share more.
  void split_off(item const& it) {
    if (it.what != item::kind::rest || away_[it.node]) return;
    away_[it.node] = true;
    ++gatherings_[program_[it.node].parent].outstanding;
  }

  placement place(worker_id w, tag& task, cause why) {
    placement const to = players_.mind_of(w).place(task, why);
    referee_.placed(w, to);
    return referee_.content() ? to : placement{.worker = w};
  }

  void send(worker_id w, item const& what, placement const& to) {
    ++result_.workers[index(w)].sent;
    lanes_.push(to.worker, lane::inbox, what);
  }

  tag& tag_of(item const& it) {
    return it.what == item::kind::frame ? tags_[task_above(fibers_[it.fiber].frames.back().node)] : tags_[it.node];
  }

  // ---- stacks -----------------------------------------------------------------------------------------------------

  void begin(worker_id w, item const& it) {
    invariant(lanes_.empty(w, lane::forks), "bare: the forks lane of an idle worker is empty");
    ++running_;
    if (it.what == item::kind::frame) {
      stack_of_[index(w)] = it.fiber;
      return;
    }
    fiber_id const f = stack_of_[index(w)] = new_fiber();
    if (it.what == item::kind::rest) {
      fibers_[f].frames.push_back({.node = program_[it.node].parent, .next = it.node, .owner = false});
    } else {
      fibers_[f].frames.push_back({.node = no_node, .next = it.node});  // calls the child, then ends
    }
  }

  fiber_id new_fiber() {
    if (free_fibers_.empty()) {
      fibers_.emplace_back();
      return static_cast<fiber_id>(fibers_.size() - 1);
    }
    fiber_id const f = free_fibers_.back();
    free_fibers_.pop_back();
    fibers_[f].ran = 0;
    return f;
  }

  /// One step of a running stack; returns what it costs.
  tick step(worker_id w, fiber_id f) {
    invariant(!fibers_[f].frames.empty(), "a running stack holds a call");
    frame& top = fibers_[f].frames.back();
    if (top.node == no_node) {
      node_id const child = top.next;
      fibers_[f].frames.pop_back();
      return call(w, f, child, 0);
    }
    node_kind const k = program_[top.node].kind;
    if (k == node_kind::join || k == node_kind::each) return step_group(w, f);
    if (top.next != no_node) return step_body(w, f);
    return k == node_kind::scope ? end_scope(w, f) : end_task(w, f);
  }

  /// Call a task, leaf or strand `after` ticks from now.
  tick call(worker_id w, fiber_id f, node_id id, tick after) {
    turn& t = result_.turns[id];
    tick const cost = ticks_of(program_, id, by_);
    ++t.times;
    t.who = w;
    t.begin = now_ + after;
    t.end = t.begin + cost;
    result_.order.push_back(id);
    if (program_[id].kind == node_kind::task) fibers_[f].frames.push_back({.node = id, .next = program_[id].first});
    return after + cost;
  }

  /// The next step of a task or of a scope's body.
  tick step_body(worker_id w, fiber_id f) {
    frame& top = fibers_[f].frames.back();
    node_id const id = top.next;
    top.next = program_[id].next;
    switch (program_[id].kind) {
      case node_kind::leaf:
      case node_kind::strand: return call(w, f, id, 0);
      case node_kind::task: return fork_of_scope(w, id);
      case node_kind::join:
      case node_kind::each: {
        gatherings_[id].outstanding = 1;
        tick const spent = show_children(w, id);
        fibers_[f].frames.push_back({.node = id, .next = chain_from(program_[id].first)});
        return spent;
      }
      case node_kind::scope: break;
    }
    fibers_[f].frames.push_back({.node = id, .next = program_[id].first});
    return 0;
  }

  /// A child gets its tag, and, if the policy wants to see forks, may be sent elsewhere at once. True: it was sent.
  bool born(worker_id w, node_id child) {
    tag& parent = tags_[task_above(program_[child].parent)];
    mind& m = players_.mind_of(w);
    if (!m.sees_forks()) {
      tags_[child] = parent;
      return false;
    }
    tags_[child] = m.mark(parent, program_[child].known);
    placement const to = place(w, tags_[child], cause::forked);
    if (to.worker == w) return false;
    ++gatherings_[program_[child].parent].outstanding;
    away_[child] = true;
    send(w, {.what = item::kind::child, .node = child}, to);
    return true;
  }

  /// All children of a group are named at once; those that the policy sends elsewhere leave the chain.
  tick show_children(worker_id w, node_id group) {
    tick spent = 0;
    for (node_id c = program_[group].first; c != no_node; c = program_[c].next) {
      if (born(w, c)) spent += by_.fork_ticks;
    }
    return spent;
  }

  /// The first child of a group from `from` on that was not sent elsewhere.
  node_id chain_from(node_id from) const {
    while (from != no_node && away_[from]) from = program_[from].next;
    return from;
  }

  /// A group: come back from a child, then call the next one, with those that follow it open to thieves.
  tick step_group(worker_id w, fiber_id f) {
    frame& top = fibers_[f].frames.back();
    if (top.forked != no_node) {
      item const* const newest = lanes_.newest(w, lane::forks);
      if (newest != nullptr && newest->node == top.forked) {
        top.next = lanes_.take(w, lane::forks, end::newest).node;
      } else {
        invariant(away_[top.forked] && newest == nullptr, "oldest first: if my continuation is gone, all older ones are");
      }
      top.forked = no_node;
    }
    if (top.next == no_node) return end_share(w, f);
    node_id const child = std::exchange(top.next, no_node);
    top.forked = chain_from(program_[child].next);
    if (top.forked == no_node) return call(w, f, child, 0);
    lanes_.push(w, lane::forks, {.what = item::kind::rest, .node = top.forked});
    return call(w, f, child, by_.fork_ticks);
  }

  /// No child of a group is left for this stack.
  tick end_share(worker_id w, fiber_id f) {
    frame const top = fibers_[f].frames.back();
    gathering& g = gatherings_[top.node];
    bool const resumed = g.outstanding == 0;  // the owner's share was given back before it parked
    bool const last = resumed || --g.outstanding == 0;
    if (top.owner && !last) {
      park(w, f, g);
      return 0;
    }
    fibers_[f].frames.pop_back();
    if (!top.owner) {
      invariant(fibers_[f].frames.empty(), "a thief's share is the base of its stack");
      end_base(w, f, last ? std::exchange(g.waiting, no_fiber) : no_fiber);
    }
    return 0;
  }

  tick fork_of_scope(worker_id w, node_id child) {
    node_id const scope = program_[child].parent;
    if (!born(w, child)) {
      ++gatherings_[scope].outstanding;
      lanes_.push(w, lane::spawned, {.what = item::kind::child, .node = child});
    }
    return by_.fork_ticks;
  }

  /// The body of a scope is done: call own children from the own lane, wait for the others.
  tick end_scope(worker_id w, fiber_id f) {
    node_id const scope = fibers_[f].frames.back().node;
    gathering& g = gatherings_[scope];
    if (g.outstanding == 0) {
      fibers_[f].frames.pop_back();
      return 0;
    }
    item const* const newest = lanes_.newest(w, lane::spawned);
    bool const mine = newest != nullptr && newest->what == item::kind::child && program_[newest->node].parent == scope;
    if (!mine) {
      park(w, f, g);
      return 0;
    }
    return call(w, f, lanes_.take(w, lane::spawned, end::newest).node, 0);
  }

  tick end_task(worker_id w, fiber_id f) {
    node_id const task = fibers_[f].frames.back().node;
    fibers_[f].frames.pop_back();
    result_.turns[task].end = now_;
    if (task == 0) {
      result_.finished = true;
      result_.makespan = now_ - result_.turns[0].begin;
      end_base(w, f, no_fiber);
      return 0;
    }
    bool const called_by_its_group = !fibers_[f].frames.empty();
    node_id const above = program_[task].parent;
    bool const counted = program_[above].kind == node_kind::scope || !called_by_its_group;
    bool const last = counted && --gatherings_[above].outstanding == 0;
    if (!called_by_its_group) end_base(w, f, last ? std::exchange(gatherings_[above].waiting, no_fiber) : no_fiber);
    return 0;
  }

  /// Nothing below this call: the stack ends. `woken` is the stack that waited for it alone, or no_fiber.
  void end_base(worker_id w, fiber_id f, fiber_id woken) {
    stack_of_[index(w)] = no_fiber;
    --running_;
    players_.mind_of(w).learn(ended{.task = {}, .duration_ns = fibers_[f].ran});
    free_fibers_.push_back(f);
    if (woken == no_fiber) return;
    ++result_.workers[index(w)].resumes;
    item const it{.what = item::kind::frame, .fiber = woken};
    placement const to = place(w, tag_of(it), cause::resumed);
    to.worker == w ? begin(w, it) : send(w, it, to);
  }

  /// The top of `f` must wait: its worker becomes idle. What lies in the forks lane was offered by calls below the top
  /// (only a scope parks above such calls). It becomes free-standing: the stack may go on with another worker, where
  /// its owner would look for it in vain.
  void park(worker_id w, fiber_id f, gathering& g) {
    g.waiting = f;
    stack_of_[index(w)] = no_fiber;
    --running_;
    ++result_.workers[index(w)].parks;
    while (!lanes_.empty(w, lane::forks)) {
      item const it = lanes_.take(w, lane::forks, end::oldest);
      split_off(it);
      lanes_.push(w, lane::spawned, it);
    }
  }

  node_id task_above(node_id id) const {
    while (program_[id].kind != node_kind::task) id = program_[id].parent;
    return id;
  }

  /// The program has ended: now every mind must soon have had enough of looking.
  void let_everybody_rest() {
    for (std::uint32_t w = 0; w < stack_of_.size() && referee_.content(); ++w) {
      mind& m = players_.mind_of(worker_id{w});
      for (bool rests = false; !rests && referee_.content();) {
        probe const p = m.hunt();
        referee_.asked(worker_id{w}, p);
        rests = p.what == verb::rest;
        if (!rests) m.learn(probed{p, outcome::empty});
        referee_.answered(worker_id{w}, p, outcome::empty, false);
      }
    }
  }

  task_tree const& program_;
  policy& players_;
  layout const& where_;
  rules by_;
  dice roll_;
  referee referee_;
  result result_;

  using entry = std::tuple<tick, std::uint64_t, std::uint32_t>;  // when, a die to break ties, who
  std::priority_queue<entry, std::vector<entry>, std::greater<>> calendar_;
  tick now_ = 0;

  lanes lanes_;
  std::vector<fiber_id> stack_of_;  ///< by worker: what it runs
  std::uint64_t running_ = 0;       ///< workers that are not idle
  std::vector<fiber> fibers_;
  std::vector<fiber_id> free_fibers_;
  std::vector<gathering> gatherings_;
  std::vector<tag> tags_;    ///< by task
  std::vector<bool> away_;   ///< by child of a group: the share that it begins is not its owner's any more
};

}  // namespace

tick ticks_of(task_tree const& program, node_id id, rules const& by) noexcept {
  constexpr double most = 1e15;
  return static_cast<tick>(std::min(std::ceil(program.amount(id, by.in) / by.units_per_tick), most));
}

result play(task_tree const& program, policy& players, layout const& where, rules const& by) {
  if (by.probe_ticks == 0) {
    throw usage_error("tabletop: probe_ticks is 0, but must be at least 1, or idle workers stop the clock");
  }
  if (!(by.units_per_tick > 0) || !std::isfinite(by.units_per_tick)) {
    throw usage_error("tabletop: units_per_tick must be a positive finite number");
  }
  if (by.lost_per_mille >= 1000) throw usage_error("tabletop: lost_per_mille must be below 1000, or no steal succeeds");
  return engine(program, players, where, by).play();
}

}  // namespace skua::sim
